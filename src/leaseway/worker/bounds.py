"""When an attempt is told to stop, and why. Pure: the keeper asks it with both clocks in hand."""

from __future__ import annotations

from dataclasses import dataclass

from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import LocalGrant, MoveStop, WorkerNow

LOOK_MS: Millis = 200
"""Nobody wakes a timer after the machine slept; so clocks are read at least this often."""

SLEEP_MS: Millis = 1_000
"""Clocks that part by more than this while nobody looked: the machine slept."""


@dataclass
class Bounds:
    """The bounds of one running attempt. `stop_boot` is the stop time on the clock that counts
    sleep, `stop_why` what it comes from."""

    started: WorkerNow
    reserved_ms: Millis
    stop_boot: Millis
    stop_why: StopReason
    cut_off_ms: Millis | None
    heard_boot: Millis
    looked: WorkerNow

    @classmethod
    def of(cls, grant: LocalGrant, started: WorkerNow, heard_boot: Millis) -> Bounds:
        """The bounds a grant sets for a run that starts now."""
        own = started.boot_ms + grant.reserved_ms
        is_own = own <= grant.stop_latest_boot
        return cls(
            started=started,
            reserved_ms=grant.reserved_ms,
            stop_boot=min(own, grant.stop_latest_boot),
            stop_why=StopReason.RESERVED if is_own else StopReason.WINDOW,
            cut_off_ms=grant.cut_off_ms,
            heard_boot=max(heard_boot, started.boot_ms),
            looked=started,
        )

    def move(self, move: MoveStop) -> None:
        """A sync moved the stop time; the reserved time grows with it and never shrinks."""
        self.stop_boot = move.stop_boot
        self.stop_why = move.reason
        self.reserved_ms = max(self.reserved_ms, move.stop_boot - self.started.boot_ms)

    def hear(self, heard_boot: Millis) -> None:
        """The coordinator was heard."""
        self.heard_boot = max(self.heard_boot, heard_boot)

    def look(self, now: WorkerNow) -> StopReason | None:
        """Why it must stop now, or None."""
        before, self.looked = self.looked, now
        if now.boot_ms >= self.stop_boot:
            return StopReason.SLEPT if self._sleep_is_why(before, now) else self.stop_why
        if now.awake_ms - self.started.awake_ms >= self.reserved_ms:
            return StopReason.RESERVED
        if self.cut_off_ms is not None and now.boot_ms - self.heard_boot >= self.cut_off_ms:
            return StopReason.CUT_OFF
        return None

    def awake_left_ms(self, now: WorkerNow) -> Millis:
        """What of the reserved run time is left."""
        return self.started.awake_ms + self.reserved_ms - now.awake_ms

    def left_ms(self, now: WorkerNow) -> Millis:
        """How long nothing can become due, at most `LOOK_MS`."""
        left = min(
            LOOK_MS,
            self.stop_boot - now.boot_ms,
            self.awake_left_ms(now),
        )
        if self.cut_off_ms is not None:
            left = min(left, self.heard_boot + self.cut_off_ms - now.boot_ms)
        return max(0, left)

    def _sleep_is_why(self, before: WorkerNow, now: WorkerNow) -> bool:
        """Slept past the stop time; or slept away the time that was reserved for running."""
        if asleep_ms(before, now) > SLEEP_MS:
            return True
        slept = asleep_ms(self.started, now)
        return self.stop_why is StopReason.RESERVED and slept > SLEEP_MS


def asleep_ms(since: WorkerNow, now: WorkerNow) -> Millis:
    """How much further the clock that counts sleep went than the one that does not."""
    return (now.boot_ms - since.boot_ms) - (now.awake_ms - since.awake_ms)
