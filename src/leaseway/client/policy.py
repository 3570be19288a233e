"""The calls about the pool's policy and a person's yes; see `calls`."""

from __future__ import annotations

import msgspec

from leaseway.client.calls import Call
from leaseway.core.model.policy import Policy
from leaseway.wire import paths
from leaseway.wire.policy import ApprovalAnswer, ApprovalInfo, ApprovalList, PolicyInfo, PolicySet

_encode = msgspec.json.Encoder().encode


def policy(version: int | None = None) -> Call[PolicyInfo]:
    """The policy in force, or one version of it."""
    query = {} if version is None else {"version": str(version)}
    return Call("GET", paths.POLICY, PolicyInfo, query)


def set_policy(wanted: Policy, *, dry: bool = False) -> Call[PolicyInfo]:
    """Set it; the same again changes nothing. `dry`: only whether it may be set."""
    return Call("POST", paths.POLICY, PolicyInfo, body=_encode(PolicySet(wanted, dry)))


def approvals(*, every: bool = False) -> Call[ApprovalList]:
    """Open requests for a person's yes; `every`: answered ones too."""
    return Call("GET", paths.APPROVALS, ApprovalList, {"all": "true"} if every else {})


def answer(id: str, *, yes: bool, reason: str = "") -> Call[ApprovalInfo]:
    """A person's answer; the same again changes nothing."""
    body = _encode(ApprovalAnswer(yes, reason))
    return Call("POST", paths.approval(id), ApprovalInfo, body=body)
