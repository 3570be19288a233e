"""The worker's side: what its agent is told, what it asks for, and what its journal keeps.

Times named `_boot` are absolute on the worker's clock that counts sleep (milliseconds), valid
within one boot id.
"""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.model.capacity import Capacity, Uses, Vector
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Guard
from leaseway.core.model.outcomes import Ending, StopReason
from leaseway.core.model.plan import Archive
from leaseway.core.model.sync import AttemptRef, Phase, RegisterReply, SyncReply
from leaseway.core.model.units import Millis


class WorkerNow(Struct, frozen=True):
    """Both clocks of a worker: `boot_ms` counts sleep, `awake_ms` does not."""

    boot_ms: Millis
    awake_ms: Millis


class LocalGrant(Struct, frozen=True, omit_defaults=True):
    """A grant in the worker's own time. The keeper sends TERM at
    min(start + reserved, stop_latest_boot), or when `reserved_ms` of awake run time are used."""

    ref: AttemptRef
    run: str | tuple[str, ...]
    reserved_ms: Millis
    not_before_boot: Millis
    start_by_boot: Millis
    stop_latest_boot: Millis
    uses: Uses = Uses()
    guard: Guard = Guard()
    workdir: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    cut_off_ms: Millis | None = None
    order: int = 0
    layers: tuple[Archive, ...] = ()
    brings: tuple[str, ...] = ()


# Told to the agent ------------------------------------------------------------------------------


class Registered(Struct, frozen=True, tag=True):
    """The coordinator took the worker in. `sent_boot`: when the answered request was sent."""

    reply: RegisterReply
    sent_boot: Millis


class SyncReplied(Struct, frozen=True, tag=True):
    """An answer came. `sent_boot` belongs to the try that was answered."""

    reply: SyncReply
    sent_boot: Millis


class SyncFailed(Struct, frozen=True, tag=True):
    """No answer, or a refusal. `fenced`: a newer incarnation took this worker's name (LW801)."""

    reason: str
    fenced: bool = False


class Started(Struct, frozen=True, tag=True):
    """A keeper noted the start and executed."""

    ref: AttemptRef
    started_boot: Millis


class Stopping(Struct, frozen=True, tag=True):
    """A keeper sent TERM by itself or as told."""

    ref: AttemptRef


class Finished(Struct, frozen=True, tag=True):
    """An ending stands in the journal, synced to disk. Small outputs come with it."""

    ref: AttemptRef
    ending: Ending
    started_boot: Millis | None
    ended_boot: Millis
    stdout: bytes = b""
    stderr: bytes = b""


class Returned(Struct, frozen=True, tag=True):
    """The spawner will not start it any more (past start-by, taken back): never started."""

    ref: AttemptRef


class Uploaded(Struct, frozen=True, tag=True):
    """All output of this attempt has reached the coordinator."""

    ref: AttemptRef


class Woke(Struct, frozen=True, tag=True):
    """The machine slept for this long."""

    slept_ms: Millis


class Ticked(Struct, frozen=True, tag=True):
    """Time passed."""


class Leave(Struct, frozen=True, tag=True):
    """The owner stops the daemon: start nothing more; `now`: also stop what runs."""

    now: bool = False


AgentEvent = (
    Registered
    | SyncReplied
    | SyncFailed
    | Started
    | Stopping
    | Finished
    | Returned
    | Uploaded
    | Woke
    | Ticked
    | Leave
)


# Asked by the agent -----------------------------------------------------------------------------


class SpoolGrants(Struct, frozen=True, tag=True):
    """Write these grants to the journal and sync it; only then queue them at the spawner."""

    grants: tuple[LocalGrant, ...]


class StopAttempt(Struct, frozen=True, tag=True):
    """Stop it if it runs (TERM, grace, KILL), hand it back if it has not started."""

    ref: AttemptRef
    reason: StopReason


class MoveStop(Struct, frozen=True, tag=True):
    """The stop time of a running attempt is now this; `reserved_ms` grows with it."""

    ref: AttemptRef
    stop_boot: Millis
    reason: StopReason


class Settle(Struct, frozen=True, tag=True):
    """The coordinator has this ending: note it, and delete what the spool keeps of it."""

    refs: tuple[AttemptRef, ...]


class SetCapacity(Struct, frozen=True, tag=True):
    """The lease's capacity as it now stands, for the spawner's queue."""

    capacity: Capacity


class KeepLedger(Struct, frozen=True, tag=True):
    """Remember in the spool which ledger this is and how far it was seen."""

    ledger_id: str
    seen: int


class CallSync(Struct, frozen=True, tag=True):
    """Call again after this long at the latest; 0: at once (let a parked call go)."""

    within_ms: Millis


class Quit(Struct, frozen=True, tag=True):
    """Nothing more to do for this daemon."""

    reason: str


class Tell(Struct, frozen=True, tag=True):
    """Show this to the owner."""

    finding: Finding


Instruction = (
    SpoolGrants
    | StopAttempt
    | MoveStop
    | Settle
    | SetCapacity
    | KeepLedger
    | CallSync
    | Quit
    | Tell
)


# The spawner's queue ----------------------------------------------------------------------------


class Book(Struct, frozen=True):
    """What may be started here: capacity, what already runs, and the queue in promise order."""

    capacity: Vector
    running: tuple[tuple[AttemptRef, Vector], ...]
    queue: tuple[LocalGrant, ...]
    accepting: bool = True  # False: the daemon is gone or told to start nothing


class Verdict(Struct, frozen=True):
    """What `may_start` says: start these, hand these back, look again after `again_ms`."""

    start: tuple[AttemptRef, ...] = ()
    back: tuple[AttemptRef, ...] = ()
    again_ms: Millis | None = None


# The journal ------------------------------------------------------------------------------------


class NoteGranted(Struct, frozen=True, tag="granted", omit_defaults=True):
    """This worker holds the grant."""

    grant: LocalGrant
    boot_id: str


class NoteStarted(Struct, frozen=True, tag="started", omit_defaults=True):
    """About to execute. Written under the attempt's lock, before it runs. `mark`: the value of
    LEASEWAY_ATTEMPT in the environment of all its processes."""

    ref: AttemptRef
    boot_id: str
    keeper_pid: int
    keeper_start: int  # start time of the keeper in clock ticks, as in /proc/PID/stat
    started_boot: Millis
    mark: str = ""


class NoteEnded(Struct, frozen=True, tag="ended", omit_defaults=True):
    """It ended so."""

    ref: AttemptRef
    ending: Ending
    boot_id: str
    ended_boot: Millis
    started_boot: Millis | None = None


class NoteReturned(Struct, frozen=True, tag="returned", omit_defaults=True):
    """It never started here and never will."""

    ref: AttemptRef


class NoteSettled(Struct, frozen=True, tag="settled", omit_defaults=True):
    """The coordinator has it."""

    refs: tuple[AttemptRef, ...]


class NoteLedger(Struct, frozen=True, tag="ledger", omit_defaults=True):
    """Which ledger this worker follows."""

    ledger_id: str
    seen: int


Note = NoteGranted | NoteStarted | NoteEnded | NoteReturned | NoteSettled | NoteLedger


class Adopted(Struct, frozen=True):
    """What a daemon finds in its journal at start: `phase` as last noted."""

    grant: LocalGrant
    phase: Phase
    boot_id: str
    started_boot: Millis | None = None
    ended: NoteEnded | None = None
