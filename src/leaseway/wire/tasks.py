"""A task as it is shown: state, promise, attempts, outcome. Moments are ledger time (ms)."""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import asdict

from leaseway.core.model.events import Reservation
from leaseway.core.model.outcomes import Ending, Outcome, Waste
from leaseway.core.model.plan import Archive, Edge
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Attempt, Task
from leaseway.core.waste import wasted
from leaseway.core.wording.rules import ENDED_BY
from leaseway.wire.checkpoints import CheckpointInfo, checkpoint_info
from leaseway.wire.findings import FindingInfo, finding_info
from leaseway.wire.history import EstimateInfo, estimate_info

Bytes = int


class ReservationInfo(Struct, frozen=True):
    """Time set aside on a worker: [start, end), of which `reserved_ms` is the task's own part."""

    worker: str
    start: Instant
    end: Instant
    reserved_ms: Millis


class EdgeInfo(Struct, frozen=True):
    """`before` must end first, because of `kind`, over this path or token."""

    before: str
    kind: str
    over: str = ""


class EndingInfo(Struct, frozen=True):
    """What the worker saw when an attempt ended. `received_ms`: receiving its files, before the
    run. `results`: what it changed of what it declares, `extra` the rest, `undeclared` the first of
    those names."""

    kind: str
    exit_code: int | None = None
    signal: int | None = None
    reason: str | None = None
    ran_ms: Millis = 0
    held_ms: Millis = 0
    cpu_ms: Millis = 0
    max_rss_bytes: int = 0
    stdout_bytes: int = 0
    stderr_bytes: int = 0
    left_pids: tuple[int, ...] = ()
    missing: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    detail: str = ""
    received_ms: Millis = 0
    results: Archive | None = None
    extra: Archive | None = None
    undeclared: tuple[str, ...] = ()
    undeclared_count: int = 0


class AttemptInfo(Struct, frozen=True):
    """One run. Phase `ended` on the current attempt: ended, delivery pending."""

    number: int
    worker: str
    phase: str
    granted_at: Instant
    start_by: Instant
    started_at: Instant | None = None
    stop_at: Instant | None = None
    stop_reason: str | None = None
    stopped_by: str = ""
    ended_at: Instant | None = None
    reserved_ms: Millis = 0
    late_ms: Millis = 0
    ending: EndingInfo | None = None
    cause: FindingInfo | None = None
    checkpoint: CheckpointInfo | None = None


class OutcomeInfo(Struct, frozen=True):
    """How the task ended: exactly one. `late_ms`: heard so long after stop time + guard."""

    kind: str
    cause: FindingInfo
    at: Instant
    attempt: int = 0
    late_ms: Millis = 0


class WasteInfo(Struct, frozen=True):
    """Core-time that led to no success, by what ended it: `code` with its `word`. `core_ms`: cpus ×
    time run, in milliseconds of one core, of so many `attempts`."""

    code: str
    core_ms: int
    attempts: int
    word: str = ""


class TaskInfo(Struct, frozen=True):
    """One task. `state`: waiting, granted, running or ended; `now`: the moment of this answer.
    `kept`: results that came from attempts that no longer held the grant, kept, not counted.
    `left_out_bytes`: by output, what its last attempt wrote beyond what is kept of one output.
    `wasted`: by cause, most first. `learned`: the bound from earlier runs that it was given."""

    id: str
    plan: str
    name: str
    principal: str
    state: str
    now: Instant
    submitted_at: Instant
    give_up_at: Instant
    seq: int
    run: str | tuple[str, ...]
    needs: tuple[str, ...] = ()
    reads: tuple[str, ...] | None = None
    writes: tuple[str, ...] | None = None
    holds: tuple[str, ...] = ()
    uses: dict[str, int] = field(default_factory=dict)
    labels: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    workdir: str | None = None
    limit_ms: Millis | None = None
    estimate_ms: Millis | None = None
    repeat: str = "never"
    edges: tuple[EdgeInfo, ...] = ()
    promise: Instant | None = None
    reservation: ReservationInfo | None = None
    moved: FindingInfo | None = None
    attempt: AttemptInfo | None = None
    past: tuple[AttemptInfo, ...] = ()
    outcome: OutcomeInfo | None = None
    acknowledged: bool = False
    kept: tuple[EndingInfo, ...] = ()
    left_out_bytes: dict[str, Bytes] = field(default_factory=dict)
    wasted: tuple[WasteInfo, ...] = ()
    learned: EstimateInfo | None = None

    @property
    def ended(self) -> bool:
        """Whether it has its outcome."""
        return self.outcome is not None


class TaskList(Struct, frozen=True):
    """A page of tasks, newest first; `next` goes into `before` for the page after."""

    tasks: tuple[TaskInfo, ...]
    now: Instant
    next: str | None = None


class InboxInfo(Struct, frozen=True):
    """What has ended and was not acknowledged. `more`: the list was cut."""

    principal: str
    tasks: tuple[TaskInfo, ...]
    now: Instant
    more: bool = False


def task_info(
    task: Task, principal: str, now: Instant, left_out: dict[str, Bytes] | None = None
) -> TaskInfo:
    """A task of the view, or of a row, as it is shown."""
    spec = task.spec
    return TaskInfo(
        id=task.id,
        plan=task.plan,
        name=spec.name,
        principal=principal,
        state=task.state.value,
        now=now,
        submitted_at=task.submitted_at,
        give_up_at=task.give_up_at,
        seq=task.seq,
        run=spec.run,
        needs=spec.needs,
        reads=spec.reads,
        writes=spec.writes,
        holds=spec.holds,
        uses=asdict(spec.uses),
        labels=spec.on.labels,
        tools=spec.on.tools,
        outputs=spec.outputs,
        workdir=spec.workdir,
        limit_ms=spec.limit_ms,
        estimate_ms=spec.estimate_ms,
        repeat=spec.repeat.value,
        edges=tuple(edge_info(edge) for edge in task.edges),
        promise=task.promise,
        reservation=reservation_info(task.reservation),
        moved=finding_info(task.moved) if task.moved else None,
        attempt=attempt_info(task.attempt) if task.attempt else None,
        past=tuple(attempt_info(each) for each in task.past),
        outcome=outcome_info(task.outcome) if task.outcome else None,
        acknowledged=task.acknowledged,
        kept=tuple(ending_info(each) for each in task.evidence),
        left_out_bytes=left_out or {},
        wasted=waste_infos(wasted(task)),
        learned=estimate_info(spec.learned),
    )


def waste_infos(parts: tuple[Waste, ...]) -> tuple[WasteInfo, ...]:
    """What was wasted, as it is shown."""
    return tuple(
        WasteInfo(part.code, part.core_ms, part.attempts, ENDED_BY.get(part.code, ""))
        for part in parts
    )


def edge_info(edge: Edge) -> EdgeInfo:
    """An edge as it is shown."""
    return EdgeInfo(before=edge.before, kind=edge.kind.value, over=edge.over)


def reservation_info(rectangle: Reservation | None) -> ReservationInfo | None:
    """A reservation as it is shown."""
    if rectangle is None:
        return None
    return ReservationInfo(rectangle.worker, rectangle.start, rectangle.end, rectangle.reserved_ms)


def attempt_info(attempt: Attempt) -> AttemptInfo:
    """An attempt as it is shown."""
    return AttemptInfo(
        number=attempt.number,
        worker=attempt.worker,
        phase=attempt.phase.value,
        granted_at=attempt.granted_at,
        start_by=attempt.start_by,
        started_at=attempt.started_at,
        stop_at=attempt.stop_at,
        stop_reason=attempt.stop_reason.value if attempt.stop_reason else None,
        stopped_by=attempt.stopped_by,
        ended_at=attempt.ended_at,
        reserved_ms=attempt.reserved_ms,
        late_ms=attempt.late_ms,
        ending=ending_info(attempt.ending) if attempt.ending else None,
        cause=finding_info(attempt.cause) if attempt.cause else None,
        checkpoint=checkpoint_info(attempt),
    )


def ending_info(ending: Ending) -> EndingInfo:
    """An ending as it is shown."""
    plain = asdict(ending)
    plain["kind"] = ending.kind.value
    plain["reason"] = ending.reason.value if ending.reason else None
    return EndingInfo(**{name: plain[name] for name in EndingInfo.__struct_fields__})


def outcome_info(outcome: Outcome) -> OutcomeInfo:
    """An outcome as it is shown."""
    return OutcomeInfo(
        kind=outcome.kind.value,
        cause=finding_info(outcome.cause),
        at=outcome.at,
        attempt=outcome.attempt,
        late_ms=outcome.late_ms,
    )
