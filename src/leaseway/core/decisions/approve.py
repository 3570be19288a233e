"""Answer a request for a person's yes. Never by who asked, and never by an agent."""

from __future__ import annotations

from leaseway.core.decisions.decision import Accepted, Decision, Refused, unknown
from leaseway.core.model.approvals import Approval, ApprovalDenied, ApprovalGiven, Standing
from leaseway.core.model.commands import AnswerApproval, Role
from leaseway.core.model.findings import Finding
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.policy.approvals import live
from leaseway.core.policy.standing import policy_of

REASON_MOST = 500
_SAID = {True: Standing.GIVEN, False: Standing.DENIED}


def answer_approval(view: View, command: AnswerApproval, now: Instant) -> Decision:
    """Yes or no; the same answer again changes nothing."""
    known = live(view, now)
    found = known.get(command.id)
    if found is None:
        opened = [id for id, each in known.items() if each.state is Standing.OPEN]
        return unknown("approval", command.id, opened)
    who = command.principal
    if who.name == found.asked.principal:
        return _may_not("own-approval", command)
    if who.role is not Role.OWNER:
        return _may_not("approval", command)
    if found.state is not Standing.OPEN:
        if found.state is _SAID[command.yes] and found.actor == who.name:
            return Accepted(reply=command.id)
        return _answered(found)
    until = now + policy_of(view).approval_valid_for_ms
    kind = ApprovalGiven if command.yes else ApprovalDenied
    return Accepted((kind(command.id, who.name, until, command.reason[:REASON_MOST]),), command.id)


def _may_not(variant: str, command: AnswerApproval) -> Refused:
    numbers: dict[str, int | str | list[str]] = {
        "by": command.principal.name,
        "approval": command.id,
    }
    return Refused((Finding("LW802", numbers=numbers, variant=variant),), kind="credential")


def _answered(found: Approval) -> Refused:
    numbers: dict[str, int | str | list[str]] = {
        "approval": found.asked.id,
        "by": found.actor,
        "answered_at": found.answered_at,
        "state": found.state.value,
    }
    return Refused((Finding("LW314", numbers=numbers, variant="answered"),), kind="conflict")
