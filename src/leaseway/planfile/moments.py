"""Moments as people write them, `in 2h` or `07:00`, as remaining milliseconds.

A clock time is the next one, in the local time zone of this machine, days with a change of the
clocks included: of a time that exists twice or not at all, the earliest. The wall clock is an
argument.
"""

from __future__ import annotations

import datetime
import re

from leaseway.core.model.units import Millis

_CLOCK = re.compile(r"([01]?[0-9]|2[0-4]):([0-5][0-9])(?::([0-5][0-9]))?")


def clock_time(value: object) -> datetime.time | None:
    """`07:00`, `18:30:15`, `24:00` (midnight) or a TOML time, or None if it is none of them."""
    if isinstance(value, datetime.time):
        return value.replace(microsecond=0) if value.tzinfo is None else None
    match = _CLOCK.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return None
    hour, minute, second = (int(part or 0) for part in match.groups())
    if hour == 24:
        return datetime.time() if minute == second == 0 else None
    return datetime.time(hour, minute, second)


def until_clock_ms(clock: datetime.time, wall_ms: int) -> Millis:
    """How long from `wall_ms` (since the epoch) to the next time the clock shows `clock`."""
    utc = datetime.datetime.fromtimestamp(wall_ms / 1000, tz=datetime.UTC)
    today = utc.astimezone().date()
    lengths = [
        round(local.replace(fold=fold).astimezone().timestamp() * 1000) - wall_ms
        for days in (0, 1, 2)
        for local in [datetime.datetime.combine(today + datetime.timedelta(days=days), clock)]
        for fold in (0, 1)
    ]
    return min(length for length in lengths if length > 0)
