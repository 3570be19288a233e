"""The clocks of this machine, and beside the coordinator's."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from leaseway.cli.doctor.check import Check
from leaseway.core.model.units import Millis, show_ms
from leaseway.core.model.view import Settings
from leaseway.runtime import CLOCK_FILE, Clock

GAP_S = 1.0
"""Between the two looks at the coordinator's clock."""

FAR_MS = 5_000
DRIFT_PPM = Settings().drift_ppm
_ROUNDING_MS = 2


@dataclass(frozen=True)
class Look:
    """The coordinator's clock seen once; own clocks halfway between asking and answer."""

    theirs: Millis
    wall: Millis
    boot: Millis
    trip_ms: Millis


def look(ask: Callable[[], Millis], clock: Clock) -> Look:
    """Gather: ask once."""
    wall, boot = clock.wall_ms(), clock.boot_ms()
    theirs = ask()
    trip = clock.boot_ms() - boot
    return Look(theirs, wall + trip // 2, boot + trip // 2, trip)


def looks(ask: Callable[[], Millis], clock: Clock) -> tuple[Look, Look]:
    """Gather: twice, some time apart."""
    first = look(ask, clock)
    time.sleep(GAP_S)
    return first, look(ask, clock)


def own_clocks() -> Check:
    """Which clock counts sleep here, and whether a test shifts it."""
    return own_check(sys.platform, os.environ.get(CLOCK_FILE))


def own_check(system: str, shifted: str | None) -> Check:
    """Judge."""
    counting = "CLOCK_BOOTTIME" if system == "linux" else "CLOCK_MONOTONIC_RAW"
    said = f"stop times on {counting}, which counts sleep; run time on the monotonic clock"
    if shifted:
        return Check("clocks", "note", f"{said}; shifted by {shifted}", f"unset {CLOCK_FILE}")
    if system != "linux":
        return Check("clocks", "note", f"{said}. Workers run on Linux; here only clients do.")
    return Check("clocks", "ok", said)


def offset_check(seen: Look) -> Check:
    """How far the wall clocks are apart. Nothing depends on it but what people read."""
    off = seen.wall - seen.theirs
    said = f"{_signed(off)} beside the coordinator's (± {seen.trip_ms // 2 + _ROUNDING_MS} ms)"
    if abs(off) > FAR_MS:
        mend = "timedatectl set-ntp true, here and there"
        return Check("clock offset", "note", f"{said}: times are told in the other's", mend)
    return Check("clock offset", "ok", said)


def rate_check(first: Look, second: Look) -> Check:
    """Whether a worker here would be drained for its clock (LW803)."""
    span = second.theirs - first.theirs
    off = (second.boot - first.boot) - span
    unsure = (first.trip_ms + second.trip_ms) // 2 + _ROUNDING_MS
    said = f"{_signed(off)} in {show_ms(span)} against the coordinator's (± {unsure} ms)"
    if abs(off) > unsure + max(0, span) * DRIFT_PPM // 1_000_000:
        mend = "timedatectl status; in a virtual machine, look at its clock source"
        return Check("clock rate", "bad", f"{said}: a worker here is drained for it (LW803)", mend)
    return Check("clock rate", "ok", said)


def _signed(length: int) -> str:
    sign = "-" if length < 0 else "+"
    return f"{sign}{show_ms(abs(length))}" if length else "0 ms"
