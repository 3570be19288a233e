"""What a plan says of a task's checkpoints: `steps`, `phases` and `save`."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Any

from leaseway.core.checkpoint.phases import MOST_PATTERNS, wrong_pattern
from leaseway.core.model.checkpoint import Pacing, Save
from leaseway.core.model.units import Millis
from leaseway.planfile.kinds import Count, Duration, Kind, Schema
from leaseway.planfile.report import BAD, Bad, Spot
from leaseway.planfile.tables import Table

_NEVER = {"KILL", "STOP", "TERM", "CONT", "CHLD", "CLD"}
SIGNALS = tuple(sorted(name.name[3:] for name in signal.Signals if name.name[3:] not in _NEVER))
"""Signals that a task may choose; TERM means that it is stopped, and is not among them."""


@dataclass(frozen=True)
class Phases:
    """Patterns of output, and how long the step after each takes at most."""

    def read(self, value: object, spot: Spot) -> dict[str, Millis] | Bad:
        if not isinstance(value, dict) or len(value) > MOST_PATTERNS:
            return spot.wrong(f"a table of at most {MOST_PATTERNS} patterns and durations", value)
        read: dict[str, Millis] = {}
        is_whole = True
        for pattern, following in value.items():
            here = spot.at(str(pattern))
            wrong = wrong_pattern(str(pattern))
            length = Duration().read(following, here)
            if wrong:
                here.wrong(wrong, pattern)
            is_whole &= not wrong and isinstance(length, int)
            if isinstance(length, int):
                read[str(pattern)] = length
        return read if is_whole else BAD

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": Duration().schema()}


@dataclass(frozen=True)
class SignalName:
    """The name of a signal, with or without SIG."""

    def read(self, value: object, spot: Spot) -> str | Bad:
        name = value.upper().removeprefix("SIG") if isinstance(value, str) else ""
        if name not in SIGNALS:
            return spot.wrong('the name of a signal such as "USR1" (not TERM, KILL, STOP)', value)
        return name

    def schema(self) -> Schema:
        return {"type": "string"}


PACING: dict[str, Kind] = {
    "steps": Count(zero=False),
    "phases": Phases(),
    "save": Table({"signal": SignalName(), "within": Duration(zero=False)}, required=("within",)),
}


def pacing_of(given: dict[str, Any]) -> Pacing:
    """The three keys, read, as one."""
    save = given.get("save", {})
    return Pacing(
        steps=given.get("steps") or 0,
        phases=given.get("phases", {}),
        save=Save(save.get("within", 0), save.get("signal", "")),
    )
