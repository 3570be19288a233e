"""The keys of a plan file: one table that the reader, the refusals and the JSON Schema share."""

from __future__ import annotations

from dataclasses import dataclass

from leaseway.core.admission.names import EXPECTED, PATTERN
from leaseway.core.model.plan import Repeat
from leaseway.core.model.units import Millis
from leaseway.planfile.kinds import (
    Choice,
    Count,
    Cpus,
    Duration,
    Flag,
    Kind,
    Schema,
    Size,
    Text,
    Texts,
    unwritable,
)
from leaseway.planfile.moments import clock_time, until_clock_ms
from leaseway.planfile.pacing_keys import PACING
from leaseway.planfile.report import BAD, Bad, Spot
from leaseway.planfile.tables import Environment, ListOf, MapOf, NotOffered, Table

NAME = Text(EXPECTED, PATTERN)
CODE = Text('the code of a finding, such as "LW305"', r"LW[0-9]{3}")


@dataclass(frozen=True)
class CommandLine:
    """A text for the shell, or a list of texts: program and arguments."""

    def read(self, value: object, spot: Spot) -> str | tuple[str, ...] | Bad:
        parts = value if isinstance(value, list | tuple) else [value]
        texts = [part for part in parts if isinstance(part, str) and not unwritable(part)]
        if len(texts) != len(parts) or not texts or not texts[0].strip():
            return spot.wrong("a command: a text for the shell, or a list of texts", value)
        most = spot.report.limits.command_bytes
        weight = sum(len(text.encode()) + 1 for text in texts) - 1
        if weight > most:
            return spot.report.too_big(spot.path, "command", most, weight)
        return value if isinstance(value, str) else tuple(texts)

    def schema(self) -> Schema:
        several: Schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}
        return {"anyOf": [{"type": "string", "minLength": 1}, several]}


@dataclass(frozen=True)
class Estimate:
    """A duration, or [low, high] → (low or None, high) in ms."""

    def read(self, value: object, spot: Spot) -> tuple[Millis | None, Millis] | Bad:
        if not isinstance(value, list | tuple):
            single = Duration(zero=False).read(value, spot)
            return (None, single) if isinstance(single, int) else BAD
        if len(value) != 2:
            return spot.wrong("a duration, or two of them: [low, high]", value)
        low = Duration().read(value[0], spot.at(0))
        high = Duration(zero=False).read(value[1], spot.at(1))
        if not isinstance(low, int) or not isinstance(high, int):
            return BAD
        if low > high:
            return spot.wrong("the lower duration first", f"{value[0]}, {value[1]}")
        return low, high

    def schema(self) -> Schema:
        one = Duration(zero=False).schema()
        pair: Schema = {"type": "array", "items": Duration().schema(), "minItems": 2, "maxItems": 2}
        return {"anyOf": [one, pair]}


@dataclass(frozen=True)
class CutOff:
    """`run on` → None, `stop after 2m` → ms."""

    prefix: str = "stop after "

    def read(self, value: object, spot: Spot) -> Millis | None | Bad:
        if value == "run on":
            return None
        rest = value.removeprefix(self.prefix) if isinstance(value, str) else ""
        length = Duration(zero=False).millis(rest) if rest != value else None
        if not length:
            return spot.wrong('"run on", or "stop after" and a duration above 0', value)
        return Duration(zero=False).read(rest, spot)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^(run on|stop after .*[0-9].*)$"}


@dataclass(frozen=True)
class Moment:
    """A duration from now (`2h`, `in 2h`) or the next time a clock shows `07:00` → remaining ms."""

    def read(self, value: object, spot: Spot) -> Millis | Bad:
        length = Duration(zero=False, prefix="in ")
        clock = clock_time(value)
        if clock is not None and spot.report.wall_ms is not None:
            return until_clock_ms(clock, spot.report.wall_ms)
        if clock is None and length.millis(value):
            read = length.read(value, spot)
            return read if isinstance(read, int) else BAD
        either = "" if spot.report.wall_ms is None else ', or a clock time such as "07:00"'
        return spot.wrong(f'a duration above 0 such as "in 2h"{either}', value)

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "string"}]}


USES: dict[str, Kind] = {
    "cpus": Cpus(),
    "memory": Size(),
    "gpus": Count(),
    "disk": Size(),
    "processes": Count(),
    "slots": Count(),
}
SELECTOR: dict[str, Kind] = {"labels": Texts(), "tools": Texts()}
TASK: dict[str, Kind] = {
    "run": CommandLine(),
    "needs": Texts(),
    "reads": Texts(),
    "writes": Texts(),
    "holds": Texts(),
    "uses": Table(USES),
    "limit": Duration(zero=False, unlimited=True),
    "estimate": Estimate(),
    "on": Table(SELECTOR),
    "outputs": Texts(),
    "workdir": Text(),
    "env": Environment(),
    "promise": Choice(("auto", "none")),
    "repeat": Choice(tuple(Repeat)),
    "cut_off": CutOff(),
    "on_withdrawn": Choice(("wait", "end")),
    "give_up": Duration(zero=False),
    "parallel": Flag(),
    **PACING,
    "secrets": NotOffered(),
}
PLAN: dict[str, Kind] = {
    "name": NAME,
    "workdir": Text(),
    "max_parallel": Count(zero=False, unlimited=True),
    "by": Moment(),
    "workers": Texts(least=1),
    "not_on": Texts(),
    "ask": Texts(CODE),
    "defaults": Table(TASK),
    "task": MapOf(Table(TASK), NAME),
    "tasks": ListOf(Table({"id": NAME, **TASK}, required=("id",))),
}
PLAN_TABLE = Table(PLAN, elsewhere="defaults")
