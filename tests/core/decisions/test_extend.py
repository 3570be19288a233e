"""Goal: past its reserved time a task runs while nobody needs the room. Method: stops by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.lease import Guard, TermsChange, WindowOffer
from tests.core.pool import T0, M, Pool, S, events, task

FOREVER = 10_000 * S


def play(*tasks, window_ms=None, for_ms=2 * M, slots=1, **lasts):
    pool = Pool()
    pool.worker("w", window_ms, slots=slots)
    pool.lasts = {"a": FOREVER, **lasts}
    pool.submit(*tasks)
    pool.run(for_ms)
    return pool


def ran(pool, name):
    return pool.task(name).past[-1].ending.ran_ms


def test_up_to_its_limit_while_free():
    pool = play(task("a", 30 * S, estimate_ms=2 * S))
    outcome = pool.task("a").outcome
    assert (outcome.kind, outcome.cause.code) == ("overran", "LW702")
    assert outcome.cause.numbers["limit_ms"] == 30 * S
    assert 29 * S < ran(pool, "a") <= 30 * S


def test_long_enough_to_end_by_itself():
    pool = play(task("a", 30 * S, estimate_ms=2 * S), a=20 * S)
    assert pool.outcome("a") == "succeeded"
    assert ran(pool, "a") == 20 * S


def test_without_a_limit_until_somebody_needs_the_room():
    """Only the estimate bounds it: the room is granted in small steps, never far ahead."""
    pool = play(task("a", estimate_ms=2 * S), for_ms=30 * S)
    assert pool.outcome("a") is None
    assert pool.task("a").attempt.stop_at - pool.now <= 4 * S
    said = pool.submit(task("b", 5 * S))
    start = said.reply.tasks[0].reservation.start
    assert pool.now <= start <= pool.now + 4 * S, "a newcomer waits for what is set aside only"
    pool.run(20 * S)
    assert (pool.outcome("a"), pool.outcome("b")) == ("overran", "succeeded")
    assert pool.task("b").past[-1].ended_at <= said.reply.tasks[0].promise


def test_never_into_a_promised_rectangle():
    pool = play(task("a", 30 * S, estimate_ms=5 * S), task("b", 5 * S), b=S)
    assert (pool.outcome("a"), ran(pool, "a")) == ("overran", 5 * S)
    assert pool.task("b").past[-1].started_at == T0 + 5 * S
    assert pool.outcome("b") == "succeeded"


def test_beside_a_promise_that_leaves_room():
    pool = play(task("a", 30 * S, estimate_ms=5 * S), task("b", 5 * S), slots=2, b=S)
    assert 29 * S < ran(pool, "a") <= 30 * S


def test_fault_01_the_lease_closes_under_what_overran():
    """Asked 2 s, runs on, and the lease closes at 6 s: reserved 2, used 6, not placed again."""
    pool = play(task("a", estimate_ms=2 * S), window_ms=6 * S)
    outcome = pool.task("a").outcome
    assert (outcome.kind, outcome.cause.code) == ("overran", "LW702")
    assert outcome.cause.numbers["reserved_ms"] == 2 * S
    assert 6 * S - 20 <= outcome.cause.numbers["ran_ms"] <= 6 * S
    assert pool.task("a").past[-1].ending.reason == "window-end"
    assert pool.machines["w"].starts == ["a"]


def test_its_stopping_must_be_over_before_the_next_promise():
    """Reserved 1 s, and 3.5 s of guard lie before `b` at 4.5 s: by steps of 1 s to 3 s, not 4 s."""
    guard = Guard(stop_grace_ms=1_000, kill_ms=500, delivery_ms=2_000, clock_error_ms=500)
    pool = Pool()
    pool.worker("w", guard=guard)
    pool.lasts = {"a": FOREVER, "b": S}
    pool.submit(task("a", 30 * S, estimate_ms=S), task("b", 5 * S))
    assert pool.task("b").reservation.start == T0 + 4_500
    pool.run(30 * S)
    assert 2_900 <= ran(pool, "a") <= 3_000
    assert pool.outcome("b") == "succeeded"


def test_never_past_the_window_less_tail_and_clock_error():
    guard = Guard(stop_grace_ms=1_000, kill_ms=500, delivery_ms=0, clock_error_ms=250)
    pool = Pool()
    pool.worker("w", 20 * S, guard=guard)
    pool.lasts = {"a": FOREVER}
    pool.submit(task("a", estimate_ms=2 * S))
    pool.run(30 * S)
    last = T0 + 20 * S - 1_750
    assert max(moved.stop_at for moved in events(pool, ev.StopTimeMoved)) == last
    assert last - 100 <= pool.task("a").past[-1].ended_at <= last


def test_never_past_the_owner_s_cap():
    pool = Pool()
    pool.worker("w", max_run_ms=7 * S)
    pool.lasts = {"a": FOREVER}
    pool.submit(task("a", estimate_ms=2 * S))
    pool.run(30 * S)
    assert 7 * S - 50 <= ran(pool, "a") <= 7 * S


def test_a_token_that_another_was_promised_ends_it():
    pool = Pool()
    pool.worker("w", slots=2, tokens=("t",))
    pool.lasts = {"a": FOREVER, "b": S}
    pool.submit(task("a", 60 * S, estimate_ms=5 * S, holds=("t",)), task("b", 5 * S, holds=("t",)))
    pool.run(30 * S)
    assert (ran(pool, "a"), pool.outcome("b")) == (5 * S, "succeeded")


@pytest.mark.parametrize(
    ("fields", "stopped"),
    [({"reads": ("x",)}, True), ({"needs": ("a",)}, False)],
    ids=["only waits for the end", "needs the success"],
)
def test_a_follower_s_promise(fields, stopped):
    """Who only waits for the end of `a` was promised a start; who needs its success loses more by
    the end than by the delay, and is told that its promise moved."""
    pool = Pool()
    pool.worker("w", slots=2)
    pool.lasts = {"a": 20 * S, "b": S}
    first = {"reads": ("y",)} if not stopped else {"reads": ("x",)}
    follower = {"writes": ("x",)} if stopped else fields
    pool.submit(task("a", 60 * S, estimate_ms=5 * S, **first), task("b", 5 * S, **follower))
    pool.run(60 * S)
    if stopped:
        assert (pool.outcome("a"), ran(pool, "a")) == ("overran", 5 * S)
        assert pool.task("b").past[-1].ended_at <= T0 + 10 * S
        assert not events(pool, ev.PromiseWithdrawn)
    else:
        assert (pool.outcome("a"), ran(pool, "a")) == ("succeeded", 20 * S)
        assert pool.outcome("b") == "succeeded"
        assert {one.task for one in events(pool, ev.PromiseWithdrawn)} == {"p-1/b"}


def test_a_window_that_grows_is_used():
    pool = Pool()
    pool.worker("w", 10 * S)
    pool.lasts = {"a": 25 * S}
    pool.submit(task("a", 30 * S, estimate_ms=5 * S))
    pool.run(4 * S)
    longer = TermsChange(windows=(WindowOffer(0, 60 * S),))
    pool.do(cmd.ChangeLease("w", longer, "ada"))
    pool.run(60 * S)
    assert pool.outcome("a") == "succeeded"
