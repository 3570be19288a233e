"""What a worker's owner grants: windows, max run time, capacity, tokens, labels, scope, guard.

What travels between coordinator and worker passes fields over that it does not know: the other side
may be newer. Where a person typed it, the request as a whole is read strictly (`wire.strict`).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType, field

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.units import SECOND, Instant, Millis


class Mode(StrEnum):
    """How a worker's cpus are promised: set aside for each task; or shared among all, so that each
    may take up to `stretch` times as long as alone."""

    RESERVED = "reserved"
    SHARED = "shared"


class Guard(Struct, frozen=True, omit_defaults=True):
    """What is kept free at a window's end, each part named. Sum by default 8.5 s."""

    stop_grace_ms: Millis = 5 * SECOND
    kill_ms: Millis = 1 * SECOND
    delivery_ms: Millis = 2 * SECOND
    clock_error_ms: Millis = 500

    @property
    def total_ms(self) -> Millis:
        """stop grace + kill + delivery + clock error."""
        return self.stop_grace_ms + self.kill_ms + self.delivery_ms + self.clock_error_ms

    @property
    def tail_ms(self) -> Millis:
        """What stopping may take after the stop time: stop grace + kill."""
        return self.stop_grace_ms + self.kill_ms

    @property
    def overhead_ms(self) -> Millis:
        """What a reservation holds beside the reserved time: delivery of the grant + tail."""
        return self.delivery_ms + self.tail_ms


class Scope(Struct, frozen=True, omit_defaults=True):
    """What may be touched. Empty `commands` means any. Not enforced yet: an accident guard."""

    commands: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    write: tuple[str, ...] = ()
    network: str = "all"
    enforce: str = "where possible"


class Window(Struct, frozen=True, omit_defaults=True):
    """One stretch of time in which tasks may run; `closes_at` None: no end was set."""

    opens_at: Instant
    closes_at: Instant | None = None


class WindowOffer(Struct, frozen=True, omit_defaults=True):
    """A window as a worker tells it: remaining time, counted from when the request arrived."""

    opens_in_ms: Millis = 0
    closes_in_ms: Millis | None = None


_NEVER: Instant = 1 << 62


def joined(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Stretches [from, to) in order; those that overlap or adjoin are one."""
    found: list[tuple[int, int]] = []
    for opens, closes in sorted(stretches):
        if found and opens <= found[-1][1]:
            found[-1] = found[-1][0], max(closes, found[-1][1])
        else:
            found.append((opens, closes))
    return found


def windows_at(offers: Iterable[WindowOffer], arrived: Instant) -> tuple[Window, ...]:
    """Windows in ledger time, for a request that arrived at `arrived`; what adjoins is one."""
    return joined_windows(
        Window(
            arrived + offer.opens_in_ms,
            None if offer.closes_in_ms is None else arrived + offer.closes_in_ms,
        )
        for offer in offers
    )


def joined_windows(windows: Iterable[Window]) -> tuple[Window, ...]:
    """Windows in order; those that overlap or adjoin are one."""
    stretches = joined(
        (each.opens_at, _NEVER if each.closes_at is None else each.closes_at) for each in windows
    )
    return tuple(Window(opens, None if closes == _NEVER else closes) for opens, closes in stretches)


class Terms(Struct, frozen=True, omit_defaults=True):
    """A lease's terms in ledger time. `max_run_ms` None: no cap was set. `recurring`: the words of
    the worker's owner that the windows follow, empty where they follow none."""

    windows: tuple[Window, ...]
    max_run_ms: Millis | None = None
    capacity: Capacity = Capacity()
    tokens: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    scope: Scope = Scope()
    guard: Guard = Guard()
    share: dict[str, int] = field(default_factory=dict)  # role → percent of time reserved ahead
    recurring: str = ""
    extendable_until: Instant | None = None  # so far it may be kept open for who is late
    mode: Mode = Mode.RESERVED
    stretch_percent: int = 400

    @property
    def shares(self) -> bool:
        """Whether newcomers share its cpus."""
        return self.mode is not Mode.RESERVED


class TermsOffer(Struct, frozen=True, omit_defaults=True):
    """A lease's terms as the worker's owner declares them at registering (times as remaining).
    `recurring`: the words that the windows were made from; `digest`: of all the owner's own words,
    so that the same words said again are known, whatever the clock shows."""

    windows: tuple[WindowOffer, ...] = (WindowOffer(),)
    max_run_ms: Millis | None = None
    capacity: Capacity = Capacity()
    tokens: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    scope: Scope = Scope()
    guard: Guard = Guard()
    share: dict[str, int] = field(default_factory=dict)  # role → percent of time reserved ahead
    recurring: str = ""
    extendable_ms: Millis | None = None  # remaining, counted as the windows are
    digest: str = ""
    mode: Mode = Mode.RESERVED
    stretch_percent: int = 400

    def at(self, arrived: Instant) -> Terms:
        """The same terms in ledger time, for a request that arrived at `arrived`."""
        windows = windows_at(self.windows, arrived)
        return Terms(
            windows=windows,
            max_run_ms=self.max_run_ms,
            capacity=self.capacity,
            tokens=self.tokens,
            labels=self.labels,
            tools=self.tools,
            scope=self.scope,
            guard=self.guard,
            share=self.share,
            recurring=self.recurring,
            extendable_until=None if self.extendable_ms is None else arrived + self.extendable_ms,
            mode=self.mode,
            stretch_percent=self.stretch_percent,
        )


def changed_names(old: Terms, new: Terms) -> tuple[str, ...]:
    """Which terms differ; the words of windows are no term of their own."""
    return tuple(
        name
        for name in Terms.__struct_fields__
        if name != "recurring" and getattr(old, name) != getattr(new, name)
    )


class TermsChange(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What an owner changes of a lease; what is unset stays as it was."""

    windows: tuple[WindowOffer, ...] | UnsetType = UNSET
    max_run_ms: Millis | None | UnsetType = UNSET
    capacity: Capacity | UnsetType = UNSET
    tokens: tuple[str, ...] | UnsetType = UNSET
    labels: tuple[str, ...] | UnsetType = UNSET
    tools: tuple[str, ...] | UnsetType = UNSET
    scope: Scope | UnsetType = UNSET
    guard: Guard | UnsetType = UNSET
    extendable_ms: Millis | None | UnsetType = UNSET
    share: dict[str, int] | UnsetType = UNSET
    mode: Mode | UnsetType = UNSET
    stretch_percent: int | UnsetType = UNSET
