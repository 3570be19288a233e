"""`evolve(view, at, event)`: what an event means for the view. Replay is a fold of this.

One function per event, in `core.folds` by what it is about; an event without one is a broken world,
never ignored. The tables of states are enforced there: whatever was decided, nothing can move where
its table has no arrow.
"""

from __future__ import annotations

from collections.abc import Iterable

from leaseway.core.folds import attempts, leases, marks, plans, policy
from leaseway.core.folds.moves import Changes
from leaseway.core.model import events as ev
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.record.closings import note
from leaseway.core.record.keeping import keep

_CHANGES: Changes = {
    **leases.CHANGES,
    **plans.CHANGES,
    **attempts.CHANGES,
    **marks.CHANGES,
    **policy.CHANGES,
}


class UnknownEvent(Exception):
    """An event that nothing here understands: a newer version wrote this ledger."""


def evolve(view: View, at: Instant, event: ev.Event) -> None:
    """Fold one event, which happened at ledger time `at`, into the view."""
    change = _CHANGES.get(type(event))
    if change is None:
        raise UnknownEvent(type(event).__name__)
    note(view, at, event)
    change(view, at, event)
    keep(view, at, event)
    if not isinstance(event, (ev.Heard, ev.Judged)):
        view.facts.position += 1
        view.facts.last_at = max(view.facts.last_at, at)


def replay(view: View, history: Iterable[ev.Stamped]) -> View:
    """Fold a history; returns the same view."""
    for stamped in history:
        evolve(view, stamped.at, stamped.event)
    return view
