"""The keys of a policy file: one table that the reader, the refusals and the JSON Schema share."""

from __future__ import annotations

import re
from dataclasses import dataclass

from leaseway.core.model.policy import Weight
from leaseway.core.policy.soundness import CONFIDENCES
from leaseway.planfile.kinds import Choice, Cpus, Duration, Kind, Schema, Text, Texts
from leaseway.planfile.report import Bad, Spot
from leaseway.planfile.tables import MapOf, Table

_PERCENT = re.compile(r"(\d{1,4}) ?%")


@dataclass(frozen=True)
class Confidence:
    """`"95%"` → parts of a million; four levels that a history of runs can carry."""

    def read(self, value: object, spot: Spot) -> int | Bad:
        found = CONFIDENCES.get(value) if isinstance(value, str) else None
        if found is None:
            expected = "one of " + ", ".join(f'"{level}"' for level in CONFIDENCES)
            return spot.wrong(expected, value)
        return found

    def schema(self) -> Schema:
        return {"enum": list(CONFIDENCES)}


@dataclass(frozen=True)
class Part:
    """`"50%"` → 50. Whether so much makes sense is asked of the whole policy."""

    def read(self, value: object, spot: Spot) -> int | Bad:
        match = _PERCENT.fullmatch(value) if isinstance(value, str) else None
        return int(match[1]) if match else spot.wrong('a share from "1%" to "100%"', value)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": "^[0-9]{1,4} ?%$"}


WEIGHT = Choice(tuple(weight.value for weight in Weight))
APPROVE: dict[str, Kind] = {
    "roles": Texts(),
    "codes": Texts(),
    "longer_than": Duration(),
    "more_cpus_than": Cpus(),
    "commands": Texts(),
}
POLICY: dict[str, Kind] = {
    "findings": MapOf(WEIGHT, Text()),
    "confidence": Confidence(),
    "guard": Duration(),
    "share": MapOf(Part(), Text()),
    "approve": Table(APPROVE),
    "approval_valid_for": Duration(),
}
