"""Events of the pool's policy, and of what was asked and answered under it."""

from __future__ import annotations

from leaseway.core.folds.moves import Changes
from leaseway.core.model.approvals import (
    Approval,
    ApprovalAsked,
    ApprovalDenied,
    ApprovalGiven,
    Standing,
)
from leaseway.core.model.policy import PolicyChanged, PolicyVersion
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.policy.approvals import KEPT

VERSIONS_KEPT = 100
"""Older policies are in the ledger alone."""


def _policy_changed(view: View, at: Instant, event: PolicyChanged) -> None:
    versions = view.facts.rules.versions
    versions.append(PolicyVersion(event.version, event.actor, at, event.policy, event.at_start))
    del versions[:-VERSIONS_KEPT]


def _approval_asked(view: View, at: Instant, event: ApprovalAsked) -> None:
    rules = view.facts.rules
    rules.approvals = {
        id: each
        for id, each in rules.approvals.items()
        if at < each.until and not _replaced(each, event)
    }
    rules.approvals[event.id] = Approval(event, at, event.until)
    rules.next_approval += 1
    while len(rules.approvals) > KEPT:
        del rules.approvals[next(iter(rules.approvals))]


def _replaced(each: Approval, event: ApprovalAsked) -> bool:
    return each.state is Standing.OPEN and each.asked.digest == event.digest


def _approval_given(view: View, at: Instant, event: ApprovalGiven) -> None:
    _answered(view, at, event, Standing.GIVEN)


def _approval_denied(view: View, at: Instant, event: ApprovalDenied) -> None:
    _answered(view, at, event, Standing.DENIED)


def _answered(
    view: View, at: Instant, event: ApprovalGiven | ApprovalDenied, state: Standing
) -> None:
    found = view.facts.rules.approvals[event.id]
    found.state, found.actor, found.reason = state, event.actor, event.reason
    found.answered_at, found.until = at, event.until


def used(view: View, approval: str, plan: str) -> None:
    """A plan was accepted with this yes: it is used up."""
    found = view.facts.rules.approvals.get(approval)
    if found is not None:
        found.state, found.plan = Standing.USED, plan


CHANGES: Changes = {
    PolicyChanged: _policy_changed,
    ApprovalAsked: _approval_asked,
    ApprovalGiven: _approval_given,
    ApprovalDenied: _approval_denied,
}
"""What each of these events does."""
