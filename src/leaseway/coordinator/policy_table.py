"""The routes of the pool's policy and of requests for a person's yes; see `table`."""

from __future__ import annotations

from leaseway.coordinator.auth import OWNERS, READERS
from leaseway.coordinator.endpoint import Endpoint
from leaseway.coordinator.routes import policy
from leaseway.wire import paths
from leaseway.wire import policy as policy_words

POLICY: tuple[Endpoint, ...] = (
    Endpoint(
        "GET",
        paths.POLICY,
        policy.policy,
        READERS,
        "see the policy",
        policy_words.PolicyInfo,
        query=("version",),
    ),
    Endpoint(
        "POST",
        paths.POLICY,
        policy.set_policy,
        OWNERS,
        "set the policy",
        policy_words.PolicyInfo,
        policy_words.PolicySet,
    ),
    Endpoint(
        "GET",
        paths.APPROVALS,
        policy.approvals,
        READERS,
        "list requests for a person's yes",
        policy_words.ApprovalList,
        query=("all",),
    ),
    Endpoint(
        "POST",
        paths.APPROVALS + "/{approval}",
        policy.answer_approval,
        OWNERS,
        "answer a request for a person's yes",
        policy_words.ApprovalInfo,
        policy_words.ApprovalAnswer,
    ),
)
