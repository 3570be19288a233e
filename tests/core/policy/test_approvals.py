"""Goal: a person's yes lets one plan of one principal pass once, within its time, and nothing else.
Method: whole stories by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model.approvals import ApprovalAsked, Standing
from leaseway.core.model.declined import PlanDeclined
from leaseway.core.model.events import PlanSubmitted
from leaseway.core.model.units import DAY, HOUR
from leaseway.core.policy.approvals import OPEN_MOST, live
from leaseway.core.recompute import recomputed
from tests.core.policy.house import (
    AGENT,
    BOSS,
    PERSON,
    answer,
    ask,
    hand_in,
    pool_under,
    set_policy,
    weigh,
)
from tests.core.pool import M, S, events, kinds, task

LONG = task("a", 20 * M)
OTHER_AGENT = cmd.Principal("bee", cmd.Role.AGENT)


def asking(**window):
    return pool_under(ask(longer_than_ms=10 * M), **window)


def asked(pool, *tasks, **fields):
    """The id of the request that handing this in makes."""
    refused = hand_in(pool, *(tasks or (LONG,)), **fields).refused
    assert refused.kind == "approval-needed"
    return refused.findings[0].numbers["approval"]


def later(pool, length_ms):
    """So much later; the worker has just been heard."""
    pool.now += length_ms
    pool.machines["w"].sync()


def test_asked_approved_and_handed_in_again():
    pool = asking()
    assert asked(pool) == "A-1"
    (request,) = events(pool, ApprovalAsked)
    assert (request.principal, request.role, request.plan) == ("bot", "agent", "p")
    assert (request.reasons, request.policy_version) == (("LW314/longer",), 1)
    assert (request.count, request.tasks[0].run, request.tasks[0].longest_ms) == (1, "true", 20 * M)
    assert request.decision == events(pool, PlanDeclined)[0].id == "declined-1"
    assert not pool.view.facts.plans
    assert answer(pool, "A-1").reply == "A-1"
    carried = hand_in(pool, LONG)
    assert carried.refused is None
    plan = pool.view.facts.plans[carried.reply.plan]
    assert (plan.approval, plan.policy_version) == ("A-1", 1)
    note = carried.reply.findings[-1]
    assert (note.code, note.variant, note.numbers["by"]) == ("LW314", "approved", "eve")
    assert pool.view.facts.rules.approvals["A-1"].plan == plan.id


def test_what_is_asked_about_is_shown_first():
    pool = asking()
    asked(pool, *(task(f"t{number}", M) for number in range(40)), LONG)
    (request,) = events(pool, ApprovalAsked)
    assert [each.name for each in request.tasks[:3]] == ["a", "t0", "t1"]
    assert (len(request.tasks), request.count) == (20, 41)


def test_it_passes_once():
    pool = asking()
    asked(pool)
    answer(pool, "A-1")
    assert hand_in(pool, LONG).refused is None
    assert asked(pool) == "A-2"


def test_a_retry_under_the_same_key_is_the_same_plan():
    pool = asking()
    asked(pool, key="k")
    answer(pool, "A-1")
    first, second = hand_in(pool, LONG, key="k").reply, hand_in(pool, LONG, key="k").reply
    assert (second.plan, second.repeated) == (first.plan, True)


def test_the_same_plan_asked_again_is_the_same_request():
    pool = asking()
    assert [asked(pool) for _ in range(3)] == ["A-1"] * 3
    assert len(events(pool, ApprovalAsked)) == 1
    assert len(events(pool, PlanDeclined)) == 1


@pytest.mark.parametrize(
    "again",
    [
        lambda pool: hand_in(pool, task("a", 20 * M + 1)),
        lambda pool: hand_in(pool, LONG, task("b", M)),
        lambda pool: hand_in(pool, task("a", 20 * M, run=("false",))),
        lambda pool: hand_in(pool, LONG, who=OTHER_AGENT),
        lambda pool: hand_in(pool, LONG, max_parallel=1),
        lambda pool: hand_in(pool, LONG, partial=True),
    ],
)
def test_another_plan_or_principal_does_not_pass(again):
    pool = asking()
    asked(pool)
    answer(pool, "A-1")
    assert again(pool).refused.kind == "approval-needed"


def test_by_when_it_is_wanted_may_differ():
    """A clock time is handed in as what remains until then, which is less each time."""
    pool = asking()
    assert asked(pool, by_ms=60 * M) == asked(pool, by_ms=59 * M) == "A-1"
    answer(pool, "A-1")
    assert hand_in(pool, LONG, by_ms=58 * M).refused is None


@pytest.mark.parametrize(("later_ms", "passes"), [(HOUR - 1, True), (HOUR, False)])
def test_a_yes_is_valid_for_an_hour(later_ms, passes):
    pool = asking()
    asked(pool)
    answer(pool, "A-1")
    later(pool, later_ms)
    assert (hand_in(pool, LONG).refused is None) is passes


def test_a_no_is_told_and_not_asked_about_again_for_an_hour():
    pool = asking()
    asked(pool)
    answer(pool, "A-1", yes=False, reason="not tonight")
    refused = hand_in(pool, LONG).refused
    first = refused.findings[0]
    assert (refused.kind, first.code, first.variant) == ("refused", "LW314", "denied")
    assert (first.numbers["by"], first.numbers["reason"]) == ("eve", "not tonight")
    later(pool, HOUR)
    assert asked(pool) == "A-2"


def test_nobody_answers_for_a_day_and_it_is_forgotten():
    pool = asking()
    asked(pool)
    later(pool, DAY)
    assert answer(pool, "A-1").refused.kind == "unknown"
    assert asked(pool) == "A-2"
    assert list(pool.view.facts.rules.approvals) == ["A-2"]


@pytest.mark.parametrize(
    ("who", "variant"),
    [
        (AGENT, "own-approval"),
        (OTHER_AGENT, "approval"),
        (cmd.Principal("vi", cmd.Role.VIEWER), "approval"),
    ],
)
def test_who_may_not_answer(who, variant):
    pool = asking()
    asked(pool)
    refused = answer(pool, "A-1", who=who).refused
    assert (refused.kind, refused.findings[0].variant) == ("credential", variant)
    assert pool.view.facts.rules.approvals["A-1"].state is Standing.OPEN


def test_an_owner_who_has_to_ask_does_not_say_yes_to_themselves():
    pool = pool_under(ask(longer_than_ms=10 * M, roles=("agent", "owner")))
    asked(pool, who=PERSON)
    assert answer(pool, "A-1", who=PERSON).refused.findings[0].variant == "own-approval"
    assert answer(pool, "A-1", who=BOSS).refused is None
    assert hand_in(pool, LONG, who=PERSON).refused is None


def test_an_answer_stands():
    pool = asking()
    asked(pool)
    answer(pool, "A-1")
    before = len(pool.history)
    assert answer(pool, "A-1").refused is None  # the same again: nothing new
    refused = answer(pool, "A-1", yes=False).refused
    assert (refused.kind, refused.findings[0].variant) == ("conflict", "answered")
    assert answer(pool, "A-7").refused.kind == "unknown"
    assert len(pool.history) == before


def test_a_yes_covers_what_was_shown_and_no_more():
    """Approved for its length; then the policy asks about its cpus too."""
    pool = asking()
    asked(pool)
    answer(pool, "A-1")
    set_policy(pool, ask(longer_than_ms=10 * M, more_cpus_than_milli=0))
    assert asked(pool) == "A-2"
    set_policy(pool, ask(longer_than_ms=10 * M))
    assert hand_in(pool, LONG).refused is None


def test_more_reasons_take_the_place_of_an_open_request():
    pool = asking()
    asked(pool)
    set_policy(pool, ask(longer_than_ms=10 * M, more_cpus_than_milli=0))
    assert asked(pool) == "A-2"
    assert answer(pool, "A-1").refused.kind == "unknown"
    set_policy(pool, ask(longer_than_ms=10 * M))
    assert asked(pool) == "A-2"  # fewer reasons: what is open covers them


def test_a_yes_does_not_help_against_a_refusal_by_a_newer_policy():
    unknown = task("a", 20 * M, reads=None, writes=None)
    pool = pool_under(weigh(LW206="ask"))
    asked(pool, unknown, task("b", M, reads=None, writes=None))
    answer(pool, "A-1")
    set_policy(pool, weigh(LW206="refuse"))
    carried = hand_in(pool, unknown, task("b", M, reads=None, writes=None))
    assert carried.refused.kind == "refused"


def test_a_trial_asks_nobody_and_says_so():
    pool = asking()
    first = hand_in(pool, LONG, dry=True).refused.findings[0]
    assert (first.variant, first.numbers) == ("dry", {"policy": 1, "valid_ms": HOUR})
    assert not events(pool, ApprovalAsked)
    asked(pool)
    assert hand_in(pool, LONG, dry=True).refused.findings[0].numbers["approval"] == "A-1"
    answer(pool, "A-1")
    assert hand_in(pool, LONG, dry=True).refused is None
    assert hand_in(pool, LONG).refused is None  # a trial uses nothing up


def test_requests_are_bounded():
    pool = asking()
    for number in range(OPEN_MOST):
        asked(pool, task("a", 20 * M + number))
    refused = hand_in(pool, task("a", 30 * M)).refused
    assert (refused.kind, refused.findings[0].variant) == ("refused", "full")
    assert asked(pool, task("a", 20 * M)) == "A-1"  # what is open already is told all the same
    assert asked(pool, LONG, who=OTHER_AGENT) == f"A-{OPEN_MOST + 1}"
    assert len(live(pool.view, pool.now)) == OPEN_MOST + 1


def test_every_decision_is_made_again_to_the_same_bytes():
    pool = asking()
    asked(pool)
    answer(pool, "A-1")
    hand_in(pool, LONG, key="k")
    hand_in(pool, LONG, by_ms=60 * M)
    found = list(recomputed(pool.history))
    assert [each.command for each in found] == ["declined", "submit", "declined"]
    assert all(each.same for each in found), found


def test_the_events_in_order():
    pool = asking()
    asked(pool)
    answer(pool, "A-1", yes=False)
    assert kinds(pool)[-4:] == ["PolicyChanged", "PlanDeclined", "ApprovalAsked", "ApprovalDenied"]


def test_files_that_changed_need_another_yes():
    from leaseway.core.model.plan import Archive, Workspace

    pool = asking()
    trees = [Workspace(Archive(f"sha256:{letter * 64}", 10)) for letter in "ab"]
    assert asked(pool, workspace=trees[0]) == "A-1"
    answer(pool, "A-1")
    assert asked(pool, workspace=trees[1]) == "A-2"


def test_learned_bounds_are_not_part_of_what_was_approved():
    """The command has run since, and is bounded now; the plan is the same."""
    pool = pool_under(ask(more_cpus_than_milli=0))
    assert asked(pool, task("a")) == "A-1"
    answer(pool, "A-1")
    pool.lasts = {"a": 5 * S}
    for _ in range(9):
        hand_in(pool, task("a", M), who=PERSON)
        pool.run(10 * S)
    (placed,) = hand_in(pool, task("a")).reply.tasks
    assert placed.learned.bound_ms == 5 * S


def test_the_last_plan_tells_its_approval_after_a_replay():
    from leaseway.core.evolve import replay
    from leaseway.core.model.view import View
    from leaseway.ledger.encoding import canonical

    pool = asking()
    asked(pool)
    answer(pool, "A-1")
    hand_in(pool, LONG)
    again = replay(View(), pool.history)
    assert canonical(again.facts) == canonical(pool.view.facts)
    assert events(pool, PlanSubmitted)[-1].approval == "A-1"
