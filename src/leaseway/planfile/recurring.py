"""Windows that come again, `daily 22:00-07:00` in a time zone, as stretches of milliseconds.

One rule for every day of the year: a clock time is the moment at which that day's clock *first*
reaches it. A time that the clock jumps over is therefore the jump itself; of a time that comes
twice, the first counts. So a day from 00:00 to 24:00 has 23, 24 or 25 hours, a window that lies
wholly in a jump does not exist that day, and none stays open after the clock first shows its end.
The wall clock is an argument.
"""

from __future__ import annotations

import datetime
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from leaseway.core.model.lease import WindowOffer, joined
from leaseway.core.model.units import DAY, Millis

HORIZON_MS: Millis = 14 * DAY
MOST_WINDOWS = 64
LOCAL = "local"
"""The machine's own zone, where it has no name."""

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
SHAPE = '"daily 22:00-07:00", "sat,sun 00:00-24:00" or "mon-fri 18:00-08:00"'
_RULE = re.compile(r"(\S+)\s+(\d{1,2}):(\d{2})\s*-\s*(\d{1,2}):(\d{2})")
_LOCALTIME = Path("/etc/localtime")


class NotRecurring(ValueError):
    """A text that is no recurring window; says what was expected."""


@dataclass(frozen=True)
class Rule:
    """On these days (0 is Monday) from `opens` to `closes`, in minutes of the day; where it closes
    no later than it opens, on the day after."""

    days: tuple[int, ...]
    opens: int
    closes: int
    text: str


@dataclass(frozen=True)
class Recurring:
    """Windows by rule, in one zone."""

    rules: tuple[Rule, ...]
    zone: str

    @property
    def words(self) -> str:
        """`daily 22:00-07:00 Europe/Berlin`."""
        return f"{' and '.join(rule.text for rule in self.rules)} {self.zone}"

    def offers(self, wall_ms: int) -> tuple[WindowOffer, ...]:
        """What is open at `wall_ms` (since the epoch) or opens within the horizon, at most
        `MOST_WINDOWS`; what overlaps or adjoins is one."""
        stretches = joined(self._stretches(wall_ms))[:MOST_WINDOWS]
        return tuple(
            WindowOffer(max(0, opens - wall_ms), closes - wall_ms) for opens, closes in stretches
        )

    def _stretches(self, wall_ms: int) -> Iterator[tuple[int, int]]:
        zone = zone_of(self.zone)
        today = datetime.datetime.fromtimestamp(wall_ms / 1000, tz=zone).date()
        for rule in self.rules:
            for day in _days(rule, today):
                opens = reached_ms(day, rule.opens, zone)
                over = 1 if rule.closes <= rule.opens else 0
                closes = reached_ms(day + datetime.timedelta(days=over), rule.closes, zone)
                if max(opens, wall_ms) < closes and opens < wall_ms + HORIZON_MS:
                    yield opens, closes


def _days(rule: Rule, today: datetime.date) -> Iterator[datetime.date]:
    """The days on which a window of this rule may open that matters from today on."""
    from dateutil.rrule import DAILY, rrule

    horizon_days = HORIZON_MS // DAY
    first = datetime.datetime.combine(today - datetime.timedelta(days=2), datetime.time())
    last = first + datetime.timedelta(days=horizon_days + 4)
    for moment in rrule(DAILY, dtstart=first, until=last, byweekday=rule.days):
        yield moment.date()


def reached_ms(day: datetime.date, minute: int, zone: datetime.tzinfo) -> int:
    """When the clock of this day first reaches a minute of it (1440: the next day's 00:00)."""
    local = datetime.datetime.combine(day, datetime.time()) + datetime.timedelta(minutes=minute)
    first = local.replace(tzinfo=zone, fold=0)
    before, after = first.utcoffset(), local.replace(tzinfo=zone, fold=1).utcoffset()
    at = _epoch_s(first)
    assert before is not None
    assert after is not None
    if after <= before:  # an ordinary time, or the first of two
        return at * 1000
    low, high = at - int((after - before).total_seconds()), at
    while high - low > 1:  # jumped over: the jump lies in (low, high]
        middle = (low + high) // 2
        offset = datetime.datetime.fromtimestamp(middle, tz=zone).utcoffset()
        low, high = (middle, high) if offset == before else (low, middle)
    return high * 1000


def _epoch_s(local: datetime.datetime) -> int:
    return round(local.astimezone(datetime.UTC).timestamp())


def read_rule(text: str) -> Rule:
    """One recurring window as it is written. Raises NotRecurring."""
    match = _RULE.fullmatch(text.strip().lower())
    if match is None:
        raise NotRecurring(SHAPE)
    days = _read_days(match[1])
    opens = _minute(match[2], match[3], latest=24 * 60 - 1)
    closes = _minute(match[4], match[5], latest=24 * 60)
    if opens == closes:
        raise NotRecurring('a window that is longer than nothing; a whole day is "00:00-24:00"')
    clock = f"{opens // 60:02}:{opens % 60:02}-{closes // 60:02}:{closes % 60:02}"
    return Rule(days, opens, closes, f"{match[1]} {clock}")


def _read_days(text: str) -> tuple[int, ...]:
    if text == "daily":
        return tuple(range(7))
    days: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.partition("-")
        for day in (first, last) if dash else (first,):
            if day not in DAYS:
                raise NotRecurring(f"daily, or days of {', '.join(DAYS)}, such as mon-fri")
        start, end = DAYS.index(first), DAYS.index(last if dash else first)
        days.update(day % 7 for day in range(start, end + (8 if end < start else 1)))
    return tuple(sorted(days))


def _minute(hour: str, minute: str, *, latest: int) -> int:
    found = int(hour) * 60 + int(minute)
    if int(minute) > 59 or found > latest:
        raise NotRecurring(f"a time from 00:00 to {latest // 60:02}:{latest % 60:02}")
    return found


@lru_cache
def zone_of(name: str) -> datetime.tzinfo:
    """The zone of this name. Raises NotRecurring with the nearest names."""
    if name == LOCAL:
        with _LOCALTIME.open("rb") as file:
            return ZoneInfo.from_file(file, key=LOCAL)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        near = nearest_zones(name)
        more = f"; nearest: {', '.join(near)}" if near else ""
        raise NotRecurring(f'a time zone such as "Europe/Berlin"{more}') from None


def nearest_zones(name: str) -> list[str]:
    """Up to three zones that were probably meant: by the whole name, or by the city alone."""
    import difflib

    whole = {zone.lower(): zone for zone in sorted(available_timezones())}
    city = {zone.rsplit("/", 1)[-1]: whole[zone] for zone in whole if "/" in zone}
    plain = name[:80].strip().lower().replace(" ", "_")
    found = difflib.get_close_matches(plain.rsplit("/", 1)[-1], city, n=3, cutoff=0.75)
    names = [city[each] for each in found]
    names += [whole[each] for each in difflib.get_close_matches(plain, whole, n=3, cutoff=0.7)]
    return list(dict.fromkeys(names))[:3]


def zone_here() -> str:
    """The name of this machine's zone. Raises NotRecurring where TZ names none."""
    said = os.environ.get("TZ", "").removeprefix(":")
    if said:
        try:
            zone_of(said)
        except NotRecurring as error:
            expected = str(error).partition(";")[0]
            raise NotRecurring(f"{expected}: the machine's own TZ={said} is none") from None
        return said
    _, marked, name = os.path.realpath(_LOCALTIME).partition("/zoneinfo/")
    if marked:
        return name
    return LOCAL if _LOCALTIME.exists() else "UTC"
