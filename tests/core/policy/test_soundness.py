"""Goal: a policy that cannot hold is refused whole, with every contradiction named. Method: a table
of contradictions known beforehand, and the rules that may be weighed held against the source."""

from __future__ import annotations

import pytest

from leaseway.core.model.findings import Severity
from leaseway.core.model.policy import Approve, Policy, Weight
from leaseway.core.model.units import DAY
from leaseway.core.policy.soundness import JUDGED, contradictions
from leaseway.core.wording.rules import RULES
from tests.core.policy.house import set_policy, weigh
from tests.core.pool import Pool, kinds

A = Approve
BAD = [
    (weigh(LW301="tell"), "findings.LW301", "fixed"),
    (weigh(LW302="ask"), "findings.LW302", "fixed"),
    (weigh(LW401="tell"), "findings.LW401", "fixed"),
    (weigh(LW404="ask"), "findings.LW404", "fixed"),
    (weigh(LW101="tell"), "findings.LW101", "fixed"),
    (weigh(LW999="refuse"), "findings.LW999", "unknown-code"),
    (weigh(lw206="refuse"), "findings.lw206", "unknown-code"),
    (weigh(LW701="refuse"), "findings.LW701", "not-judged"),
    (weigh(LW601="tell"), "findings.LW601", "not-judged"),
    (weigh(LW210="refuse"), "findings.LW210", "not-judged"),
    (
        Policy({"LW206": Weight.REFUSE}, approve=A(codes=("LW206",))),
        "approve.codes.0",
        "twice",
    ),
    (Policy({"LW206": Weight.TELL}, approve=A(codes=("LW206",))), "approve.codes.0", "twice"),
    (Policy(approve=A(codes=("LW206", "LW302"))), "approve.codes.1", "fixed"),
    (Policy(confidence_ppm=1_200_000), "confidence", "value"),
    (Policy(confidence_ppm=850_000), "confidence", "value"),
    (Policy(guard_ms=-1), "guard", "value"),
    (Policy(guard_ms=DAY + 1), "guard", "value"),
    (Policy(share={"agent": 0}), "share.agent", "no-share"),
    (Policy(share={"agent": 101}), "share.agent", "value"),
    (Policy(share={"viewer": 50}), "share.viewer", "role"),
    (Policy(share={"agents": 50}), "share.agents", "role"),
    (Policy(approve=A(roles=("viewer",))), "approve.roles.0", "role"),
    (Policy(approve=A(roles=(), codes=("LW206",))), "approve.roles", "nobody-asks"),
    (Policy({"LW206": Weight.ASK}, approve=A(roles=())), "approve.roles", "nobody-asks"),
    (
        Policy(approve=A(roles=("owner",), longer_than_ms=1)),
        "approve.roles",
        "nobody-answers",
    ),
    (Policy(approval_valid_for_ms=0), "approval_valid_for", "value"),
    (Policy(approve=A(longer_than_ms=-1)), "approve.longer_than", "value"),
    (Policy(approve=A(more_cpus_than_milli=-1)), "approve.more_cpus_than", "value"),
    (Policy(approve=A(commands=(" ",))), "approve.commands", "value"),
    (Policy(approve=A(commands=("x",) * 201)), "approve.commands", "value"),
]


@pytest.mark.parametrize(("policy", "where", "variant"), BAD)
def test_one_contradiction_each_and_nothing_is_changed(policy, where, variant):
    pool = Pool()
    set_policy(pool, Policy(guard_ms=7))
    before = kinds(pool)
    refused = set_policy(pool, policy, owners=1).refused
    (finding,) = refused.findings
    assert (finding.code, finding.numbers["where"], finding.variant) == ("LW908", where, variant)
    assert kinds(pool) == before
    assert pool.view.facts.rules.versions[-1].policy == Policy(guard_ms=7)


def test_every_contradiction_is_named_at_once():
    policy = Policy(
        {"LW301": Weight.TELL, "LW999": Weight.ASK},
        confidence_ppm=1_200_000,
        share={"agent": 0},
    )
    found = [each.variant for each in contradictions(policy)]
    assert found == ["fixed", "unknown-code", "value", "no-share"]


@pytest.mark.parametrize(
    "policy",
    [
        Policy(),
        weigh(LW301="refuse"),  # as it is by itself
        weigh(**dict.fromkeys(JUDGED, "ask")),
        Policy({"LW206": Weight.ASK}, approve=A(codes=("LW206",))),
        Policy(confidence_ppm=990_000, share={"agent": 1, "owner": 100}),
        Policy(approve=A(roles=())),  # nothing asks
    ],
)
def test_what_holds_is_set(policy):
    assert contradictions(policy, owners=1) == []


def test_two_owners_may_ask_each_other():
    policy = Policy(approve=A(roles=("owner",), codes=("LW206",)))
    assert contradictions(policy, owners=2) == []
    assert contradictions(policy) == []  # how many there are is not known


def test_no_error_may_be_weighed():
    assert [code for code in JUDGED if RULES[code][0] is Severity.ERROR] == []
