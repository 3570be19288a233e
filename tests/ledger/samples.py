"""One event of every kind, with every field of every record said at least once."""

from __future__ import annotations

from leaseway.core.model import events as e
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.checkpoint import Advice, Checkpoint, Pacing, Save
from leaseway.core.model.estimate import Estimate, Likeness
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.inferred import Inferred
from leaseway.core.model.lease import Guard, Mode, Scope, Terms, TermsOffer, Window, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind, Freed, Outcome, OutcomeKind, StopReason
from leaseway.core.model.plan import (
    Archive,
    Boundaries,
    Edge,
    EdgeKind,
    Repeat,
    Selector,
    TaskSpec,
    Workspace,
)
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import Phase
from tests.ledger.kept_samples import BASIS, kept
from tests.ledger.policy_samples import asked_under

NOW = 1_760_000_000_000

FINDING = Finding(
    code="LW301",
    tasks=("p1.train", "p1.größe"),
    workers=("anna",),
    numbers={"short_ms": 180_000, "window": "tonight", "others": ["b", "a"]},
    variant="window",
    severity=Severity.CAUSE,
)
CAPACITY = Capacity(
    cpus_milli=4000,
    memory_bytes=8 << 30,
    gpus=1,
    disk_bytes=1 << 40,
    processes=256,
    slots=4,
)
SCOPE = Scope(
    commands=("python3",),
    read=("/srv",),
    write=("/srv/out",),
    network="none",
    enforce="always",
)
GUARD = Guard(stop_grace_ms=4_000, kill_ms=900, delivery_ms=1_500, clock_error_ms=250)
TERMS = Terms(
    windows=(Window(NOW, NOW + 3_600_000), Window(NOW + 7_200_000)),
    max_run_ms=600_000,
    extendable_until=NOW + 7_000_000,
    mode=Mode.SHARED,
    stretch_percent=250,
    capacity=CAPACITY,
    tokens=("gpu-room",),
    labels=("linux",),
    tools=("git",),
    scope=SCOPE,
    guard=GUARD,
    share={"agent": 50},
    recurring="daily 22:00-07:00 Europe/Berlin",
)
OFFER = TermsOffer(
    windows=(WindowOffer(1_000, 3_600_000),),
    max_run_ms=600_000,
    extendable_ms=7_000_000,
    mode=Mode.SHARED,
    stretch_percent=250,
    capacity=Capacity(cpus_milli=None, gpus=None, slots=None),
    tokens=("gpu-room",),
    labels=("linux",),
    tools=("git",),
    scope=SCOPE,
    guard=GUARD,
    share={"agent": 50},
    recurring="daily 22:00-07:00 Europe/Berlin",
    digest="3f2a",
)
USES = Uses(
    cpus_milli=2000,
    memory_bytes=1 << 30,
    gpus=1,
    disk_bytes=1 << 20,
    processes=12,
    slots=2,
)
SPEC = TaskSpec(
    name="train",
    run=("python3", "train.py", "--größe=3"),
    needs=("fetch",),
    reads=("data/*.csv",),
    writes=("model/",),
    holds=("gpu-room",),
    uses=USES,
    limit_ms=480_000,
    estimate_low_ms=60_000,
    estimate_ms=300_000,
    on=Selector(labels=("linux",), tools=("git",)),
    outputs=("model/weights.bin",),
    workdir="work",
    env={"Z": "last", "A": "first"},
    promise="none",
    repeat=Repeat.SAFE,
    cut_off_ms=120_000,
    on_withdrawn="wait",
    give_up_ms=3_600_000,
    parallel=True,
    pacing=Pacing(steps=10, phases={r"\d+ items": 300_000}, save=Save(30_000, "USR1")),
    same_as={"model/": "/srv/model"},
    inferred=(Inferred("port:8000", "python", "python -m http.server", writes=True),),
    learned=Estimate(
        bound_ms=290_000,
        runs=23,
        key="0123456789ab",
        likeness=Likeness.TEMPLATE,
        level_ppm=950_000,
        judged=17,
        covered=16,
    ),
)
ARCHIVE = Archive(digest="sha256:" + "ab" * 32, bytes=1_024, files=3)
TREE = Workspace(ARCHIVE, origin="box:/srv/nightly")
RESERVATION = e.Reservation(
    worker="anna",
    start=NOW + 1_000,
    end=NOW + 490_000,
    reserved_ms=480_000,
    work=1_500,
)
CHECKPOINT = Checkpoint(
    advice=Advice.HURRY,
    reason="late",
    progress_ppm=430_000,
    step="epoch 3/10",
    count=3,
    ran_ms=240_000,
    left_ms=240_000,
    need_ms=318_000,
    next_ms=60_000,
)
ENDING = Ending(
    kind=EndKind.SIGNALED,
    exit_code=143,
    signal=15,
    reason=StopReason.RESERVED,
    ran_ms=480_012,
    held_ms=480_500,
    cpu_ms=470_000,
    max_rss_bytes=1 << 29,
    stdout_bytes=1_024,
    stderr_bytes=12,
    left_pids=(4711,),
    missing=("model/weights.bin",),
    partial=("model/part.bin",),
    received_ms=2_100,
    results=ARCHIVE,
    extra=ARCHIVE,
    undeclared=("cache/x",),
    undeclared_count=3,
    checkpoint=CHECKPOINT,
    detail='said "no"',
)
OUTCOME = Outcome(
    kind=OutcomeKind.OVERRAN,
    cause=FINDING,
    at=NOW + 481_000,
    attempt=1,
    late_ms=40,
)

WORKERS: tuple[e.Fact, ...] = (
    e.LedgerOpened(ledger_id="ledger-1"),
    e.LedgerForked(ledger_id="ledger-2", old_id="ledger-1", seen=4_711, worker="anna"),
    e.WorkerRegistered(
        worker="anna",
        machine_id="m-1",
        incarnation=3,
        spool_id="spool-1",
        boot_id="boot-1",
        lease_version=7,
        terms=TERMS,
        offer=OFFER,
        version="0.1.0",
        foreign_ledger="ledger-0",
        kept=("max_run_ms",),
    ),
    e.LeaseChanged(worker="anna", lease_version=8, terms=TERMS, actor="owner", follows=True),
    e.LeaseMoved(
        worker="anna",
        state=LeaseState.QUARANTINED,
        actor="owner",
        reason="disk makes noises",
        cause=FINDING,
    ),
    e.LedgerAccepted(worker="anna", actor="owner"),
    e.WorkerSlept(worker="anna", slept_ms=90_000),
)
TASKS: tuple[e.Fact, ...] = (
    e.PlanSubmitted(
        plan="p1",
        name="nightly",
        principal="kim",
        role="agent",
        tasks=("p1.fetch", "p1.train"),
        key="k-1",
        digest="sha256:00",
        boundaries=Boundaries(
            max_parallel=2,
            by=NOW + 9_000_000,
            workers=("anna",),
            not_on=("bert",),
        ),
        workdir="/srv/nightly",
        findings=(FINDING,),
        workspace=TREE,
        basis=BASIS,
        policy_version=3,
        approval="A-3",
    ),
    e.TaskSubmitted(
        task="p1.train",
        plan="p1",
        spec=SPEC,
        seq=2,
        give_up_at=NOW + 4_000_000,
        edges=(Edge(before="p1.fetch", kind=EdgeKind.READ_AFTER_WRITE, over="data/a.csv"),),
    ),
    e.TaskReserved(
        task="p1.train",
        reservation=RESERVATION,
        promise=NOW + 490_000,
        cause=FINDING,
        conflicts=(Edge("p0.load", EdgeKind.CONFLICT, "data"),),
    ),
    e.PromiseWithdrawn(
        task="p1.train",
        cause=FINDING,
        old=NOW + 490_000,
        new=NOW + 900_000,
        reservation=RESERVATION,
        conflicts=(Edge("p0.load", EdgeKind.CONFLICT, "data"),),
    ),
    e.TaskEnded(task="p1.train", outcome=OUTCOME),
    e.TaskRetried(task="p1.train", cause=FINDING),
    e.TasksAcknowledged(tasks=("p1.fetch", "p1.train"), principal="kim"),
    e.TasksForgotten(tasks=("p1.fetch", "p1.train")),
)
ATTEMPTS: tuple[e.Fact, ...] = (
    e.AttemptGranted(
        task="p1.train",
        number=1,
        worker="anna",
        incarnation=3,
        reservation=RESERVATION,
        start_by=NOW + 11_000,
        order=5,
        spool_id="spool-1",
        seq=17,
        ahead=True,
    ),
    e.AttemptMoved(
        task="p1.train",
        number=1,
        phase=Phase.RUNNING,
        started_at=NOW + 1_200,
        stop_at=NOW + 481_200,
        reservation=RESERVATION,
    ),
    e.StopTimeMoved(
        task="p1.train",
        number=1,
        stop_at=NOW + 500_000,
        reservation=RESERVATION,
        cause=FINDING,
    ),
    e.CheckpointTold(task="p1.train", number=1, checkpoint=CHECKPOINT, told_at=NOW + 480_000),
    e.StopOrdered(task="p1.train", number=1, reason=StopReason.CANCEL, actor="kim"),
    e.AttemptReturned(task="p1.train", number=1, cause=FINDING, again_at=NOW + 13_000),
    e.AttemptEnded(
        task="p1.train",
        number=1,
        worker="anna",
        ending=ENDING,
        ended_at=NOW + 481_000,
        late_ms=40,
        cause=FINDING,
        until=NOW + 512_000,
    ),
    e.RoomFreed(task="p1.train", number=1, worker="anna", why=Freed.ENDED),
    e.ResultKept(task="p1.train", number=1, worker="anna", ending=ENDING, cause=FINDING),
)
SAMPLES = WORKERS + TASKS + ATTEMPTS + kept(SPEC, TREE, FINDING) + asked_under(FINDING)
