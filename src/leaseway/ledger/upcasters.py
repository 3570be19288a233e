"""Old events lifted to the schema of today, one step at a time.

A step is a function from the plain payload (a dict as JSON gives it) of schema n to that of n + 1.
To change an event: raise its number in `core.model.events.SCHEMAS`, add the step to `STEPS` here
and a golden file of the old form to the tests. A number without its steps does not import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from leaseway.core.model.events import SCHEMAS
from leaseway.ledger.errors import UnknownEvent

Payload = dict[str, Any]
Step = Callable[[Payload], Payload]

STEPS: Mapping[tuple[str, int], Step] = {}
"""(tag, schema n) → the step to n + 1."""


@dataclass(frozen=True)
class Upcasters:
    """Schema numbers by tag, and the steps that lead there."""

    schemas: Mapping[str, int]
    steps: Mapping[tuple[str, int], Step]

    def __post_init__(self) -> None:
        wanted = {(tag, n) for tag, schema in self.schemas.items() for n in range(1, schema)}
        if wanted != set(self.steps):
            raise ValueError(f"steps and schemas differ: {sorted(wanted ^ set(self.steps))}")

    def schema(self, tag: str) -> int:
        """The schema number of today. UnknownEvent if there is no such kind."""
        try:
            return self.schemas[tag]
        except KeyError:
            raise UnknownEvent(
                f"this version of Leaseway knows no event {tag!r}; a newer one wrote this ledger"
            ) from None

    def lift(self, tag: str, schema: int, payload: Payload) -> Payload:
        """The payload in the schema of today. UnknownEvent if it is newer than that."""
        today = self.schema(tag)
        if not 1 <= schema <= today:
            raise UnknownEvent(
                f"event {tag!r} has schema {schema} and this version of Leaseway knows 1 to"
                f" {today}; a newer one wrote this ledger"
            )
        for number in range(schema, today):
            payload = self.steps[tag, number](payload)
        return payload


CURRENT = Upcasters(SCHEMAS, STEPS)
