"""Marks: who was heard when. Folded into presence, never stored."""

from __future__ import annotations

from leaseway.core.folds.moves import Changes
from leaseway.core.model import events as ev
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Anchor, Heardness, View


def _heard(view: View, at: Instant, event: ev.Heard) -> None:
    before = view.presence.heard.get(event.worker)
    anchor = (
        before.anchor if before and before.anchor else Anchor(event.arrived or at, event.boot_ms)
    )
    heard_at = event.arrived or at
    if before is not None and before.seq == event.seq:
        heard_at = before.at  # decided again, or come a second time: no new word
    view.presence.heard[event.worker] = Heardness(
        at=heard_at,
        seq=event.seq,
        reported=frozenset(event.reported),
        anchor=anchor,
        boot_ms=event.boot_ms,
        offset_ms=event.offset_ms,
        meter=event.meter or {},
        leaving=event.leaving,
        checkpoints={told.ref: told for told in event.checkpoints},
    )


def _judged(view: View, at: Instant, event: ev.Judged) -> None:
    view.presence.looked_at = at
    if event.resumed:
        view.presence.resumed_at = at
        for heard in view.presence.heard.values():
            heard.anchor = None


CHANGES: Changes = {
    ev.Heard: _heard,
    ev.Judged: _judged,
}
"""What each of these events does."""
