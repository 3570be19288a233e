"""What this worker offers as time passes: windows that come again are reckoned on, and a lease file
that its owner changed is read again.
"""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from leaseway.core.model.lease import TermsOffer, WindowOffer
from leaseway.core.model.units import Millis
from leaseway.runtime import Clock
from leaseway.worker.options import Tell, WorkerOptions

SET_MS: Millis = 2_000
"""A wall clock that moved by more than this against the clock that counts sleep was set."""

Seen = tuple[int, int, int]


class OwnTerms:
    """The offer of one worker. `offer` counts from `_born_boot`, unless its windows recur."""

    def __init__(self, options: WorkerOptions, clock: Clock, tell: Tell) -> None:
        self.offer = options.offer
        self._recurring = options.recurring
        self._file, self._read_again = options.lease_file, options.read_again
        self._clock = clock
        self._tell = tell
        self._born_boot = clock.boot_ms()
        self._known_from: Millis = 0  # what the coordinator knows: reckoned then (boot clock),
        self._known_until: Millis = 0  # and reaching until then
        self._wall_less_boot: Millis = 0  # as it was then
        self._seen = _look(self._file)
        self._settling = self._seen

    def offering(self) -> tuple[TermsOffer, Millis]:
        """The offer for registering, and for how long it has counted."""
        boot = self._clock.boot_ms()
        if self._recurring is None:
            return self.offer, boot - self._born_boot
        return replace(self.offer, windows=self._reckoned()), 0

    def news(self) -> tuple[WindowOffer, ...]:
        """Windows that the coordinator should hear of: less than half of what it knew is left, or
        the wall clock was set. Empty: nothing is new."""
        if self._recurring is None:
            return ()
        boot = self._clock.boot_ms()
        half = (self._known_until - self._known_from) // 2
        moved = abs(self._clock.wall_ms() - boot - self._wall_less_boot)
        if self._known_until - boot > half and moved <= SET_MS:
            return ()
        return self._reckoned()

    def told(self, windows: tuple[WindowOffer, ...], sent: Millis) -> None:
        """The coordinator has heard of these, sent then."""
        self._known_from = sent
        self._known_until = sent + max((each.closes_in_ms or 0 for each in windows), default=0)
        self._wall_less_boot = self._clock.wall_ms() - self._clock.boot_ms()

    def look(self) -> bool:
        """Whether the lease file says something else now. It counts once it stays as it is from one
        look to the next; a file that is wrong is told, and what held goes on holding."""
        seen = _look(self._file)
        if seen != self._settling:
            self._settling = seen
            return False
        if seen == self._seen or seen is None or self._read_again is None:
            return False
        self._seen = seen
        found = self._read_again()
        if isinstance(found, list):
            self._tell(f"{self._file} cannot be taken over; the terms stay as they are:")
            for line in found:
                self._tell(line)
            return False
        offer, recurring = found
        if offer.digest == self.offer.digest:
            return False
        self.offer, self._recurring = offer, recurring
        self._born_boot = self._clock.boot_ms()
        self._tell(f"{self._file} was changed")
        return True

    def _reckoned(self) -> tuple[WindowOffer, ...]:
        assert self._recurring is not None
        return self._recurring.offers(self._clock.wall_ms())


def _look(file: Path | None) -> Seen | None:
    """What changes when a file is written or replaced; None: it is not there."""
    if file is None:
        return None
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size, stat.st_ino
