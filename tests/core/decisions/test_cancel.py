"""Goal: people end tasks, and one outcome says so. Method: cancel and give up in every state."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import TaskState
from leaseway.core.model.worker import Finished
from tests.core.pool import M, Pool, S, codes, task

LONG = 10 * M


@pytest.fixture
def pool():
    """One worker with one slot; `a` runs, `b` is granted ahead, `c` waits behind `a`."""
    made = Pool()
    made.worker("w")
    made.lasts = {"a": LONG, "b": LONG, "c": LONG}
    made.submit(task("a", LONG), task("b", LONG), task("c", LONG, needs=("a",)))
    made.run(S)
    return made


def cancel(pool, target):
    return pool.do(cmd.Cancel(target, "ada"))


def test_the_three_states(pool):
    states = [pool.task(name).state for name in "abc"]
    assert states == [TaskState.RUNNING, TaskState.GRANTED, TaskState.WAITING]


def test_waiting_ends_at_once(pool):
    cancel(pool, "p-1/c")
    outcome = pool.task("c").outcome
    assert (outcome.kind, outcome.at, outcome.attempt) == ("cancelled", pool.now, 0)
    assert (outcome.cause.code, outcome.cause.numbers["by"]) == ("LW712", "ada")


def test_running_ends_when_its_processes_are_gone(pool):
    cancel(pool, "p-1/a")
    assert pool.outcome("a") is None, "told, not yet gone"
    assert pool.task("a").attempt.stop_reason is StopReason.CANCEL
    pool.run(1)
    outcome = pool.task("a").outcome
    assert (outcome.kind, outcome.cause.numbers["ran_ms"]) == ("cancelled", S)
    assert pool.outcome("c") == "skipped", "its follower needed success"
    assert pool.machines["w"].starts == ["a", "b"], "the room is free at once"


def test_granted_and_never_started(pool):
    cancel(pool, "p-1/b")
    pool.run(1)
    assert pool.outcome("b") == "cancelled"
    assert pool.task("b").outcome.attempt == 0
    assert pool.machines["w"].starts == ["a"]


def test_a_whole_plan(pool):
    told = cancel(pool, "p-1").reply
    assert sorted(told) == ["p-1/a", "p-1/b", "p-1/c"]
    pool.run(1)
    assert [pool.outcome(name) for name in "abc"] == ["cancelled"] * 3


def test_twice_is_once(pool):
    cancel(pool, "p-1/a")
    assert cancel(pool, "p-1/a").events == []
    pool.run(1)
    assert cancel(pool, "p-1/a").events == []


def test_nobody_knows_it(pool):
    refused = cancel(pool, "p-1/x").refused
    assert refused.kind == "unknown"
    assert codes(refused.findings) == ["LW404"]
    assert "p-1/a" in refused.findings[0].numbers["nearest"]


def test_cancelled_then_unheard_is_lost_and_not_repeated():
    pool = Pool()
    machine = pool.worker("w")
    pool.lasts = {"a": LONG}
    pool.submit(task("a", M, repeat=Repeat.SAFE))
    pool.run(S)
    machine.deaf = True
    cancel(pool, "p-1/a")
    pool.run(2 * M)
    assert pool.outcome("a") == "lost"
    assert pool.task("a").numbers == 1


def test_a_cancelled_grant_that_the_worker_calls_not_started_stays_cancelled(pool):
    """Whether it says so as handed back or as an ending."""
    machine = pool.machines["w"]
    cancel(pool, "p-1/b")
    ref = machine.queue.pop().ref
    boot = machine.now().boot_ms
    machine.tell(Finished(ref, Ending(EndKind.NOT_STARTED), None, boot))
    pool.run(S)
    assert pool.outcome("b") == "cancelled"


# Giving up ---------------------------------------------------------------------------------------


def give_up(pool, name):
    return pool.do(cmd.GiveUp(f"p-1/{name}", "ada"))


def test_a_waiting_task_is_refused(pool):
    give_up(pool, "c")
    assert pool.outcome("c") == "refused"
    assert pool.task("c").outcome.cause.numbers["by"] == "ada"


def test_a_heard_attempt_is_not_given_up(pool):
    refused = give_up(pool, "a").refused
    assert (refused.kind, codes(refused.findings)) == ("conflict", ["LW713"])


@pytest.mark.parametrize("repeat", list(Repeat))
def test_an_unheard_attempt_is_lost_now_and_not_begun_again(repeat):
    """The old one may still run: only its stop time would have made a second one safe."""
    pool = Pool()
    deaf, other = pool.worker("w"), pool.worker("z")
    pool.lasts = {"a": LONG}
    pool.submit(task("a", LONG, repeat=repeat))
    pool.run(S)
    deaf.deaf = True
    pool.run(20 * S)
    give_up(pool, "a")
    pool.run(S)
    assert pool.outcome("a") == "lost"
    assert other.starts == []


def test_an_ended_task_has_its_outcome_already(pool):
    cancel(pool, "p-1/c")
    carried = give_up(pool, "c")
    assert carried.events == []
    assert carried.reply.kind == "cancelled"


def test_who_gave_up_is_the_cause_and_not_a_stop_time_that_has_not_come():
    pool = Pool()
    deaf = pool.worker("w")
    pool.lasts = {"a": LONG}
    pool.submit(task("a", LONG))
    pool.run(S)
    deaf.deaf = True
    heard = pool.now
    pool.run(20 * S)
    give_up(pool, "a")
    cause = pool.task("a").outcome.cause
    assert (cause.code, cause.variant) == ("LW704", "given-up")
    assert cause.numbers["by"] == "ada"
    assert cause.numbers["given_up_at"] == pool.now
    assert cause.numbers["heard_at"] <= heard
    assert pool.task("a").past[-1].cause == cause
