"""A view made from the ledger: the newest snapshot, and the events after it."""

from __future__ import annotations

import logging

import msgspec

from leaseway.coordinator.errors import BrokenHistory
from leaseway.core import index
from leaseway.core.evolve import evolve
from leaseway.core.model.view import Facts, Settings, View
from leaseway.core.rebuilding import rebuild
from leaseway.ledger.encoding import SNAPSHOT_SCHEMA, canonical
from leaseway.ledger.errors import LedgerError
from leaseway.ledger.port import Ledger, Reader, Stored

_log = logging.getLogger(__name__)
CHUNK = 1_000


def restored(reader: Reader, settings: Settings) -> View:
    """The view as the ledger tells it, nobody heard yet. BrokenHistory: an event does not fold."""
    view = View(settings)
    facts, after = _newest(reader)
    if facts is not None:
        view.facts = facts
        rebuild(view, facts.last_at)
    while chunk := reader.read(after, CHUNK):
        for stored in chunk:
            _fold(view, stored)
        after = chunk[-1].position
    index.take_touched(view)
    return view


def save(ledger: Ledger, view: View) -> None:
    """Keep a snapshot of the facts as they are."""
    ledger.save_snapshot(view.facts.position, canonical(view.facts))


def _newest(reader: Reader) -> tuple[Facts | None, int]:
    snapshot = reader.latest_snapshot()
    if snapshot is None or snapshot.schema != SNAPSHOT_SCHEMA:
        return None, 0
    try:
        return msgspec.json.decode(snapshot.data, type=Facts), snapshot.position
    except msgspec.DecodeError as wrong:
        _log.warning("the snapshot at %d is passed over: %s", snapshot.position, wrong)
        return None, 0


def _fold(view: View, stored: Stored) -> None:
    try:
        evolve(view, stored.at, stored.event)
    except LedgerError:
        raise
    except Exception as wrong:
        raise BrokenHistory(
            f"event {stored.position} ({type(stored.event).__name__}) of the ledger does not fold:"
            f" {type(wrong).__name__}: {wrong}"
        ) from wrong
