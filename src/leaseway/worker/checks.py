"""The checkpoints of one running attempt, in the hands of its keeper: answers, notes, the signal.

Everything rests on what the keeper knows: the grant, both clocks, and the stop time as it stands.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from leaseway.core.checkpoint.judging import Course, Report, Standing, judge
from leaseway.core.checkpoint.phases import phase_report
from leaseway.core.checkpoint.said import Wrong, answer_line, error_line, left_line, read_line
from leaseway.core.model.checkpoint import Checkpoint
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import LocalGrant, NoteChecked, WorkerNow
from leaseway.runtime import Clock, shown_utc
from leaseway.worker.attempt import Attempt
from leaseway.worker.bounds import LOOK_MS, Bounds
from leaseway.worker.capture import Capture
from leaseway.worker.phases import Patterns, WatchedCapture

NOTE_MS: Millis = 5_000
"""A mere number is noted so seldom; a changed advice after `SOON_MS` at the latest."""

SOON_MS: Millis = 200
_TEXT_LONGEST = 60


class Checks:
    """What an attempt said of itself, and what it is to be told. `now`: kept right by the keeper
    at each of its turns."""

    def __init__(self, grant: LocalGrant, bounds: Bounds, mark: str, clock: Clock) -> None:
        self.last: Checkpoint | None = None
        self._grant, self._bounds, self._mark, self._clock = grant, bounds, mark, clock
        self._course = Course(of=grant.pacing.steps)
        self._last_at: Millis = 0
        self._noted: Checkpoint | None = None
        self._noted_at: Millis = bounds.started.boot_ms - NOTE_MS
        named = f"SIG{grant.pacing.save.signal}"
        self._signal = getattr(signal.Signals, named, None)
        self._is_stopping = False
        self.now = bounds.started

    def streams(self, folder: Callable[[], Path], cap: int) -> tuple[Capture, Capture]:
        """Its two streams, read along where the plan names patterns."""
        if not self._grant.pacing.phases:
            return Capture(folder, "stdout", cap), Capture(folder, "stderr", cap)
        patterns = Patterns(self._grant.pacing.phases, self._phase)
        made = partial(WatchedCapture, folder, cap_bytes=cap, patterns=patterns)
        return made("stdout"), made("stderr")

    def answer(self, line: bytes) -> bytes:
        """The answer to one line of the task. What was wrong changes nothing."""
        now = self.now
        try:
            spoken = read_line(line)
        except Wrong as wrong:
            return error_line(str(wrong))
        if spoken.task and spoken.task != self._grant.ref.task:
            return error_line(f"this is task {self._grant.ref.task}, not {spoken.task}")
        if spoken.attempt and spoken.attempt != self._mark:
            return error_line("that attempt has ended; this is another one of the task")
        if spoken.verb == "left":
            return left_line(self._stop_boot(now) - now.boot_ms, self._shown_stop(now))
        return answer_line(self._take(spoken.report, now), self._shown_stop(now))

    def look(self, attempt: Attempt, now: WorkerNow) -> None:
        """Send the signal to save when it is due: once, and before it is too late."""
        self._is_stopping = attempt.reason is not None or attempt.exited is not None
        if (
            self._signal is not None
            and not self._is_stopping
            and now.boot_ms >= self._signal_at(now)
        ):
            attempt.signal_leader(self._signal)
            self._signal = None

    def due(self, now: WorkerNow) -> NoteChecked | None:
        """What is to be noted now, once."""
        last = self.last
        if last is None or last is self._noted:
            return None
        is_news = self._noted is None or last.advice is not self._noted.advice
        if now.boot_ms - self._noted_at < (SOON_MS if is_news else NOTE_MS):
            return None
        self._noted, self._noted_at = last, now.boot_ms
        return NoteChecked(self._grant.ref, last, self._last_at)

    def wait_ms(self, now: WorkerNow) -> Millis:
        """How long nothing of this can become due."""
        if self._signal is None or self._is_stopping:
            return LOOK_MS
        return max(0, min(LOOK_MS, self._signal_at(now) - now.boot_ms))

    def _phase(self, line: str, following_ms: Millis) -> None:
        step = "".join(sign for sign in line[:_TEXT_LONGEST] if sign.isprintable())
        self._take(phase_report(self._course, self._grant.pacing, step, following_ms), self.now)

    def _take(self, report: Report, now: WorkerNow) -> Checkpoint:
        if report.done is not None and not report.of and self._grant.pacing.steps:
            report = replace(report, of=self._grant.pacing.steps)
        self._course = judge(self._course, report, self._standing(now))
        self.last, self._last_at = self._course.last, now.boot_ms
        return self._course.last

    def _standing(self, now: WorkerNow) -> Standing:
        stop = self._stop_boot(now)
        return Standing(
            at_ms=now.boot_ms,
            stop_ms=stop,
            grows_ms=stop,
            used_ms=now.awake_ms - self._bounds.started.awake_ms,
            reserved_ms=self._grant.reserved_ms,
            save_ms=self._grant.pacing.save.within_ms,
        )

    def _stop_boot(self, now: WorkerNow) -> Millis:
        """The stop time on the clock that counts sleep; past, once it is being stopped."""
        if self._is_stopping:
            return now.boot_ms - 1
        return min(self._bounds.stop_boot, now.boot_ms + self._bounds.awake_left_ms(now))

    def _signal_at(self, now: WorkerNow) -> Millis:
        """A little before the point of no return, since clocks are read now and then only."""
        return self._stop_boot(now) - self._grant.pacing.save.within_ms - LOOK_MS

    def _shown_stop(self, now: WorkerNow) -> str:
        return shown_utc(self._clock.wall_ms() + self._stop_boot(now) - now.boot_ms)
