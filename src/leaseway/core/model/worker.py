"""The worker's side: what its agent is told and what it asks for; what it holds is in `held`.

Times named `_boot` are absolute on the worker's clock that counts sleep (milliseconds), valid
within one boot id.
"""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.capacity import Capacity, Vector
from leaseway.core.model.findings import Finding
from leaseway.core.model.held import (
    Adopted,
    LocalGrant,
    Note,
    NoteChecked,
    NoteCollected,
    NoteDelivered,
    NoteEnded,
    NoteGranted,
    NoteLedger,
    NoteReceived,
    NoteReturned,
    NoteSettled,
    NoteStarted,
)
from leaseway.core.model.outcomes import Ending, StopReason
from leaseway.core.model.sync import AttemptRef, RegisterReply, SyncReply
from leaseway.core.model.units import Millis

__all__ = [  # what stands in `held` is found here as well
    "Adopted",
    "LocalGrant",
    "Note",
    "NoteChecked",
    "NoteCollected",
    "NoteDelivered",
    "NoteEnded",
    "NoteGranted",
    "NoteLedger",
    "NoteReceived",
    "NoteReturned",
    "NoteSettled",
    "NoteStarted",
]


class WorkerNow(Struct, frozen=True):
    """Both clocks of a worker: `boot_ms` counts sleep, `awake_ms` does not."""

    boot_ms: Millis
    awake_ms: Millis


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


class Received(Struct, frozen=True, tag=True):
    """The view of this grant is made, after so long. It may start."""

    ref: AttemptRef
    received_ms: Millis


class Over(Struct, frozen=True, tag=True):
    """Nothing of it runs any more; its ending follows when what it changed is on its way."""

    ref: AttemptRef
    started_boot: Millis | None


class Kept(Struct, frozen=True, tag=True):
    """The view of this attempt outlives its settling; until the coordinator says `forget`."""

    ref: AttemptRef


class Dropped(Struct, frozen=True, tag=True):
    """A kept view is gone, because room was needed."""

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
    | Received
    | Over
    | NoteChecked
    | Kept
    | Dropped
    | Uploaded
    | Woke
    | Ticked
    | Leave
)


# Asked by the agent -----------------------------------------------------------------------------


class SpoolGrants(Struct, frozen=True, tag=True):
    """Write these grants to the journal and sync it; only then queue them at the spawner."""

    grants: tuple[LocalGrant, ...]


class Receive(Struct, frozen=True, tag=True):
    """Fetch the archives of these and make their views. They are queued meanwhile, so that nobody
    takes their room, and may not start before `Ready`."""

    grants: tuple[LocalGrant, ...]


class Ready(Struct, frozen=True, tag=True):
    """It has what it needs: it may start when it is its turn."""

    ref: AttemptRef


class Collect(Struct, frozen=True, tag=True):
    """Find out what it changed in its view, and bring that to the coordinator; then `Finished`."""

    ref: AttemptRef


class Forget(Struct, frozen=True, tag=True):
    """Delete these views: nobody will ask for them any more."""

    refs: tuple[AttemptRef, ...]


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
    | Receive
    | Ready
    | Collect
    | Forget
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
    """What may be started here: capacity, what already runs, and the queue in promise order.
    `receiving`: those in the queue whose files are still on their way."""

    capacity: Vector
    running: tuple[tuple[AttemptRef, Vector], ...]
    queue: tuple[LocalGrant, ...]
    accepting: bool = True  # False: the daemon is gone or told to start nothing
    receiving: frozenset[AttemptRef] = frozenset()


class Verdict(Struct, frozen=True):
    """What `may_start` says: start these, hand these back, look again after `again_ms`."""

    start: tuple[AttemptRef, ...] = ()
    back: tuple[AttemptRef, ...] = ()
    again_ms: Millis | None = None
