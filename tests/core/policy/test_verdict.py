"""Goal: the policy decides what a plan that is otherwise good becomes. Method: a table of decisions
known beforehand, through the one door; conditions by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model.capacity import Uses
from leaseway.core.model.events import PlanSubmitted
from leaseway.core.model.findings import Severity
from leaseway.core.policy.verdict import met_by
from leaseway.core.wording.say import sentence
from tests.core.policy.house import AGENT, PERSON, ask, hand_in, pool_under, weigh
from tests.core.pool import M, Pool, S, codes, events, task

UNKNOWN = {"reads": None, "writes": None}


def two_unknown():
    """LW206 for each, and nothing else."""
    return task("a", M, **UNKNOWN), task("b", M, **UNKNOWN)


def said(carried):
    if carried.refused is None:
        return "accepted"
    return carried.refused.kind


@pytest.mark.parametrize(
    ("weight", "who", "expected"),
    [
        (None, AGENT, "accepted"),
        ("tell", AGENT, "accepted"),
        ("refuse", AGENT, "refused"),
        ("ask", AGENT, "approval-needed"),
        (None, PERSON, "accepted"),
        ("tell", PERSON, "accepted"),
        ("refuse", PERSON, "refused"),
        ("ask", PERSON, "accepted"),  # a person's own yes is a yes
    ],
)
@pytest.mark.parametrize("dry", [False, True])
def test_a_finding_by_its_weight(weight, who, expected, dry):
    pool = pool_under(weigh(**({} if weight is None else {"LW206": weight})))
    carried = hand_in(pool, *two_unknown(), who=who, dry=dry)
    assert said(carried) == expected
    assert len(pool.view.facts.tasks) == (2 if expected == "accepted" and not dry else 0)


def test_without_a_policy_it_is_told_and_version_0_is_stored():
    pool = Pool()
    pool.worker("w")
    reply = hand_in(pool, *two_unknown()).reply
    assert [each.severity for each in reply.findings] == [Severity.WARNING]
    (opened,) = events(pool, PlanSubmitted)
    assert (opened.policy_version, opened.approval) == (0, "")


def test_a_refusal_says_that_it_is_by_the_policy_and_nothing_ran():
    pool = pool_under(weigh(LW206="refuse"))
    (finding,) = hand_in(pool, *two_unknown()).refused.findings
    assert (finding.code, finding.severity, finding.numbers["policy"]) == (
        "LW206",
        Severity.ERROR,
        1,
    )
    assert sentence(finding).endswith("That is by the pool's policy 1. Nothing ran.")


def test_a_note_may_refuse_too():
    pool = pool_under(weigh(LW304="refuse"))
    assert codes(hand_in(pool, task("a")).refused.findings) == ["LW304"]


def test_strict_of_the_requester_is_not_softened():
    pool = pool_under(weigh(LW206="tell"))
    assert codes(hand_in(pool, *two_unknown(), strict=True).refused.findings) == ["LW206"]


def test_what_is_impossible_is_told_first_and_nobody_is_asked():
    pool = pool_under(weigh(LW206="ask"), window_ms=5 * M)
    carried = hand_in(pool, task("a", 8 * M, **UNKNOWN), task("b", M, **UNKNOWN))
    assert (carried.refused.kind, codes(carried.refused.findings)) == ("refused", ["LW302"])
    assert not pool.view.facts.rules.approvals


@pytest.mark.parametrize(
    ("limit_ms", "estimate_ms", "expected"),
    [
        (10 * M, None, "accepted"),  # exactly the bound is not longer
        (10 * M + 1, None, "longer"),
        (None, 10 * M, "accepted"),
        (None, 11 * M, "longer"),
        (20 * M, M, "longer"),  # it may run until its limit
        (None, None, "unbounded"),  # not known is not short
    ],
)
def test_longer_than(limit_ms, estimate_ms, expected):
    pool = pool_under(ask(longer_than_ms=10 * M))
    carried = hand_in(pool, task("a", limit_ms, estimate_ms=estimate_ms), task("b", M))
    if expected == "accepted":
        assert carried.refused is None
        return
    assert carried.refused.kind == "approval-needed"
    first, second = carried.refused.findings
    assert (first.code, first.variant) == ("LW314", "")
    assert (second.code, second.variant, second.tasks) == ("LW314", expected, ("a",))


def test_more_cpus_than():
    pool = pool_under(ask(more_cpus_than_milli=2_000), slots=8)
    assert hand_in(pool, task("a", M, uses=Uses(cpus_milli=2_000))).refused is None
    refused = hand_in(pool, task("a", M, uses=Uses(cpus_milli=2_500))).refused
    assert refused.findings[1].numbers == {"need_milli": 2_500, "cap_milli": 2_000}


def test_codes_of_the_roles_that_have_to_ask_alone():
    pool = pool_under(ask(codes=("LW206",), roles=("agent",)))
    assert said(hand_in(pool, *two_unknown(), who=AGENT)) == "approval-needed"
    assert said(hand_in(pool, *two_unknown(), who=PERSON)) == "accepted"
    pool = pool_under(ask(codes=("LW206",), roles=("agent", "owner")))
    assert said(hand_in(pool, *two_unknown(), who=PERSON)) == "approval-needed"


@pytest.mark.parametrize(
    ("patterns", "run", "expected"),
    [
        (("rm",), "rm -rf build", "rm"),
        (("rm",), "cd /x && rm -rf build", "rm"),
        (("rm",), "true; /bin/rm x", "rm"),
        (("rm",), ("/bin/rm", "x"), "rm"),
        (("rm",), "echo rm", ""),
        (("rm",), "rmdir x", ""),
        (("rm *",), "true | rm x", "rm *"),
        (("terraform*", "rm"), "A=1 terraform apply", "terraform*"),
        (("git push*",), ("git", "push", "origin"), "git push*"),
        (("git push*",), "git pull", ""),
        ((), "anything", ""),
        (("*",), "", "*"),
        (("rm",), "echo 'unclosed; rm x", "rm"),
    ],
)
def test_commands(patterns, run, expected):
    assert met_by(patterns, run) == expected


def test_the_pools_share_counts_where_it_is_smaller():
    """A window of 10 min, one slot: of 50 % agents hold 5 min ahead; an owner's 20 % is 2."""
    from leaseway.core.model.policy import Policy

    for owners, needs, refused in (
        (None, 5, False),
        (None, 6, True),
        (20, 2, False),
        (20, 3, True),
    ):
        share = {} if owners is None else {"agent": owners}
        pool = pool_under(Policy(share={"agent": 50}), window_ms=10 * M, share=share)
        carried = hand_in(pool, task("a", needs * M))
        assert (carried.refused is not None) is refused, (owners, needs)
        if refused:
            (finding,) = carried.refused.findings
            assert (finding.code, finding.numbers.get("policy")) == (
                "LW311",
                None if owners else 1,
            )
        assert hand_in(pool, task("b", needs * M), who=PERSON).refused is None


def test_the_pools_guard_is_kept_free_beside_the_leases():
    """Of 10 min, 30 s are the pool's: 9 m 30 s are promised, and not a second more."""
    from leaseway.core.model.policy import Policy

    pool = pool_under(Policy(guard_ms=30 * S), window_ms=10 * M)
    (finding,) = hand_in(pool, task("a", 9 * M + 31 * S)).refused.findings
    assert finding.code == "LW302"
    assert (finding.numbers["have_ms"], finding.numbers["left_ms"]) == (9 * M + 30 * S, 10 * M)
    assert finding.numbers["pool_guard_ms"] == 30 * S
    assert "30s of it are kept by the pool's policy" in sentence(finding)
    assert hand_in(pool, task("a", 9 * M + 30 * S)).refused is None


def test_a_guard_longer_than_the_window_leaves_nothing():
    from leaseway.core.model.policy import Policy

    pool = pool_under(Policy(guard_ms=20 * M), window_ms=10 * M)
    (finding,) = hand_in(pool, task("a", S)).refused.findings
    assert (finding.code, finding.numbers["left_ms"]) == ("LW309", 10 * M)
    assert finding.numbers["pool_guard_ms"] == 10 * M


def test_partial_plans_are_weighed_with_what_is_left_out():
    """Two of 8 min in a window of 10: one fits. LW305 is what is told of that."""
    tasks = task("a", 8 * M), task("b", 8 * M)
    for weight, expected in (
        ("tell", "accepted"),
        ("refuse", "refused"),
        ("ask", "approval-needed"),
    ):
        pool = pool_under(weigh(LW305=weight), window_ms=10 * M)
        assert said(hand_in(pool, *tasks, partial=True)) == expected
