"""Cases of several tasks and plans on one pool, worked by hand: `admission.md` S4 with the guard
written out, and faults 8, 19, 23, 30, 32 and 40. Method: the pool in virtual time."""

from __future__ import annotations

from itertools import combinations

from leaseway.core.model import commands as cmd
from leaseway.core.model.events import AttemptEnded, AttemptGranted
from leaseway.core.model.lease import Guard
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.scan.order import order
from leaseway.core.scan.pairs import pairs
from tests.core.pool import AGENT, PERSON, Pool, S, codes, events, plan, task

GUARD = Guard(stop_grace_ms=700, kill_ms=300, delivery_ms=300, clock_error_ms=200)


def test_s4_eight_in_ten_is_taken_and_two_of_two_behind_it_are_not() -> None:
    """8 s + 1.5 s of guard fit into 10 s; behind it 0.5 s are left, and nothing fits into those."""
    assert GUARD.total_ms == 1_500
    pool = Pool()
    pool.worker("w", 10 * S, guard=GUARD)
    assert pool.submit(task("long", 8 * S)).refused is None
    promise = pool.task("long").promise
    refused = pool.submit(task("one", 2 * S), task("two", 2 * S), name="late").refused
    assert codes(refused.findings) == ["LW303", "LW303", "LW305"]
    assert refused.findings[0].numbers["before"] == [pool.task("long").id]
    assert pool.task("long").promise == promise


def running_at_once(pool: Pool, names: tuple[str, ...]) -> int:
    """The most of these tasks that held a grant at the same time."""
    spans = {}
    for stamped in pool.history:
        event = stamped.event
        if isinstance(event, AttemptGranted) and pool.name_of(event.task) in names:
            spans[event.task] = [stamped.at, pool.now]
        if isinstance(event, AttemptEnded) and event.task in spans:
            spans[event.task][1] = event.ended_at
    return max(
        sum(1 for start, end in spans.values() if start <= moment < end)
        for moment, _ in spans.values()
    )


def test_fault_08_four_tasks_on_one_token_run_in_turn() -> None:
    pool = Pool()
    pool.worker("w", slots=4, tokens=("gpu-room",))
    names = ("a", "b", "c", "d")
    pool.lasts = dict.fromkeys(names, 2 * S)
    pool.submit(*(task(name, 5 * S, holds=("gpu-room",)) for name in names))
    pool.run(60 * S)
    assert [pool.outcome(name) for name in names] == ["succeeded"] * 4
    assert running_at_once(pool, names) == 1


def test_fault_30_a_cycle_is_refused_with_its_whole_path() -> None:
    pool = Pool()
    pool.worker("w")
    refused = pool.submit(task("a", S, needs=("b",)), task("b", S, needs=("a",))).refused
    assert codes(refused.findings) == ["LW101"]
    assert refused.findings[0].numbers["path"] in (["a", "b", "a"], ["b", "a", "b"])


def test_fault_30_behind_what_failed_is_skipped_at_once_with_its_name() -> None:
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": 60 * S}
    pool.submit(task("a", 2 * S), task("b", S, needs=("a",)), task("c", S, needs=("b",)))
    pool.run(10 * S)
    assert [pool.outcome(name) for name in "abc"] == ["overran", "skipped", "skipped"]
    assert pool.task("b").outcome.cause.tasks == (pool.task("b").id, pool.task("a").id)
    assert pool.task("c").outcome.at == pool.task("b").outcome.at


def test_fault_32_five_writers_of_one_path_are_ten_pairs_and_never_two_at_once() -> None:
    names = ("a", "b", "c", "d", "e")
    given = plan(*(task(name, 5 * S, writes=("out",)) for name in names))
    counted = pairs(given, order(given))
    assert (counted.total, counted.conflicts) == (10, 10)
    assert len(list(combinations(names, 2))) == 10
    pool = Pool()
    pool.worker("w", slots=5)
    pool.lasts = dict.fromkeys(names, 2 * S)
    pool.submit(*given.tasks)
    pool.run(60 * S)
    assert running_at_once(pool, names) == 1
    assert {pool.outcome(name) for name in names} == {"succeeded"}


def test_fault_40_two_agents_at_the_same_moment_one_is_placed_after_the_other() -> None:
    pool = Pool()
    pool.worker("w", slots=2)
    pool.lasts = {"a": 3 * S, "b": 3 * S}
    first = pool.submit(task("a", 5 * S, writes=("f",)), who=PERSON, name="one").reply
    second = pool.submit(task("b", 5 * S, writes=("f",)), who=AGENT, name="two").reply
    assert "LW205" not in codes(first.findings)
    assert "LW205" in codes(second.findings)
    assert second.tasks[0].reservation.start >= first.tasks[0].reservation.end
    pool.run(1 * S)
    assert (pool.task("a").state, pool.task("b").state) == (TaskState.RUNNING, TaskState.WAITING)
    pool.run(10 * S)
    assert (pool.outcome("a"), pool.outcome("b")) == ("succeeded", "succeeded")
    assert len(events(pool, AttemptGranted)) == 2


def test_fault_19_a_long_run_is_started_once_and_stays_finished() -> None:
    """60 s are eight parked calls; then its worker drains, goes silent, and comes back."""
    pool = Pool()
    machine = pool.worker("w")
    pool.lasts = {"a": 55 * S}
    pool.submit(task("a", 60 * S))
    pool.run(70 * S)
    assert pool.outcome("a") == "succeeded"
    ended = pool.task("a").outcome
    pool.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    machine.deaf = True
    pool.run(40 * S)
    machine.deaf = False
    pool.do(cmd.SetState("w", LeaseState.ACTIVE, "ada"))
    pool.run(20 * S)
    assert pool.task("a").outcome == ended
    assert len(machine.starts) == 1
    assert len(events(pool, AttemptGranted)) == 1


def test_fault_23_leases_that_end_together_burn_no_repeat() -> None:
    """One dies half a second before both close: nothing is sent to the other any more."""
    pool = Pool()
    dies = pool.worker("dies", 10 * S, guard=GUARD)
    pool.lasts = {"a": 60 * S}
    pool.submit(task("a", 8 * S, repeat=Repeat.SAFE))
    pool.worker("other", 10 * S, guard=GUARD)
    pool.run(8 * S)
    pool.now += 1_500
    dies.dead = True
    pool.run(40 * S)
    assert len(events(pool, AttemptGranted)) == 1
    assert pool.task("a").numbers == 1
    assert pool.machines["other"].starts == []
