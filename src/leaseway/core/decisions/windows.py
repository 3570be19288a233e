"""Recurring windows go on: a worker reckons the next ones, and those known keep their instants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import structs

from leaseway.core.model.events import LeaseChanged
from leaseway.core.model.lease import Window, WindowOffer, joined_windows, windows_at
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease

SAME_MS: Millis = 2_000
"""Within this a moment that is told again is the one known already: messages take their time, and
clocks drift. More than this is another moment, because the owner's clock shows another."""

MOST = 64


def gone_on(
    lease: Lease, offers: tuple[WindowOffer, ...], arrived: Instant
) -> Iterator[LeaseChanged]:
    """The lease with windows that its worker has reckoned anew, unless they are not its worker's
    any more, or nothing is new about them."""
    terms = lease.terms
    if not terms.recurring or lease.state is LeaseState.ENDED:
        return
    sound = [each for each in offers if each.closes_in_ms is not None]
    sound = [each for each in sound if max(0, each.opens_in_ms) < (each.closes_in_ms or 0)]
    if not sound:
        return
    windows = continued(terms.windows, windows_at(sound[:MOST], arrived), arrived)
    if windows != tuple(_left(terms.windows, arrived)):
        changed = structs.replace(terms, windows=windows)
        yield LeaseChanged(lease.worker, lease.version + 1, changed, lease.worker, follows=True)


def continued(known: Iterable[Window], fresh: Iterable[Window], now: Instant) -> tuple[Window, ...]:
    """The fresh windows; a moment of theirs that is known already keeps its instant."""
    left = list(_left(known, now))
    opens = [window.opens_at for window in left]
    closes = [window.closes_at for window in left if window.closes_at is not None]
    return joined_windows(
        Window(
            _opens(window.opens_at, opens, now),
            None if window.closes_at is None else _known(window.closes_at, closes),
        )
        for window in fresh
    )


def _left(windows: Iterable[Window], now: Instant) -> Iterator[Window]:
    return (each for each in windows if each.closes_at is None or each.closes_at > now)


def _opens(moment: Instant, known: list[Instant], now: Instant) -> Instant:
    """Of a window that is open already it is not told since when."""
    since = [each for each in known if each <= now + SAME_MS]
    if moment <= now + SAME_MS and since:
        return max(since)
    return _known(moment, known)


def _known(moment: Instant, known: list[Instant]) -> Instant:
    near = min(known, key=lambda each: abs(each - moment), default=moment)
    return near if abs(near - moment) <= SAME_MS else moment
