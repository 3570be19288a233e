"""The keys of a lease file: one table that the reader, the refusals and the JSON Schema share."""

from __future__ import annotations

import re
from dataclasses import dataclass

from msgspec import convert

from leaseway.core.model.lease import Guard
from leaseway.core.model.units import Millis
from leaseway.planfile.kinds import Choice, Count, Cpus, Duration, Kind, Schema, Size, Texts
from leaseway.planfile.moments import clock_time, until_clock_ms
from leaseway.planfile.plan_keys import NAME
from leaseway.planfile.recurring import SHAPE, NotRecurring, Rule, read_rule, zone_of
from leaseway.planfile.report import BAD, Bad, Spot
from leaseway.planfile.tables import Table

_PERCENT = re.compile(r"(\d{1,3}) ?%")

# How one duration is divided: what is left over after these hundredths is clock error.
STOP_GRACE, KILL, DELIVERY = 60, 15, 20


@dataclass(frozen=True)
class Until:
    """The next time a clock shows `18:00` → remaining ms."""

    def read(self, value: object, spot: Spot) -> Millis | Bad:
        clock = clock_time(value)
        if spot.report.wall_ms is None:
            return spot.wrong("a duration, with `for`: the time of day is not known here", value)
        if clock is None:
            return spot.wrong('a clock time such as "18:00"; a duration is said with `for`', value)
        return until_clock_ms(clock, spot.report.wall_ms)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?$"}


@dataclass(frozen=True)
class Rules:
    """`["daily 22:00-07:00", …]` → recurring windows."""

    def read(self, value: object, spot: Spot) -> tuple[Rule, ...] | Bad:
        if not isinstance(value, list | tuple):
            return spot.wrong(f"a list of windows such as {SHAPE}", value)
        if not value:
            return spot.wrong("at least one window, or leave the key out", value)
        if spot.report.wall_ms is None:
            return spot.wrong("a duration, with `for`: the time of day is not known here", value)
        rules = [self._one(text, spot.at(at)) for at, text in enumerate(value)]
        good = [rule for rule in rules if not isinstance(rule, Bad)]
        return tuple(dict.fromkeys(good)) if len(good) == len(rules) else BAD

    def _one(self, value: object, spot: Spot) -> Rule | Bad:
        try:
            return read_rule(value if isinstance(value, str) else "")
        except NotRecurring as error:
            return spot.wrong(str(error), value)

    def schema(self) -> Schema:
        return {"type": "array", "items": {"type": "string"}, "minItems": 1}


@dataclass(frozen=True)
class Zone:
    """The name of a time zone."""

    def read(self, value: object, spot: Spot) -> str | Bad:
        try:
            zone_of(value if isinstance(value, str) else "")
        except NotRecurring as error:
            return spot.wrong(str(error), value)
        return str(value)

    def schema(self) -> Schema:
        return {"type": "string"}


GUARD: dict[str, Kind] = {
    "stop_grace": Duration(),
    "kill": Duration(),
    "delivery": Duration(),
    "clock_error": Duration(),
}


@dataclass(frozen=True)
class GuardParts:
    """`auto`, the four parts by name, or one duration that is divided: 60 % stop grace, 15 % kill,
    20 % delivery, the rest clock error."""

    def read(self, value: object, spot: Spot) -> Guard | Bad:
        if value == "auto":
            return Guard()
        if isinstance(value, dict):
            parts = Table(GUARD).read(value, spot)
            if isinstance(parts, Bad) or BAD in parts.values():
                return BAD
            lengths = {f"{part}_ms": length for part, length in parts.items()}
            return convert(lengths, Guard)
        whole = Duration().millis(value)
        if whole is None:
            return spot.wrong('"auto", a duration, or a table of ' + ", ".join(GUARD), value)
        read = Duration().read(value, spot)
        return divided(read) if isinstance(read, int) else BAD

    def schema(self) -> Schema:
        one = Duration().schema()
        return {"anyOf": [{"const": "auto"}, one, Table(GUARD).schema()]}


def divided(whole: Millis) -> Guard:
    """A guard of `whole` in all."""
    stop_grace, kill, delivery = (whole * part // 100 for part in (STOP_GRACE, KILL, DELIVERY))
    return Guard(stop_grace, kill, delivery, whole - stop_grace - kill - delivery)


@dataclass(frozen=True)
class Percent:
    """`"50%"` → 50. None at all would lock everybody of a kind out without a word: that is said
    with credentials, not with a share."""

    def read(self, value: object, spot: Spot) -> int | Bad:
        match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        share = int(match[1]) if match else 0
        if not 1 <= share <= 100:
            return spot.wrong('a share from "1%" to "100%"', value)
        return share

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[0-9]{1,3} ?%$"}


@dataclass(frozen=True)
class Times:
    """How many times as long as alone: 4, 2.5 → percent."""

    def read(self, value: object, spot: Spot) -> int | Bad:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not 1 <= float(str(value)) <= 100:
            return spot.wrong("a number from 1 to 100: how many times as long as alone", value)
        return round(float(str(value)) * 100)

    def schema(self) -> Schema:
        return {"type": "number", "minimum": 1, "maximum": 100}


SHARE: dict[str, Kind] = {"agents": Percent(), "owners": Percent()}
CAPACITY: dict[str, Kind] = {
    "cpus": Cpus(zero=False, unlimited=True),
    "memory": Size(unlimited=True),
    "gpus": Count(unlimited=True),
    "disk": Size(unlimited=True),
    "processes": Count(unlimited=True),
    "slots": Count(zero=False, unlimited=True),
}
# An empty list would mean "any" to the model and "none" to a reader: refused.
SCOPE: dict[str, Kind] = {
    "commands": Texts(least=1),
    "read": Texts(least=1),
    "write": Texts(least=1),
    "network": Choice(("all", "lan", "none")),
    "enforce": Choice(("where possible", "always")),
}
LEASE: dict[str, Kind] = {
    "for": Duration(zero=False, unlimited=True),
    "until": Until(),
    "max_run_time": Duration(zero=False, unlimited=True),
    "guard": GuardParts(),
    "capacity": Table(CAPACITY),
    "mode": Choice(("reserved", "shared"), later=("weighted",)),
    "stretch": Times(),
    "tokens": Texts(),
    "labels": Texts(),
    "tools": Texts(),
    "scope": Table(SCOPE),
    "windows": Rules(),
    "timezone": Zone(),
    "extendable_until": Until(),
    "share": Table(SHARE),
}
# `[worker]` alone may say the worker's name.
SINGLE: dict[str, Kind] = {"name": NAME, **LEASE}
