"""The pool's policy and requests for a person's yes, as they travel. Moments are ledger time."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.approvals import Approval, AskedTask
from leaseway.core.model.policy import Policy, PolicyVersion
from leaseway.core.model.units import Instant
from leaseway.wire.findings import FindingInfo, finding_infos


class PolicyLine(Struct, frozen=True):
    """One version, without what it says."""

    version: int
    by: str
    at: Instant
    at_start: bool = False


class PolicyInfo(Struct, frozen=True):
    """One policy. `version` 0: nobody has set one, and every rule is as it is by itself.
    `in_force`: the version that decides now; `versions`: those that are known, oldest first;
    `owners`: credentials that may say yes to what needs a person."""

    version: int
    policy: Policy
    now: Instant
    by: str = ""
    at: Instant = 0
    at_start: bool = False
    in_force: int = 0
    versions: tuple[PolicyLine, ...] = ()
    owners: int = 0


class PolicySet(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A policy, whole. `dry`: only whether it may be set."""

    policy: Policy
    dry: bool = False


class ApprovalInfo(Struct, frozen=True):
    """One request. `state`: open, given, denied, used. `until`: it is open, or its answer counts,
    till then. `tasks`: the first of `count`. `decision`: under which the refusal is kept, for
    `explain --replay`. `accepted`: the plan that its yes was used for."""

    id: str
    state: str
    principal: str
    role: str
    plan: str
    asked_at: Instant
    until: Instant
    policy_version: int
    reasons: tuple[str, ...] = ()
    findings: tuple[FindingInfo, ...] = ()
    tasks: tuple[AskedTask, ...] = ()
    count: int = 0
    decision: str = ""
    by: str = ""
    answered_at: Instant = 0
    reason: str = ""
    accepted: str = ""


class ApprovalList(Struct, frozen=True):
    """Requests, oldest first."""

    approvals: tuple[ApprovalInfo, ...]
    now: Instant


class ApprovalAnswer(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A person's answer."""

    yes: bool
    reason: str = ""


def policy_line(version: PolicyVersion) -> PolicyLine:
    """A version in one line."""
    return PolicyLine(version.version, version.actor, version.at, version.at_start)


def approval_info(approval: Approval) -> ApprovalInfo:
    """A request as it is shown."""
    asked = approval.asked
    return ApprovalInfo(
        id=asked.id,
        state=approval.state.value,
        principal=asked.principal,
        role=asked.role,
        plan=asked.plan,
        asked_at=approval.asked_at,
        until=approval.until,
        policy_version=asked.policy_version,
        reasons=asked.reasons,
        findings=finding_infos(asked.findings),
        tasks=asked.tasks,
        count=asked.count,
        decision=asked.decision,
        by=approval.actor,
        answered_at=approval.answered_at,
        reason=approval.reason,
        accepted=approval.plan,
    )
