"""What happened, in the past tense. Events are the truth; everything else is folded from them.

Each kind has a schema number in `SCHEMAS`; an older one is lifted by `ledger.upcasters`. Two kinds
are *marks* (`Heard`, `Judged`): folded into presence, never stored, no facts worth keeping.
"""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model import checkpoint_events, lease_events, marks
from leaseway.core.model.approvals import ApprovalAsked, ApprovalDenied, ApprovalGiven
from leaseway.core.model.basis import Basis
from leaseway.core.model.capacity import Uses, Vector, without_cpus
from leaseway.core.model.declined import PlacesDecided, PlanDeclined
from leaseway.core.model.findings import Finding
from leaseway.core.model.outcomes import Ending, Freed, Outcome, StopReason
from leaseway.core.model.plan import Boundaries, Edge, TaskSpec, Workspace
from leaseway.core.model.policy import PolicyChanged
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant, Millis


class Reservation(Struct, frozen=True, omit_defaults=True, gc=False):
    """Time and capacity set aside on a worker: [start, end). `reserved_ms` is the task's own part;
    the rest is delivery of the grant, stop grace and kill. `work`: no cpus are set aside, but so
    much is promised of those that it shares, in thousandths of a cpu × ms."""

    worker: str
    start: Instant
    end: Instant
    reserved_ms: Millis
    work: int = 0

    @property
    def hold_ms(self) -> Millis:
        """Length of the rectangle."""
        return self.end - self.start


def set_aside(uses: Uses, rectangle: Reservation) -> Vector:
    """What this rectangle sets aside: all that the task uses, but for cpus that it shares."""
    return without_cpus(uses.vector()) if rectangle.work else uses.vector()


class LedgerOpened(Struct, frozen=True, tag=True):
    """A ledger began."""

    ledger_id: str


class LedgerForked(Struct, frozen=True, tag=True):
    """This ledger is an older copy: workers have seen a higher position. It takes a new id."""

    ledger_id: str
    old_id: str
    seen: int
    worker: str


class PlanSubmitted(Struct, frozen=True, tag=True, omit_defaults=True):
    """A plan was accepted; its tasks follow in the same batch."""

    plan: str
    name: str
    principal: str
    role: str
    tasks: tuple[str, ...]
    key: str = ""
    digest: str = ""
    boundaries: Boundaries = Boundaries()
    workdir: str | None = None
    findings: tuple[Finding, ...] = ()
    workspace: Workspace | None = None
    basis: Basis | None = None
    policy_version: int = 0  # of the policy that it was decided under
    approval: str = ""  # the person's yes that it needed


class TaskSubmitted(Struct, frozen=True, tag=True, omit_defaults=True):
    """A task was accepted. `seq` is its place in the order of promises."""

    task: str
    plan: str
    spec: TaskSpec
    seq: int
    give_up_at: Instant
    edges: tuple[Edge, ...] = ()


class TaskReserved(Struct, frozen=True, tag=True, omit_defaults=True):
    """Room was set aside. `promise` is told at acceptance and never moves later."""

    task: str
    reservation: Reservation
    promise: Instant
    cause: Finding | None = None  # why it moved (LW307); absent at acceptance
    conflicts: tuple[Edge, ...] = ()  # tasks of other plans that must end first, at this place


class PromiseWithdrawn(Struct, frozen=True, tag=True, omit_defaults=True):
    """A promise can no longer be kept, and when that became known. `new` None: no room yet."""

    task: str
    cause: Finding
    old: Instant
    new: Instant | None = None
    reservation: Reservation | None = None
    conflicts: tuple[Edge, ...] = ()


class AttemptGranted(Struct, frozen=True, tag=True, omit_defaults=True):
    """The right to one run; durable before it is sent. `seq`: sync it answers."""

    task: str
    number: int
    worker: str
    incarnation: int
    reservation: Reservation
    start_by: Instant
    order: int
    spool_id: str = ""
    seq: int = 0
    ahead: bool = False


class AttemptMoved(Struct, frozen=True, tag=True, omit_defaults=True):
    """An attempt changed phase; `stop_at` is set when it starts."""

    task: str
    number: int
    phase: Phase
    started_at: Instant | None = None
    stop_at: Instant | None = None
    reservation: Reservation | None = None  # the rectangle as it lies since the start


class StopTimeMoved(Struct, frozen=True, tag=True, omit_defaults=True):
    """The stop time grew because there was room, or shrank because the lease did (`cause`)."""

    task: str
    number: int
    stop_at: Instant
    reservation: Reservation
    cause: Finding | None = None


class StopOrdered(Struct, frozen=True, tag=True, omit_defaults=True):
    """An attempt is to be stopped; TERM goes out with the worker's next sync."""

    task: str
    number: int
    reason: StopReason
    actor: str = ""


class AttemptReturned(Struct, frozen=True, tag=True, omit_defaults=True):
    """Never started: the task waits again. `again_at`: handed back, no sooner there again."""

    task: str
    number: int
    cause: Finding | None = None
    again_at: Instant = 0


class AttemptEnded(Struct, frozen=True, tag=True, omit_defaults=True):
    """An attempt ended, heard `late_ms` too late. `until`: till then it may run and holds all."""

    task: str
    number: int
    worker: str
    ending: Ending
    ended_at: Instant
    late_ms: Millis = 0
    cause: Finding | None = None
    until: Instant = 0


class RoomFreed(Struct, frozen=True, tag=True, omit_defaults=True):
    """What an unconfirmed attempt held is free: it is over, or can no longer run."""

    task: str
    number: int
    worker: str
    why: Freed


class TaskEnded(Struct, frozen=True, tag=True, omit_defaults=True):
    """The one outcome of a task."""

    task: str
    outcome: Outcome


class TaskRetried(Struct, frozen=True, tag=True, omit_defaults=True):
    """A safe repeat: the task waits again after an attempt that ended."""

    task: str
    cause: Finding


class ResultKept(Struct, frozen=True, tag=True, omit_defaults=True):
    """A result of an attempt that no longer held the grant: kept, not counted (LW708)."""

    task: str
    number: int
    worker: str
    ending: Ending
    cause: Finding


class TasksAcknowledged(Struct, frozen=True, tag=True, omit_defaults=True):
    """The principal has seen these outcomes."""

    tasks: tuple[str, ...]
    principal: str


class TasksForgotten(Struct, frozen=True, tag=True, omit_defaults=True):
    """These tasks leave the view: ended, seen, settled, needed by nobody. Their rows stay."""

    tasks: tuple[str, ...]


WorkerRegistered = lease_events.WorkerRegistered
LeaseChanged = lease_events.LeaseChanged
LeaseMoved = lease_events.LeaseMoved
LedgerAccepted = lease_events.LedgerAccepted
WorkerSlept = lease_events.WorkerSlept
CheckpointTold = checkpoint_events.CheckpointTold

Fact = (
    LedgerOpened
    | LedgerForked
    | WorkerRegistered
    | LeaseChanged
    | LeaseMoved
    | LedgerAccepted
    | PlanSubmitted
    | PlanDeclined
    | PlacesDecided
    | TaskSubmitted
    | TaskReserved
    | PromiseWithdrawn
    | AttemptGranted
    | AttemptMoved
    | StopTimeMoved
    | CheckpointTold
    | StopOrdered
    | AttemptReturned
    | AttemptEnded
    | RoomFreed
    | TaskEnded
    | TaskRetried
    | ResultKept
    | TasksAcknowledged
    | TasksForgotten
    | WorkerSlept
    | PolicyChanged
    | ApprovalAsked
    | ApprovalGiven
    | ApprovalDenied
)
Heard = marks.Heard
Judged = marks.Judged
Mark = Heard | Judged
Event = Fact | Mark

SCHEMAS: dict[str, int] = {kind.__name__: 1 for kind in Fact.__args__}
"""Schema number of each stored event, by its tag."""


class Stamped(Struct, frozen=True, gc=False):
    """An event and the ledger time at which it happened."""

    at: Instant
    event: Event
