"""What an owner says of a lease on the command line: `worker join` and `lease set` share it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import click
from msgspec import UNSET

from leaseway.cli import kinds
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, TermsChange, TermsOffer, WindowOffer

F = TypeVar("F", bound=Callable[..., Any])
_CAPACITY = {"cpus": "cpus_milli", "memory": "memory_bytes", "slots": "slots"}


@dataclass(frozen=True)
class TermsGiven:
    """The options by name; None and () were not said. Lengths in ms, sizes in bytes."""

    for_: int | None
    until: int | None
    max_run_time: int | None
    guard: int | None
    cpus: int | None
    memory: int | None
    slots: int | None
    label: tuple[str, ...]
    token: tuple[str, ...]
    tool: tuple[str, ...]

    @property
    def closes_in_ms(self) -> int | None:
        """The end of the window, from now."""
        if self.for_ is not None and self.until is not None:
            raise click.UsageError("Either --for or --until.")
        return self.for_ if self.for_ is not None else self.until

    @property
    def amounts(self) -> dict[str, int]:
        """The capacity that was said, by field."""
        given = {field: getattr(self, option) for option, field in _CAPACITY.items()}
        amounts = {field: amount for field, amount in given.items() if amount is not None}
        if "cpus_milli" in amounts and "slots" not in amounts:
            amounts["slots"] = max(1, amounts["cpus_milli"] // 1000)
        return amounts

    def changed(self, capacity: Capacity) -> TermsChange:
        """As a change of a lease that has this capacity now."""
        from msgspec.structs import replace

        closes = self.closes_in_ms
        return TermsChange(
            windows=UNSET if closes is None else (WindowOffer(closes_in_ms=closes),),
            max_run_ms=UNSET if self.max_run_time is None else self.max_run_time,
            capacity=replace(capacity, **self.amounts) if self.amounts else UNSET,
            tokens=self.token or UNSET,
            labels=self.label or UNSET,
            tools=self.tool or UNSET,
            guard=UNSET if self.guard is None else guard_of(self.guard),
        )

    def offer(self, below: TermsOffer) -> TermsOffer:
        """As an offer; what was not said is taken from `below` (a lease file, or the machine)."""
        from msgspec.structs import replace

        closes = self.closes_in_ms
        windows = below.windows if closes is None else (WindowOffer(closes_in_ms=closes),)
        longest = below.max_run_ms if self.max_run_time is None else self.max_run_time
        return TermsOffer(
            windows=windows,
            max_run_ms=longest,
            capacity=replace(below.capacity, **self.amounts),
            tokens=self.token or below.tokens,
            labels=self.label or below.labels,
            tools=self.tool or below.tools,
            scope=below.scope,
            guard=below.guard if self.guard is None else guard_of(self.guard),
        )


def guard_of(whole: int) -> Guard:
    """One duration, divided as in a lease file."""
    from leaseway.planfile.lease_keys import divided

    return divided(whole)


def terms_options(command: F) -> F:
    """Add the options of `TermsGiven`."""
    options = (
        click.option("--for", "for_", type=kinds.duration, help="Open for so long from now."),
        click.option("--until", type=kinds.clock_time, help="Open until this time of day."),
        click.option("--max-run-time", type=kinds.duration, help="Longest that one task may run."),
        click.option("--cpus", type=kinds.cpus, help="Cpus to offer, such as 4 or 0.5."),
        click.option("--memory", type=kinds.size, help="Memory to offer, such as 8GiB."),
        click.option("--slots", type=click.IntRange(min=0), help="Tasks at once."),
        click.option("--label", multiple=True, help="Carried by this worker (repeatable)."),
        click.option("--token", multiple=True, help="Exclusive thing held there (repeatable)."),
        click.option("--tool", multiple=True, help="Program that is there (repeatable)."),
        click.option("--guard", type=kinds.duration, help="Kept free at the end, in all."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def taken(options: dict[str, Any]) -> TermsGiven:
    """The options of `TermsGiven`, taken out of all that were given."""
    return TermsGiven(**{field.name: options.pop(field.name) for field in fields(TermsGiven)})
