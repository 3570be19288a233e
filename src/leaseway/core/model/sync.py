"""The one verb between worker and coordinator: what a sync says and what it answers.

All times are lengths. In a request they are measured when it is sent; in a reply they are what
remained when the request *arrived*, and the worker counts them from the moment it sent it.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from leaseway.core.model.capacity import Uses
from leaseway.core.model.checkpoint import Checkpoint, Pacing
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Guard, Terms, TermsOffer, WindowOffer
from leaseway.core.model.outcomes import Ending, StopReason
from leaseway.core.model.plan import Archive
from leaseway.core.model.units import Millis

SPEAKS = 1
"""Version of this contract. Raised when a message means something else than before, or must be
answered with what an older side does not know; a field that may be passed over is no reason."""

OLDER = 1
"""A coordinator understands workers that are so many versions older than itself."""

UNSAID = 1
"""What who does not say it speaks. Never changed: defaults are not sent, so a default that changed
would be read as what nobody said. That holds for every default in this file."""


class Phase(StrEnum):
    """Where an attempt is; the table of moves is in `model.states`."""

    GRANTED = "granted"
    STARTING = "starting"
    RUNNING = "running"
    SUSPENDED = "suspended"
    STOPPING = "stopping"
    ENDED = "ended"


class AttemptRef(Struct, frozen=True, order=True):
    """One run of one task: the task's id and the attempt number that fences it."""

    task: str
    number: int

    def __str__(self) -> str:
        return f"{self.task}#{self.number}"


class Held(Struct, frozen=True, omit_defaults=True):
    """An attempt that the worker holds. `started_ago_ms` None: not started; `stop_in_ms` None: its
    stop time was never moved, as far as this daemon knows."""

    ref: AttemptRef
    phase: Phase
    started_ago_ms: Millis | None = None
    ran_ms: Millis = 0
    stop_in_ms: Millis | None = None
    receiving: bool = False  # not started because its files are still on their way
    checkpoint: Checkpoint | None = None
    checked_ago_ms: Millis = 0


class EndingReport(Struct, frozen=True, omit_defaults=True):
    """An ending that is not settled yet. Small outputs travel with it; larger ones by /v1/logs."""

    ref: AttemptRef
    ending: Ending
    started_ago_ms: Millis | None = None
    ended_ago_ms: Millis = 0
    stdout: bytes = b""
    stderr: bytes = b""


class SyncRequest(Struct, frozen=True, omit_defaults=True):
    """What a worker holds and what ended. `back`: grants handed back unstarted."""

    worker: str
    incarnation: int
    seq: int
    spool_id: str
    boot_id: str
    speaks: int = UNSAID
    ledger_id: str = ""
    ledger_seen: int = 0
    terms_version: int = 0
    held: tuple[Held, ...] = ()
    endings: tuple[EndingReport, ...] = ()
    back: tuple[AttemptRef, ...] = ()
    boot_ms: Millis = 0
    slept_ms: Millis = 0  # asleep since the last answered sync
    offset_ms: int = 0  # wall clock of the worker less that of the coordinator, if known
    hold_ms: Millis = 0  # how long the worker is ready to wait
    meter: dict[str, int] = field(default_factory=dict)
    windows: tuple[WindowOffer, ...] = ()  # recurring ones reckoned anew; empty: nothing is new
    kept: tuple[AttemptRef, ...] = ()  # settled attempts whose views are still here, some at a time
    leaving: bool = False  # its daemon is about to end: it starts nothing more


class Grant(Struct, frozen=True, omit_defaults=True):
    """The right to one run. The attempt stops at min(start + reserved, stop_latest)."""

    ref: AttemptRef
    run: str | tuple[str, ...]
    reserved_ms: Millis
    not_before_in_ms: Millis
    start_by_in_ms: Millis
    stop_latest_in_ms: Millis  # window end less guard, as seen now
    uses: Uses = Uses()
    guard: Guard = Guard()
    workdir: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    cut_off_ms: Millis | None = None
    order: int = 0  # place in the worker's promise book
    layers: tuple[Archive, ...] = ()  # its view: each laid over those before; none: runs in place
    brings: tuple[str, ...] = ()  # of what it changes there, this is declared
    pacing: Pacing = Pacing()
    shared: bool = False  # its cpus are shared with others, not set aside


class Stop(Struct, frozen=True, omit_defaults=True):
    """End this attempt (or hand it back if it has not started)."""

    ref: AttemptRef
    reason: StopReason


class StopTime(Struct, frozen=True, omit_defaults=True):
    """The stop time of a running attempt as it now stands; never earlier than before except when
    a lease shrank (`shrinks`)."""

    ref: AttemptRef
    stop_in_ms: Millis
    reason: StopReason = StopReason.RESERVED
    shrinks: bool = False


class SyncReply(Struct, frozen=True, omit_defaults=True):
    """What to start, what to stop, what is settled, when to call again."""

    for_seq: int
    ledger_id: str = ""
    head: int = 0
    start: tuple[Grant, ...] = ()
    stop: tuple[Stop, ...] = ()
    stop_times: tuple[StopTime, ...] = ()
    settled: tuple[AttemptRef, ...] = ()
    state: str = "active"
    terms: Terms | None = None
    terms_version: int = 0
    ledger_accepted: bool = False  # the owner has looked at a ledger id that changed
    call_by_ms: Millis = 10_000
    findings: tuple[Finding, ...] = ()
    superseded: bool = False  # answered because a newer seq came: nothing in it counts
    forget: tuple[AttemptRef, ...] = ()  # of those kept, nobody will ask for these any more


class RegisterRequest(Struct, frozen=True, omit_defaults=True):
    """A worker daemon announces itself. `name` is what the owner calls the machine."""

    name: str
    machine_id: str
    spool_id: str
    boot_id: str
    offer: TermsOffer
    speaks: int = UNSAID
    version: str = ""
    ledger_id: str = ""  # which ledger the spool follows; empty: none yet
    offered_ago_ms: Millis = 0  # the offer's windows count from so long before this was sent


class RegisterReply(Struct, frozen=True, omit_defaults=True):
    """The incarnation that fences older daemons of this name, and the terms as understood."""

    incarnation: int
    ledger_id: str
    head: int
    lease_version: int
    terms: Terms
    patience_ms: Millis
    remaining_ms: Millis | None = None  # left of the current window
    findings: tuple[Finding, ...] = ()
