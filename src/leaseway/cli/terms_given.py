"""What an owner says of a lease on the command line: `worker join` and `lease set` share it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import UNSET

from leaseway.cli import kinds
from leaseway.core.model.lease import (
    Guard,
    Mode,
    Scope,
    Terms,
    TermsChange,
    TermsOffer,
    WindowOffer,
)

if TYPE_CHECKING:
    from leaseway.planfile.recurring import Recurring, Rule

F = TypeVar("F", bound=Callable[..., Any])
NETWORKS = ("all", "lan", "none")
_CAPACITY = {"cpus": "cpus_milli", "memory": "memory_bytes", "slots": "slots"}


@dataclass(frozen=True)
class TermsGiven:
    """The options by name; None and () were not said. Lengths in ms or UNLIMITED,
    sizes in bytes, `until` as it was typed, `share` as pairs of role and percent."""

    for_: int | None = None
    until: str | None = None
    window: tuple[Rule, ...] = ()
    timezone: str | None = None
    max_run_time: int | None = None
    guard: int | None = None
    cpus: int | None = None
    memory: int | None = None
    slots: int | None = None
    label: tuple[str, ...] = ()
    token: tuple[str, ...] = ()
    tool: tuple[str, ...] = ()
    scope_read: tuple[str, ...] = ()
    scope_write: tuple[str, ...] = ()
    allow_command: tuple[str, ...] = ()
    network: str | None = None
    share: tuple[tuple[str, int], ...] = ()
    mode: str | None = None
    stretch: float | None = None
    extendable_until: str | None = None

    @property
    def is_said(self) -> bool:
        """Whether there is any option at all."""
        return self != TermsGiven()

    @property
    def closes_in_ms(self) -> int | None:
        """The end of the window, from now; None: neither --for nor --until."""
        said = [self.for_ is not None, self.until is not None, bool(self.window)]
        if sum(said) > 1:
            raise click.UsageError("One of --for, --until and --window.")
        if self.timezone is not None and not self.window:
            raise click.UsageError("--timezone belongs to --window.")
        return self.for_ if self.until is None else kinds.until_ms(self.until)

    @property
    def extendable_ms(self) -> int | None:
        """How far the lease may be kept open, from now."""
        return None if self.extendable_until is None else kinds.until_ms(self.extendable_until)

    @property
    def recurring(self) -> Recurring | None:
        """The windows that come again, in the zone said or in that of this machine."""
        if not self.window:
            return None
        from leaseway.planfile.recurring import NotRecurring, Recurring, zone_here

        try:
            return Recurring(self.window, self.timezone or zone_here())
        except NotRecurring as error:
            raise click.UsageError(f"expected --timezone, {error}") from None

    @property
    def amounts(self) -> dict[str, int]:
        """The capacity that was said, by field."""
        given = {field: getattr(self, option) for option, field in _CAPACITY.items()}
        amounts = {field: amount for field, amount in given.items() if amount is not None}
        if "cpus_milli" in amounts and "slots" not in amounts:
            amounts["slots"] = max(1, amounts["cpus_milli"] // 1000)
        return amounts

    def scope(self, below: Scope) -> Scope:
        """What may be touched; what was not said is taken from `below`."""
        from msgspec.structs import replace

        return replace(
            below,
            commands=self.allow_command or below.commands,
            read=self.scope_read or below.read,
            write=self.scope_write or below.write,
            network=self.network or below.network,
        )

    def changed(self, now: Terms) -> TermsChange:
        """As a change of a lease that has these terms now."""
        from msgspec.structs import replace

        closes = self.closes_in_ms
        scope = self.scope(now.scope)
        return TermsChange(
            windows=UNSET if closes is None else (_window(closes),),
            max_run_ms=UNSET if self.max_run_time is None else _bound(self.max_run_time),
            capacity=replace(now.capacity, **self.amounts) if self.amounts else UNSET,
            tokens=self.token or UNSET,
            labels=self.label or UNSET,
            tools=self.tool or UNSET,
            guard=UNSET if self.guard is None else guard_of(self.guard),
            scope=UNSET if scope == now.scope else scope,
            share={**now.share, **dict(self.share)} if self.share else UNSET,
            mode=UNSET if self.mode is None else Mode(self.mode),
            stretch_percent=UNSET if self.stretch is None else round(self.stretch * 100),
            extendable_ms=UNSET if self.extendable_ms is None else self.extendable_ms,
        )

    def offer(self, below: TermsOffer, wall_ms: int) -> TermsOffer:
        """As an offer; what was not said is taken from `below` (a lease file, or the machine)."""
        from msgspec.structs import replace

        closes, recurring = self.closes_in_ms, self.recurring
        windows, words = below.windows, below.recurring
        if closes is not None:
            windows, words = (_window(closes),), ""
        elif recurring is not None:
            windows, words = recurring.offers(wall_ms), recurring.words
        return replace(
            below,
            windows=windows,
            recurring=words,
            max_run_ms=below.max_run_ms if self.max_run_time is None else _bound(self.max_run_time),
            capacity=replace(below.capacity, **self.amounts),
            tokens=self.token or below.tokens,
            labels=self.label or below.labels,
            tools=self.tool or below.tools,
            scope=self.scope(below.scope),
            guard=below.guard if self.guard is None else guard_of(self.guard),
            share={**below.share, **dict(self.share)},
            mode=below.mode if self.mode is None else Mode(self.mode),
            stretch_percent=(
                below.stretch_percent if self.stretch is None else round(self.stretch * 100)
            ),
            extendable_ms=below.extendable_ms if self.extendable_ms is None else self.extendable_ms,
        )

    def digest(self, words: str) -> str:
        """Of all that the owner says: these options, and the `words` of a lease file."""
        import hashlib
        import json

        said = json.dumps([words, asdict(self)], sort_keys=True)
        return hashlib.sha256(said.encode()).hexdigest()[:16]


def _bound(length: int) -> int | None:
    """As it is told: None where there is no bound."""
    return None if length == kinds.UNLIMITED else length


def _window(closes: int) -> WindowOffer:
    return WindowOffer(closes_in_ms=_bound(closes))


def guard_of(whole: int) -> Guard:
    """One duration, divided as in a lease file."""
    from leaseway.planfile.lease_keys import divided

    return divided(whole)


def terms_options(command: F) -> F:
    """Add the options of `TermsGiven`."""
    options = (
        click.option("--for", "for_", type=kinds.bound, help="Open for so long, or unlimited."),
        click.option("--until", type=kinds.clock_time, help="Open until this time of day."),
        click.option(
            "--extendable-until",
            type=kinds.clock_time,
            help="Kept open until then, for a task that shows it will be late.",
        ),
        click.option("--max-run-time", type=kinds.bound, help="Longest of one task, or unlimited."),
        click.option("--cpus", type=kinds.cpus, help="Cpus to offer, such as 4 or 0.5."),
        click.option("--memory", type=kinds.size, help="Memory to offer, such as 8GiB."),
        click.option("--slots", type=click.IntRange(min=0), help="Tasks at once."),
        click.option("--label", multiple=True, help="Carried by this worker (repeatable)."),
        click.option("--token", multiple=True, help="Exclusive thing held there (repeatable)."),
        click.option("--tool", multiple=True, help="Program that is there (repeatable)."),
        click.option("--guard", type=kinds.duration, help="Kept free at the end, in all."),
        click.option("--scope-read", multiple=True, help="Path that may be read (repeatable)."),
        click.option("--scope-write", multiple=True, help="Path that may be written (repeatable)."),
        click.option("--allow-command", multiple=True, help="Program allowed (repeatable)."),
        click.option("--network", type=click.Choice(NETWORKS), help="Which network is allowed."),
        click.option(
            "--share",
            multiple=True,
            type=kinds.share,
            help="Of the time reserved ahead, such as agents=50% (repeatable).",
        ),
        click.option(
            "--mode",
            type=click.Choice([each.value for each in Mode]),
            help="Cpus set aside for each task, or shared among all.",
        ),
        click.option(
            "--stretch",
            type=click.FloatRange(1, 100),
            help="Shared: how many times as long as alone a task may take.",
        ),
    )
    return _with(options, command)


def window_options(command: F) -> F:
    """Add `--window` and `--timezone`: who joins reckons them, for as long as it is there."""
    options = (
        click.option(
            "--window",
            type=kinds.window,
            multiple=True,
            help='Open again and again, such as "daily 22:00-07:00" (repeatable).',
        ),
        click.option("--timezone", type=kinds.zone, help="Of --window.  [default: this machine's]"),
    )
    return _with(options, command)


def _with(options: Iterable[Callable[[F], F]], command: F) -> F:
    for option in reversed(list(options)):
        command = option(command)
    return command


def taken(options: dict[str, Any]) -> TermsGiven:
    """The options of `TermsGiven`, taken out of all that were given."""
    names = [field.name for field in fields(TermsGiven) if field.name in options]
    return TermsGiven(**{name: options.pop(name) for name in names})
