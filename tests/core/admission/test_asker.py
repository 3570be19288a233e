"""What is said no to because of who asks: unread outcomes, a used-up share, the same task right
after it overran. Method: one worker in virtual time, numbers worked by hand."""

from __future__ import annotations

from leaseway.core.model import commands as cmd
from leaseway.core.model.view import Settings
from tests.core.pool import AGENT, PERSON, M, Pool, S, codes, task


def refusals(pool: Pool, *tasks, who=PERSON, **fields):
    refused = pool.submit(*tasks, who=who, **fields).refused
    return list(refused.findings) if refused else []


def overran() -> Pool:
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": 60 * S}
    pool.submit(task("a", 2 * S))
    pool.run(10 * S)
    assert pool.outcome("a") == "overran"
    return pool


def test_fault_22_unchanged_after_an_overrun_is_refused_with_limit_and_used() -> None:
    (finding,) = refusals(overran(), task("a", 2 * S))
    assert finding.code == "LW604"
    assert finding.numbers == {"reserved_ms": 2 * S, "ran_ms": 2 * S}


def test_fault_22_with_more_time_it_is_taken() -> None:
    pool = overran()
    assert refusals(pool, task("a", 3 * S)) == []


def test_fault_22_once_it_has_succeeded_it_is_forgiven() -> None:
    pool = overran()
    pool.lasts = {"b": 1 * S}
    pool.submit(task("b", 30 * S))  # the same command, with enough time
    pool.run(5 * S)
    assert pool.outcome("b") == "succeeded"
    assert refusals(pool, task("a", 2 * S)) == []


def test_fault_41_new_plans_are_refused_before_outcomes_are_lost() -> None:
    pool = Pool(Settings(inbox_most=2))
    pool.worker("w")
    pool.submit(task("a", S), task("b", S), who=AGENT)
    pool.run(2 * S)
    (finding,) = refusals(pool, task("c", S), who=AGENT)
    assert (finding.code, finding.numbers["count"]) == ("LW312", 2)
    assert refusals(pool, task("c", S), who=PERSON) == []
    pool.do(cmd.Acknowledge((), AGENT))
    assert refusals(pool, task("d", S), who=AGENT) == []


def test_a_share_is_a_part_of_what_is_left_of_the_window() -> None:
    """10 minutes left, one slot, agents may hold half: 5 minutes. 3 + 2 fit, one second more
    does not; the owner is not bound by it."""
    pool = Pool()
    pool.worker("w", 10 * M, share={"agent": 50})
    assert refusals(pool, task("a", 3 * M), who=AGENT) == []
    (finding,) = refusals(pool, task("b", 2 * M + S), who=AGENT)
    assert finding.code == "LW311"
    assert finding.numbers == {
        "by": "agents",
        "held_ms": 3 * M,
        "cap_ms": 5 * M,
        "need_ms": 2 * M + S,
        "short_ms": S,
    }
    assert refusals(pool, task("b", 2 * M), who=AGENT) == []
    assert refusals(pool, task("c", 4 * M)) == []


def test_a_share_counts_within_one_plan_and_is_given_back() -> None:
    pool = Pool()
    pool.worker("w", 10 * M, share={"agent": 50})
    both = (task("a", 3 * M), task("b", 3 * M))
    assert codes(refusals(pool, *both, who=AGENT)) == ["LW311"]
    assert refusals(pool, both[0], who=AGENT) == []
    pool.run(2 * S)  # it ends at once
    assert refusals(pool, both[1], who=AGENT) == []
