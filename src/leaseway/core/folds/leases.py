"""Events of the ledger itself and of leases."""

from __future__ import annotations

from leaseway.core import index
from leaseway.core.folds import sharing
from leaseway.core.folds.moves import Changes, move_lease
from leaseway.core.model import events as ev
from leaseway.core.model.lease import changed_names
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, View


def _ledger_opened(view: View, at: Instant, event: ev.LedgerOpened) -> None:
    view.facts.ledger_id = event.ledger_id


def _ledger_forked(view: View, at: Instant, event: ev.LedgerForked) -> None:
    view.facts.old_ledger_ids = (*view.facts.old_ledger_ids, event.old_id)
    view.facts.ledger_id = event.ledger_id
    for lease in view.facts.leases.values():
        lease.ledger_accepted = False
        index.touch(view, lease=lease.worker)


def _worker_registered(view: View, at: Instant, event: ev.WorkerRegistered) -> None:
    before = view.facts.leases.get(event.worker)
    fresh = before is None or before.state is LeaseState.ENDED
    state = LeaseState.ACTIVE if before is None or fresh else before.state
    view.facts.leases[event.worker] = Lease(
        worker=event.worker,
        machine_id=event.machine_id,
        incarnation=event.incarnation,
        spool_id=event.spool_id,
        boot_id=event.boot_id,
        version=event.lease_version,
        terms=event.terms,
        offer=event.offer,
        slept_ms=0 if before is None else before.slept_ms,
        state=state,
        moved_by="" if before is None or fresh else before.moved_by,
        reason="" if before is None or fresh else before.reason,
        cause=None if before is None or fresh else before.cause,
        software=event.version,
        ledger_accepted=not event.foreign_ledger and (before is None or before.ledger_accepted),
        registered_at=at,
        set_terms=event.kept,
        set_at=before.set_at if before is not None and event.kept else 0,
        spans=() if before is None else before.spans,
        cpus_were=() if before is None else before.cpus_were,
    )
    if before is not None:
        sharing.becomes(view, view.facts.leases[event.worker], before.terms, at)
    heard = view.presence.heard.get(event.worker)
    if heard is not None:
        heard.seq = 0  # the new daemon counts its syncs anew
        heard.anchor = None  # and after a reboot its clock begins anew
    index.touch(view, lease=event.worker)


def _lease_changed(view: View, at: Instant, event: ev.LeaseChanged) -> None:
    lease = view.facts.leases[event.worker]
    if not event.follows:
        names = {*lease.set_terms, *changed_names(lease.terms, event.terms)}
        lease.set_terms, lease.set_at = tuple(sorted(names)), at
    before, lease.terms = lease.terms, event.terms
    sharing.becomes(view, lease, before, at)
    lease.version = event.lease_version
    index.touch(view, lease=event.worker)


def _lease_moved(view: View, at: Instant, event: ev.LeaseMoved) -> None:
    lease = view.facts.leases[event.worker]
    move_lease(lease, event.state)
    if event.state is LeaseState.ACTIVE:
        lease.handed_back = 0  # its owner has looked
    lease.moved_by = event.actor
    lease.reason = event.reason
    lease.cause = event.cause
    index.touch(view, lease=event.worker)


def _ledger_accepted(view: View, at: Instant, event: ev.LedgerAccepted) -> None:
    view.facts.leases[event.worker].ledger_accepted = True
    index.touch(view, lease=event.worker)


def _worker_slept(view: View, at: Instant, event: ev.WorkerSlept) -> None:
    lease = view.facts.leases[event.worker]
    lease.slept_ms += event.slept_ms
    sharing.sleeps(lease, event.slept_ms, at)
    index.touch(view, lease=event.worker)


CHANGES: Changes = {
    ev.LedgerOpened: _ledger_opened,
    ev.LedgerForked: _ledger_forked,
    ev.WorkerRegistered: _worker_registered,
    ev.LeaseChanged: _lease_changed,
    ev.LeaseMoved: _lease_moved,
    ev.LedgerAccepted: _ledger_accepted,
    ev.WorkerSlept: _worker_slept,
}
"""What each of these events does."""
