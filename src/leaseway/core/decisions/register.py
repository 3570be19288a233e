"""Register: a worker daemon joins, or comes back under a newer incarnation."""

from __future__ import annotations

from leaseway.core.admission.gates import closes_at
from leaseway.core.decisions.decision import Accepted, Decision, Refused
from leaseway.core.decisions.own_words import settled
from leaseway.core.decisions.spoken import REASON, apart, lifted
from leaseway.core.decisions.terms import bad_name, wrong_offer
from leaseway.core.model.commands import Advance, Recheck, Register
from leaseway.core.model.events import LeaseMoved, WorkerRegistered
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import RegisterReply, RegisterRequest
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, View


def register(view: View, command: Register, now: Instant) -> Decision:
    """Take the worker in. The same offer as before does not start a window anew."""
    request = command.request
    wrong = _wrong(request.name, request.offer)
    if wrong:
        return Refused(tuple(wrong))
    before = view.facts.leases.get(request.name)
    held = settled(before, request.offer, now - request.offered_ago_ms, now)
    terms, version = held.terms, held.version
    event = WorkerRegistered(
        worker=request.name,
        machine_id=request.machine_id,
        incarnation=1 if before is None else before.incarnation + 1,
        spool_id=request.spool_id,
        boot_id=request.boot_id,
        lease_version=version,
        terms=terms,
        offer=request.offer,
        version=request.version,
        foreign_ledger=_foreign(view, request.ledger_id),
        kept=held.kept,
    )
    moved = _moved(before, request)
    close = closes_at(terms, now)
    reply = RegisterReply(
        incarnation=event.incarnation,
        ledger_id=view.facts.ledger_id,
        head=view.facts.position + 1,
        lease_version=version,
        terms=terms,
        patience_ms=view.settings.patience_ms,
        remaining_ms=None if close is None else close - now,
        findings=(*(each.cause for each in moved if each.cause), *held.findings),
    )
    if any(each.state is LeaseState.DRAINING for each in moved):
        return Accepted((event, *moved), reply, then=(Recheck(request.name, "drained"), Advance()))
    elsewhere = before is not None and before.machine_id != request.machine_id
    if before is None or (version == before.version and not elsewhere):
        return Accepted((event, *moved), reply, then=(Advance(),))
    again = Recheck(request.name, "shrunk", everything=elsewhere)
    return Accepted((event, *moved), reply, then=(again, Advance()))


def _foreign(view: View, ledger_id: str) -> str:
    """The ledger this worker followed, if it is neither this one nor none."""
    return "" if ledger_id in ("", view.facts.ledger_id) else ledger_id


def _moved(before: Lease | None, request: RegisterRequest) -> tuple[LeaseMoved, ...]:
    """A worker of another age is drained, not sent away: what it ran is still to be told. One that
    was drained for it and speaks as we do takes work again."""
    fresh = before is None or before.state is LeaseState.ENDED
    state = LeaseState.ACTIVE if before is None or fresh else before.state
    cause = apart(request.name, request.speaks, request.version)
    if cause is not None and state is LeaseState.ACTIVE:
        return (LeaseMoved(request.name, LeaseState.DRAINING, "leaseway", REASON, cause),)
    if cause is None and before is not None and lifted(before):
        return (LeaseMoved(request.name, LeaseState.ACTIVE, "leaseway"),)
    return ()


def _wrong(name: str, offer: TermsOffer) -> list[Finding]:
    bad = bad_name(name)
    return [bad] if bad is not None else wrong_offer(name, offer)
