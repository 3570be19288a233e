"""Heard or not: computed from marks, never a state. Hear before judging (`protocol.md` §3.5)."""

from __future__ import annotations

from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View


def heard_lately(view: View, worker: str, now: Instant) -> bool:
    """Heard within the patience, and since the coordinator's last start or gap."""
    heard = view.presence.heard.get(worker)
    return (
        heard is not None
        and heard.at >= view.presence.resumed_at
        and now - heard.at <= view.settings.patience_ms
    )


def takes_work(view: View, worker: str, now: Instant) -> bool:
    """Heard lately, and not to say that its daemon ends. What is promised there stays until its
    patience has passed: a daemon that is only started anew is back before."""
    return heard_lately(view, worker, now) and not is_leaving(view, worker)


def is_leaving(view: View, worker: str) -> bool:
    """Whether the last that was heard of this worker is that its daemon ends."""
    heard = view.presence.heard.get(worker)
    return heard is not None and heard.leaving


def may_judge(view: View, worker: str, now: Instant) -> bool:
    """Whether silence of this worker means something: it was heard since the coordinator's last
    start or gap, or its patience has passed anew."""
    heard = view.presence.heard.get(worker)
    if heard is not None and heard.at >= view.presence.resumed_at:
        return True
    return now - view.presence.resumed_at > view.settings.patience_ms


def is_present(view: View, worker: str, now: Instant) -> bool:
    """Heard lately, just registered, or too early to say."""
    if heard_lately(view, worker, now) or not may_judge(view, worker, now):
        return True
    lease = view.facts.leases.get(worker)
    return lease is not None and now - lease.registered_at <= view.settings.patience_ms


def reported(view: View, worker: str, ref: AttemptRef) -> bool:
    """Whether this worker's latest sync named the attempt as held or ended."""
    heard = view.presence.heard.get(worker)
    return heard is not None and ref in heard.reported
