"""Goal: tasks start as soon as they may, in an order that harms nobody. Method: stories by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.capacity import Uses
from leaseway.core.model.lease import Guard, WindowOffer
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.view import Settings
from tests.core.pool import T0, M, Pool, S, events, task

GUARD = Guard(stop_grace_ms=1_000, kill_ms=500, delivery_ms=2_000, clock_error_ms=500)


def wide(slots):
    return Uses(cpus_milli=1000 * slots, slots=slots)


def granted(pool):
    return [event.task.rsplit("/")[1] for event in events(pool, ev.AttemptGranted)]


def started(pool, name):
    return pool.task(name).past[-1].started_at - T0


def test_an_early_end_lets_the_next_start_at_once():
    """Reserved 60 s each, over after 10: nobody waits out somebody else's limit."""
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": 10 * S, "b": 10 * S, "c": 10 * S}
    pool.submit(task("a", M), task("b", M), task("c", M))
    assert [pool.task(name).promise - T0 for name in "abc"] == [M, 2 * M, 3 * M]
    pool.run(M)
    assert [started(pool, name) for name in "abc"] == [0, 10 * S, 20 * S]


def test_s6_an_early_end_does_not_break_a_stranger_s_promise():
    """A=6, then B=3 and C=4; X=6 from the start: one slot. A needs 3 only; X still ends by 12."""
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"A": 3 * M, "B": 3 * M, "C": 4 * M, "X": 6 * M}
    pool.submit(task("A", 6 * M), task("B", 3 * M, needs=("A",)), task("C", 4 * M, needs=("A",)))
    said = pool.submit(task("X", 6 * M))
    promise = said.reply.tasks[0].promise
    pool.run(30 * M)
    assert pool.task("X").past[-1].ended_at <= promise
    assert pool.outcome("X") == "succeeded"


def test_released_followers_do_not_take_the_room_of_an_elder():
    """X was promised [6, 12) on the one slot before B came; A ends at 3 and frees B."""
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"A": 3 * M, "X": 6 * M, "B": 3 * M}
    pool.submit(task("A", 6 * M), task("X", 6 * M), task("B", 3 * M, needs=("A",)))
    promises = {name: pool.task(name).promise for name in "AXB"}
    pool.run(30 * M)
    assert started(pool, "X") == 3 * M
    for name, promise in promises.items():
        assert pool.task(name).past[-1].ended_at <= promise


def test_a_wide_task_is_not_starved_by_small_ones_granted_after_it():
    """Two slots: `a` and `b` run, `wide` waits for both, `c` fits beside `b` until then."""
    pool = Pool()
    pool.worker("w", slots=2, guard=GUARD)
    pool.lasts = {"a": 10 * S, "b": 60 * S, "wide": 10 * S, "c": 10 * S}
    pool.submit(task("a", 20 * S), task("b", M), task("wide", M, uses=wide(2)))
    promise = pool.task("wide").promise
    pool.run(5 * S)
    pool.submit(task("c", 30 * S))
    pool.run(3 * M)
    assert pool.outcome("wide") == pool.outcome("c") == "succeeded"
    assert pool.task("wide").past[-1].ended_at <= promise
    assert not events(pool, ev.PromiseWithdrawn)


def test_a_small_task_of_the_same_plan_goes_into_the_gap_before_a_wide_one():
    """Granted before the wide one, it must start before it, whatever its number."""
    pool = Pool()
    pool.worker("w", slots=2, guard=GUARD)
    pool.lasts = {"a": 20 * S, "wide": 5 * S, "gap": 5 * S}
    pool.submit(task("a", 20 * S), task("wide", 5 * S, uses=wide(2)), task("gap", 5 * S))
    assert pool.task("gap").reservation.start == T0
    pool.run(M)
    assert started(pool, "gap") == 0
    assert started(pool, "wide") == 20 * S


def test_nothing_new_is_promised_in_front_of_what_is_granted_ahead():
    """`b` (two slots) may start any moment; `c` would fit in front of it only on paper."""
    pool = Pool()
    pool.worker("w", slots=2)
    pool.lasts = {"a": 4 * S, "b": 60 * S, "c": S}
    pool.submit(task("a", M), task("b", M, uses=wide(2)))
    pool.run(S)
    assert pool.task("b").state is TaskState.GRANTED
    said = pool.submit(task("c", 10 * S))
    assert said.reply.tasks[0].reservation.start == T0 + 2 * M
    pool.run(3 * M)
    assert started(pool, "b") == 4 * S
    assert pool.task("c").past[-1].ended_at <= said.reply.tasks[0].promise


def test_what_has_started_early_lies_where_it_runs():
    """`b` began at 10 instead of 60: a newcomer is not promised the room it uses."""
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": 10 * S, "b": M, "c": S}
    pool.submit(task("a", M), task("b", M))
    pool.run(12 * S)
    said = pool.submit(task("c", 10 * S))
    assert said.reply.tasks[0].reservation.start == T0 + 70 * S
    pool.run(2 * M)
    assert pool.outcome("c") == "succeeded"
    assert not events(pool, ev.PromiseWithdrawn)


@pytest.mark.parametrize(("length", "ahead"), [(10 * S, 5), (10 * S + 1, 2)])
def test_short_tasks_are_granted_further_ahead_than_long_ones(length, ahead):
    pool = Pool(Settings(grants_ahead=5))
    pool.worker("w")
    names = [f"t{at}" for at in range(9)]
    pool.lasts = dict.fromkeys(names, length)
    pool.submit(*(task(name, length) for name in names))
    pool.run(S)
    assert granted(pool) == names[: 1 + ahead]
    assert pool.machines["w"].starts == ["t0"]


def test_a_token_is_not_granted_ahead_of_who_was_promised_it_first():
    """On `x`, `late` would be next, but its token was promised to `first` on `y` before that."""
    pool = Pool()
    pool.worker("x", tokens=("t",))
    pool.worker("y", tokens=("t",))
    pool.lasts = {"long": M, "busy": 30 * S, "first": 10 * S, "late": S}
    pool.submit(task("long", M), workers=("x",))
    pool.submit(task("busy", 30 * S), workers=("y",))
    pool.submit(task("first", 10 * S, holds=("t",)), workers=("y",))
    pool.submit(task("late", 10 * S, holds=("t",)), workers=("x",))
    promises = {name: pool.task(name).promise for name in ("first", "late")}
    pool.run(2 * M)
    for name, promise in promises.items():
        assert pool.task(name).past[-1].ended_at <= promise, name
    assert started(pool, "first") == 30 * S


def test_lanes_are_not_taken_by_who_comes_later_in_the_plan():
    """One at once: `z`, free to start on its own worker, must not take the turn of `y`."""
    pool = Pool()
    pool.worker("w")
    pool.worker("v")
    pool.lasts = {"x": 10 * S, "other": 40 * S, "y": 50 * S, "z": 50 * S}
    tasks = [task(name, 50 * S) for name in "xyz"]
    pool.submit(*tasks, max_parallel=1)
    promises = {name: pool.task(name).promise for name in "xyz"}
    pool.run(10 * S)
    pool.submit(task("other", 40 * S))
    pool.run(4 * M)
    for name, promise in promises.items():
        assert pool.task(name).past[-1].ended_at <= promise, name
    assert pool.outcome("other") == "succeeded"


def test_a_lane_is_taken_for_as_long_as_its_task_may_run():
    """`a` is not heard of past its rectangle: `b` waits until its end is sure."""
    pool = Pool()
    silent = pool.worker("v", guard=GUARD)
    pool.worker("w", guard=GUARD)
    pool.lasts = {"x": 20 * S, "a": 20 * S, "b": S}
    pool.submit(task("x", 30 * S), workers=("w",))
    pool.submit(task("a", 20 * S), task("b", 5 * S), max_parallel=1)
    pool.run(2 * S)
    silent.deaf = True
    pool.run(21_800)
    assert pool.outcome("a") is None
    assert pool.machines["w"].starts == ["x"]
    silent.deaf = False
    pool.run(20 * S)
    assert (pool.outcome("a"), pool.outcome("b")) == ("succeeded", "succeeded")


def test_max_parallel_holds_at_every_moment():
    pool = Pool()
    pool.worker("w", slots=4)
    names = [f"t{at}" for at in range(6)]
    pool.lasts = dict.fromkeys(names, 5 * S)
    pool.submit(*(task(name, 10 * S) for name in names), max_parallel=2)
    for _ in range(40):
        pool.run(S)
        assert len(pool.machines["w"].running) <= 2
    assert {pool.outcome(name) for name in names} == {"succeeded"}
    assert [started(pool, name) for name in names] == [0, 0, 5 * S, 5 * S, 10 * S, 10 * S]


def test_a_drained_worker_starts_nothing_new():
    pool = Pool()
    pool.worker("w")
    pool.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    refused = pool.submit(task("a", S)).refused
    assert refused.findings[0].variant == "no-worker"


def test_a_window_to_come_is_waited_for():
    pool = Pool()
    pool.worker("w", windows=(WindowOffer(30 * S, 90 * S),))
    pool.lasts = {"a": 5 * S}
    pool.submit(task("a", 10 * S))
    pool.run(29 * S)
    assert granted(pool) == []
    pool.run(10 * S)
    assert 30 * S <= started(pool, "a") <= 31 * S
