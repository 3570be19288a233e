"""What a worker holds: a grant in the worker's own time, and what its journal says of it.

Times named `_boot` are absolute on the worker's clock that counts sleep (milliseconds), valid
within one boot id.
"""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.model.capacity import Uses, Vector, without_cpus
from leaseway.core.model.checkpoint import Checkpoint, Pacing
from leaseway.core.model.lease import Guard
from leaseway.core.model.outcomes import Ending
from leaseway.core.model.plan import Archive
from leaseway.core.model.sync import AttemptRef, Phase
from leaseway.core.model.units import Millis


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
    pacing: Pacing = Pacing()
    shared: bool = False  # its cpus are shared with others, not set aside

    @property
    def taken(self) -> Vector:
        """What is set aside for it here."""
        asked = self.uses.vector()
        return without_cpus(asked) if self.shared else asked

    @property
    def has_view(self) -> bool:
        """Whether it runs in a view of its own, which is made of archives before it may start."""
        return bool(self.layers)


# The journal ------------------------------------------------------------------------------------


class NoteGranted(Struct, frozen=True, tag="granted", omit_defaults=True):
    """This worker holds the grant. `at_boot`: since when, if it has something to receive."""

    grant: LocalGrant
    boot_id: str
    at_boot: Millis = 0


class NoteReceived(Struct, frozen=True, tag="received", omit_defaults=True):
    """Its view is made, after so long."""

    ref: AttemptRef
    received_ms: Millis


class NoteStarted(Struct, frozen=True, tag="started", omit_defaults=True):
    """About to execute. Written under the attempt's lock, before it runs. `mark`: the value of
    LEASEWAY_ATTEMPT in the environment of all its processes."""

    ref: AttemptRef
    boot_id: str
    keeper_pid: int
    keeper_start: int  # start time of the keeper in clock ticks, as in /proc/PID/stat
    started_boot: Millis
    mark: str = ""


class NoteChecked(Struct, frozen=True, tag="checked", omit_defaults=True):
    """Its last checkpoint: noted when the advice changed, and now and then."""

    ref: AttemptRef
    checkpoint: Checkpoint
    at_boot: Millis


class NoteEnded(Struct, frozen=True, tag="ended", omit_defaults=True):
    """It ended so."""

    ref: AttemptRef
    ending: Ending
    boot_id: str
    ended_boot: Millis
    started_boot: Millis | None = None


class NoteCollected(Struct, frozen=True, tag="collected", omit_defaults=True):
    """What it changed in its view stands in archives beside the view; the ending names them."""

    ref: AttemptRef
    ending: Ending


class NoteDelivered(Struct, frozen=True, tag="delivered", omit_defaults=True):
    """The coordinator has those archives, or has declined them for good: this is the ending that
    is reported."""

    ref: AttemptRef
    ending: Ending


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


Note = (
    NoteGranted
    | NoteReceived
    | NoteStarted
    | NoteChecked
    | NoteEnded
    | NoteCollected
    | NoteDelivered
    | NoteReturned
    | NoteSettled
    | NoteLedger
)


class Adopted(Struct, frozen=True):
    """What a daemon finds in its journal at start: `phase` as last noted. `ended` is what is to be
    reported: None for what has ended and is not delivered. `received_ms` None: nothing was
    received yet."""

    grant: LocalGrant
    phase: Phase
    boot_id: str
    started_boot: Millis | None = None
    ended: NoteEnded | None = None
    received_ms: Millis | None = None
    checked: NoteChecked | None = None
