"""Windows that closed: how much earlier than declared, the last ten of each worker.

A window that its owner shortens, closes, or drains while something is promised in it counts with
what was cut off; one that runs out counts with nothing. Changed again before it has closed, it
counts as it then stands; a drain that is taken back in time counts no more.
"""

from __future__ import annotations

from collections.abc import Sequence

from leaseway.core.model import events as ev
from leaseway.core.model.lease import Terms, Window
from leaseway.core.model.record import Closing
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, View

CLOSINGS_KEPT = 10
_ENOUGH = 3


def early_close_ms(closings: Sequence[Closing]) -> Millis:
    """How much earlier than declared a window may be expected to close: what nine of ten of the
    last closings did not pass (the one of rank ceil(0.9 n)). Of fewer than three nothing is known,
    but of two that were both early: the smaller."""
    early = sorted(each.early_ms for each in closings)
    if len(early) >= _ENOUGH:
        return early[-(-9 * len(early) // 10) - 1]
    return early[0] if len(early) == _ENOUGH - 1 else 0


def note(view: View, at: Instant, event: ev.Event) -> None:
    """Count what this event, which is about to be folded, closes."""
    match event:
        case ev.LeaseChanged(worker=name, terms=terms, follows=follows):
            lease = view.facts.leases[name]
            _ran_out(view, lease, at)
            if not follows and lease.state is LeaseState.ACTIVE:
                _shortened(view, lease, terms, at)
        case ev.LeaseMoved(worker=name, state=state, cause=None):
            lease = view.facts.leases[name]
            _ran_out(view, lease, at)
            if lease.state is LeaseState.ACTIVE and view.index.outstanding.get(name):
                _closed(view, lease, at, at)
            elif state is LeaseState.ACTIVE:
                _open_again(view, lease, at)
        case ev.WorkerRegistered(worker=name) if name in view.facts.leases:
            _ran_out(view, view.facts.leases[name], at)
        case _:
            pass


def _shortened(view: View, lease: Lease, terms: Terms, at: Instant) -> None:
    still = _open_at(terms.windows, at)
    if still is None:
        _closed(view, lease, at, at)
    elif still.closes_at is not None:
        _closed(view, lease, at, still.closes_at)


def _closed(view: View, lease: Lease, at: Instant, closes_at: Instant) -> None:
    """The window that is open now closes then. What was declared first is what counts."""
    window = _open_at(lease.terms.windows, at)
    if window is None or window.closes_at is None:
        return
    told = view.facts.record.closings.get(lease.worker, ())
    known = next((each for each in told if _covers(each, at)), None)
    declared = window.closes_at if known is None else max(known.declared_at, window.closes_at)
    if closes_at >= declared and known is None:
        return
    opens_at = window.opens_at if known is None else known.opens_at
    early = Closing(opens_at, declared, max(0, declared - closes_at))
    _keep(view, lease.worker, (*(each for each in told if each is not known), early))


def _open_again(view: View, lease: Lease, at: Instant) -> None:
    """Drained and taken back before the window was over: it closes when it closes."""
    window = _open_at(lease.terms.windows, at)
    if window is not None:
        told = view.facts.record.closings.get(lease.worker, ())
        left = tuple(each for each in told if each.declared_at != window.closes_at)
        _keep(view, lease.worker, left)


def _ran_out(view: View, lease: Lease, at: Instant) -> None:
    """Windows that are over and of which nobody said anything closed when they were to."""
    told = view.facts.record.closings.get(lease.worker, ())
    over = [
        Closing(window.opens_at, window.closes_at, 0)
        for window in lease.terms.windows
        if window.closes_at is not None
        and window.closes_at <= at
        and not any(_covers(each, window.opens_at) for each in told)
        and lease.state is LeaseState.ACTIVE
    ]
    if over:
        _keep(view, lease.worker, (*told, *over))


def _covers(closing: Closing, at: Instant) -> bool:
    return closing.opens_at <= at <= closing.declared_at - closing.early_ms


def _keep(view: View, worker: str, closings: tuple[Closing, ...]) -> None:
    known = view.facts.record.closings
    known.pop(worker, None)
    known[worker] = tuple(sorted(closings, key=lambda each: each.opens_at)[-CLOSINGS_KEPT:])


def _open_at(windows: Sequence[Window], at: Instant) -> Window | None:
    return next(
        (
            window
            for window in windows
            if window.opens_at <= at and (window.closes_at is None or window.closes_at > at)
        ),
        None,
    )
