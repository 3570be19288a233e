"""The view: what is so now, folded from events. Written by `core.evolve` and nobody else.

Three parts: `facts` (canonical, equal byte for byte after a replay), `index` (derived from facts,
rebuilt after loading a snapshot), `presence` (who was heard when; not facts, blank after a start).
"""

from __future__ import annotations

from msgspec import Struct, field
from sortedcontainers import SortedList

from leaseway.core.model import settings
from leaseway.core.model.capacity import Vector, without_cpus
from leaseway.core.model.checkpoint import Checkpoint
from leaseway.core.model.checkpoint_events import LastTold
from leaseway.core.model.declined import LastDeclined
from leaseway.core.model.estimate import Runs
from leaseway.core.model.events import Reservation
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms, TermsOffer
from leaseway.core.model.outcomes import Ending, Outcome, StopReason, Waste
from leaseway.core.model.plan import Boundaries, Edge, TaskSpec, Workspace
from leaseway.core.model.policy import PoolRules
from leaseway.core.model.profile import Profile
from leaseway.core.model.record import Record
from leaseway.core.model.spans import Span
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import AttemptRef, Phase
from leaseway.core.model.touching import Touching
from leaseway.core.model.units import Instant, Millis

Order = SortedList[tuple[Instant, int, str]]
"""Tasks by start of their rectangle, then by order of promises."""


class Attempt(Struct, omit_defaults=True):
    """One run of a task, as the coordinator knows it."""

    number: int
    worker: str
    incarnation: int
    phase: Phase
    granted_at: Instant
    start_by: Instant
    order: int
    machine: str = ""  # where its worker ran when it was granted
    spool_id: str = ""
    seq: int = 0
    started_at: Instant | None = None
    stop_at: Instant | None = None
    stop_reason: StopReason | None = None  # ordered, TERM under way
    ended_at: Instant | None = None
    ending: Ending | None = None
    cause: Finding | None = None
    reserved_ms: Millis = 0
    stopped_by: str = ""
    stop_moved: bool = False  # the worker must be told the stop time as it now stands
    until: Instant = 0  # where it was moved: the latest it ever was, which the worker may believe
    late_ms: Millis = 0
    shared: bool = False  # its cpus are shared with others, not set aside
    checkpoint: Checkpoint | None = None  # the last whose advice was another than before
    checked_at: Instant = 0

    @property
    def contended(self) -> bool:
        """Whether it was told already that it gets less than it was promised (LW602)."""
        return self.cause is not None and self.cause.variant == "contention"


class HandedBack(Struct, frozen=True):
    """How often in a row a worker handed a task back, and when it may be granted it again."""

    count: int
    again_at: Instant


class Task(Struct, omit_defaults=True):
    """One task of an accepted plan."""

    id: str
    plan: str
    spec: TaskSpec
    seq: int
    submitted_at: Instant
    give_up_at: Instant
    edges: tuple[Edge, ...] = ()
    placed: int = 0  # ledger position at which it got its place: the order of conflicts
    newer: bool = False  # it moved, and what stands behind it kept an older place
    state: TaskState = TaskState.WAITING
    reservation: Reservation | None = None
    promise: Instant | None = None
    attempt: Attempt | None = None  # the current one, None while waiting
    past: tuple[Attempt, ...] = ()
    numbers: int = 0  # attempts granted so far
    outcome: Outcome | None = None
    acknowledged: bool = False
    moved: Finding | None = None  # why the reservation last moved, or the promise was withdrawn
    evidence: tuple[Ending, ...] = ()  # results kept, not counted (LW708)
    kept_numbers: tuple[int, ...] = ()  # attempts they came from
    handed_back: dict[str, HandedBack] = field(default_factory=dict)  # by worker, in a row
    unconfirmed_until: Instant | None = None  # ended; its last attempt may still run until then

    def again_at(self, worker: str) -> Instant:
        """When this worker may be granted it: later than now only after it handed it back."""
        back = self.handed_back.get(worker)
        return 0 if back is None else back.again_at

    @property
    def unconfirmed(self) -> Attempt | None:
        """The attempt that outlived this task's outcome, while it may still run."""
        return None if self.unconfirmed_until is None else self.past[-1]

    @property
    def holder(self) -> Attempt | None:
        """The attempt for which room and tokens are taken, whether or not it still counts."""
        return self.attempt or self.unconfirmed

    @property
    def held(self) -> Vector:
        """What its attempt takes, the current or the last one: not the cpus that it shares."""
        asked = self.spec.uses.vector()
        return without_cpus(asked) if (self.attempt or self.past[-1]).shared else asked

    @property
    def over(self) -> bool:
        """Ended, and nothing of it may still run: it stands in nobody's way."""
        return self.state is TaskState.ENDED and self.unconfirmed_until is None

    @property
    def free_at(self) -> Instant | None:
        """When what it holds will be free at the latest; None: it has no place."""
        if self.reservation is None:
            return None
        return max(self.reservation.end, self.unconfirmed_until or 0)


class Plan(Struct, omit_defaults=True):
    """One accepted plan."""

    id: str
    name: str
    principal: str
    role: str
    tasks: tuple[str, ...]
    submitted_at: Instant
    key: str = ""
    digest: str = ""
    boundaries: Boundaries = Boundaries()
    workdir: str | None = None
    workspace: Workspace | None = None
    findings: tuple[Finding, ...] = ()
    open_tasks: int = 0
    ended_at: Instant | None = None
    forgotten: int = 0  # tasks that have left the view
    wasted: tuple[Waste, ...] = ()  # by its tasks, by cause (`core.waste`)
    policy_version: int = 0
    approval: str = ""  # the person's yes that it needed


class Lease(Struct, omit_defaults=True):
    """One worker's lease."""

    worker: str
    machine_id: str
    incarnation: int
    spool_id: str
    boot_id: str
    version: int
    terms: Terms
    state: LeaseState = LeaseState.ACTIVE
    moved_by: str = ""
    reason: str = ""
    cause: Finding | None = None
    software: str = ""
    ledger_accepted: bool = True
    registered_at: Instant = 0
    offer: TermsOffer = TermsOffer()
    slept_ms: Millis = 0
    handed_back: int = 0  # grants in a row, each made after the last came back; none started
    handed_back_at: Instant = 0
    spans: tuple[Span, ...] = ()  # of attempts, while its cpus are shared
    cpus_were: tuple[tuple[Instant, int], ...] = ()  # so many thousandths of them until then
    set_terms: tuple[str, ...] = ()  # the fields of the terms that are as a command set them,
    set_at: Instant = 0  # and when it last did


class Overrun(Struct, frozen=True):
    """The last time that a command overran: what it had reserved, and how long it ran."""

    task: str
    reserved_ms: Millis
    ran_ms: Millis


class Facts(Struct):
    """Everything that replay must reproduce byte for byte."""

    ledger_id: str = ""
    old_ledger_ids: tuple[str, ...] = ()
    position: int = 0
    last_at: Instant = 0
    next_seq: int = 1
    next_plan: int = 1
    next_declined: int = 1
    leases: dict[str, Lease] = field(default_factory=dict)
    plans: dict[str, Plan] = field(default_factory=dict)
    tasks: dict[str, Task] = field(default_factory=dict)
    keys: dict[str, str] = field(default_factory=dict)  # "principal\nkey" → plan id
    overran: dict[str, Overrun] = field(default_factory=dict)  # command and workdir → last overrun
    histories: dict[str, Runs] = field(default_factory=dict)  # see `core.estimates.keys`
    record: Record = field(default_factory=Record)  # what became of promises
    declined: dict[str, LastDeclined] = field(default_factory=dict)  # by principal, the last
    rules: PoolRules = field(default_factory=PoolRules)  # what people decided for the pool


class Index:
    """Derived from facts; `core.index` keeps it in step, `core.rebuilding` makes it anew."""

    def __init__(self) -> None:
        self.profiles: dict[str, Profile] = {}  # worker → reserved capacity over time
        self.token_profiles: dict[str, Profile] = {}  # token → reserved over time (of one)
        self.lanes: dict[str, Profile] = {}  # plan with max_parallel → its reserved, over time
        self.outstanding: dict[str, Order] = {}  # worker → (start, seq, task) reserved
        self.sharing: dict[str, dict[str, None]] = {}  # worker → tasks that share its cpus
        self.ahead_ms: dict[tuple[str, str], Millis] = {}  # worker, role → time reserved ahead
        self.touching = Touching()  # what tasks with a place touch, machine by machine
        self.followers: dict[str, list[str]] = {}  # task → tasks that wait for it
        self.pending: dict[str, int] = {}  # waiting task → predecessors not over
        self.doomed: dict[str, str] = {}  # waiting task → predecessor that ended badly
        self.ready: dict[str, Order] = {}  # worker → (start, seq, task) may be granted
        self.unplaced: SortedList[tuple[int, str]] = (
            SortedList()
        )  # (seq, task) ready, without reservation
        self.attempts: dict[str, dict[str, None]] = {}  # worker → tasks granted or running there
        self.unconfirmed: dict[str, dict[str, None]] = {}  # worker → ended, may still run there
        self.used: dict[str, Vector] = {}  # worker → capacity taken by attempts
        self.tokens: dict[str, str] = {}  # token → task that holds it
        self.active_of_plan: dict[str, int] = {}  # plan → attempts granted or running
        self.give_ups: SortedList[tuple[Instant, str]] = (
            SortedList()
        )  # (give-up time, task) of waiting tasks
        self.inbox: dict[str, dict[str, None]] = {}  # principal → ended, not acknowledged
        self.seen: dict[str, None] = {}  # ended and acknowledged, not yet forgotten
        self.kept: dict[tuple[str, int], None] = {}  # attempts whose late result is kept
        self.touched: dict[tuple[str, str], None] = {}  # ("task", id) … whose rows must be written


class Anchor(Struct, frozen=True):
    """A worker's clock beside the coordinator's, to compare rates."""

    at: Instant
    boot_ms: Millis


class Heardness(Struct):
    """When a worker was last heard and what it said it holds."""

    at: Instant
    seq: int
    reported: frozenset[AttemptRef] = frozenset()
    anchor: Anchor | None = None
    boot_ms: Millis = 0
    offset_ms: int = 0
    meter: dict[str, int] = field(default_factory=dict)
    leaving: bool = False  # it said that its daemon ends
    checkpoints: dict[AttemptRef, LastTold] = field(default_factory=dict)


class Presence(Struct):
    """Who was heard when; starts blank."""

    heard: dict[str, Heardness] = field(default_factory=dict)
    resumed_at: Instant = 0
    looked_at: Instant = 0


Settings = settings.Settings


class View:
    """Facts, index, presence and settings in one hand."""

    __slots__ = ("facts", "index", "presence", "settings")

    def __init__(self, settings: Settings | None = None) -> None:
        self.facts = Facts()
        self.index = Index()
        self.presence = Presence()
        self.settings = settings or Settings()
