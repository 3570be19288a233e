"""The pool's policy and what is asked under it, with every field said at least once."""

from __future__ import annotations

from leaseway.core.model import events as e
from leaseway.core.model.approvals import ApprovalAsked, ApprovalDenied, ApprovalGiven, AskedTask
from leaseway.core.model.findings import Finding
from leaseway.core.model.policy import Approve, Policy, PolicyChanged, Weight

NOW = 1_760_000_000_000

POLICY = Policy(
    findings={"LW308": Weight.REFUSE, "LW206": Weight.ASK, "LW205": Weight.TELL},
    confidence_ppm=950_000,
    guard_ms=30_000,
    share={"agent": 50},
    approve=Approve(
        roles=("agent", "owner"),
        codes=("LW305",),
        longer_than_ms=7_200_000,
        more_cpus_than_milli=8_000,
        commands=("terraform*",),
    ),
    approval_valid_for_ms=1_800_000,
)


def asked_under(finding: Finding) -> tuple[e.Fact, ...]:
    """A policy, and a request with either answer."""
    return (
        PolicyChanged(version=3, actor="owner", policy=POLICY, at_start=True),
        ApprovalAsked(
            id="A-3",
            principal="kim",
            role="agent",
            digest="sha256:00",
            plan="nightly",
            reasons=("LW206", "LW314/longer"),
            findings=(finding,),
            policy_version=3,
            until=NOW + 86_400_000,
            tasks=(AskedTask("train", "python3 train.py", 480_000, 2_000),),
            count=2,
            decision="declined-1",
        ),
        ApprovalGiven(id="A-3", actor="ada", until=NOW + 1_800_000, reason="for tonight"),
        ApprovalDenied(id="A-3", actor="ada", until=NOW + 1_800_000, reason="not on a Friday"),
    )
