"""Goal: giving up says `lost` at once and frees nothing that may still be in use. Method: virtual
time, one worker out of hearing and one that waits for what the first holds; moments by hand.

`a` starts at T0 on `w`, reserved 60 s: stop time T0 + 60 s. Guard 1 + 2 + 3 + 4 s, and the two
clocks may part by 0.1 % of 60 s. So nothing of it runs any more from T0 + 60 + 10 + 0.06 s on.
"""

from __future__ import annotations

import pytest

from leaseway.core.evolve import replay
from leaseway.core.explain import explain
from leaseway.core.history import History
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.lease import Guard
from leaseway.core.model.outcomes import Freed
from leaseway.core.model.states import TaskState
from leaseway.core.model.view import Task, View
from leaseway.ledger.encoding import canonical
from tests.core.pool import PERSON, T0, M, Machine, Pool, S, events, task

GUARD = Guard(stop_grace_ms=1 * S, kill_ms=2 * S, delivery_ms=3 * S, clock_error_ms=4 * S)
GONE = T0 + 60 * S + 10 * S + 60
GIVEN_UP = T0 + 21 * S


def given_up(a: dict[str, object], *more: object, both: bool = False, **fields: object) -> Pool:
    """`a` runs on `w`, which is silent from T0 + 1 s; 20 s later ada gives `a` up. `z` is there."""
    pool = Pool()
    pool.worker("w", guard=GUARD, slots=2, tokens=("gpu",))
    if both:
        pool.worker("z", guard=GUARD, slots=2, tokens=("gpu",))
    pool.lasts = {"a": 10 * M}
    pool.submit(task("a", M, **a), *more, **fields)
    pool.run(S)
    pool.machines["w"].deaf = True
    if not both:
        pool.worker("z", guard=GUARD, slots=2, tokens=("gpu",))
    pool.run(GIVEN_UP - pool.now)
    sound(pool)
    assert pool.task("a").attempt is not None
    pool.do(cmd.GiveUp(pool.task("a").id, "ada"))
    sound(pool)
    return pool


def sound(pool: Pool) -> None:
    assert violations(pool.view, pool.now) == []
    assert index_differences(pool.view, pool.now) == []
    again = replay(View(pool.view.settings), pool.history)
    assert canonical(again.facts) == canonical(pool.view.facts)
    history = History()
    assert [said for each in pool.history for said in history.feed(each.at, each.event)] == []


def at(pool: Pool, moment: int) -> None:
    """Let time pass up to this moment and look at the clock there."""
    pool.run(moment - 1 - pool.now)
    pool.now = moment
    pool.tick()
    pool.settle()
    sound(pool)


def freed(pool: Pool) -> list[ev.RoomFreed]:
    return events(pool, ev.RoomFreed)


def state(pool: Pool, name: str) -> TaskState:
    found: Task = pool.task(name)
    return found.state


def test_lost_is_said_at_once_and_until_when_it_may_run():
    pool = given_up({})
    a = pool.task("a")
    assert (pool.outcome("a"), a.outcome.at) == ("lost", GIVEN_UP)
    assert a.unconfirmed_until == GONE
    assert pool.view.index.unconfirmed["w"] == {a.id: None}
    assert pool.view.index.used["w"][0] == 1000
    assert freed(pool) == []


def test_its_token_is_free_when_stop_time_and_guard_have_passed_and_not_before():
    pool = given_up({"holds": ("gpu",)})
    pool.submit(task("b", 5 * S, holds=("gpu",)))
    at(pool, GONE - 1)
    assert freed(pool) == []
    assert pool.view.index.tokens == {"gpu": pool.task("a").id}
    assert state(pool, "b") is TaskState.WAITING
    at(pool, GONE)
    assert freed(pool) == [ev.RoomFreed(pool.task("a").id, 1, "w", Freed.STOP_TIME)]
    assert pool.task("a").reservation is None
    pool.run(3 * S)
    assert pool.machines["z"].starts == ["b"]
    assert pool.task("b").promise >= GONE + 5 * S


def test_its_token_is_free_earlier_when_its_worker_tells_of_its_end():
    """It is heard again at T0 + 30 s, told to stop what no longer counts, and says that it did."""
    pool = given_up({"holds": ("gpu",)})
    pool.submit(task("b", 5 * S, holds=("gpu",)))
    pool.run(T0 + 30 * S - pool.now)
    assert state(pool, "b") is TaskState.WAITING
    worker: Machine = pool.machines["w"]
    worker.deaf, worker.due = False, pool.now
    pool.run(1)
    a = pool.task("a")
    assert freed(pool) == [ev.RoomFreed(a.id, 1, "w", Freed.ENDED)]
    assert (pool.outcome("a"), a.kept_numbers) == ("lost", (1,))
    assert a.evidence[0].ran_ms == 30 * S
    assert [reason.code for reason in explain(pool.view, a, pool.now).reasons] == ["LW708"]
    sound(pool)
    pool.run(10 * S)
    assert pool.outcome("b") == "succeeded"
    sound(pool)


def test_an_ending_is_kept_and_settled_once_even_when_it_comes_after_the_room_is_free():
    pool = given_up({})
    at(pool, GONE)
    pool.machines["w"].deaf, pool.machines["w"].due = False, pool.now
    pool.run(S)
    assert pool.task("a").kept_numbers == (1,)
    assert len(freed(pool)) == 1
    assert pool.machines["w"].agent.attempts == {}
    sound(pool)


def test_who_follows_in_order_waits_and_who_needs_it_is_skipped_at_once():
    """`after` writes what `a` reads; `needs` asks for its success."""
    after = task("after", 5 * S, writes=("db:x",))
    pool = given_up({"reads": ("db:x",)}, after, task("needs", S, needs=("a",)), both=True)
    assert pool.outcome("needs") == "skipped"
    assert state(pool, "after") is TaskState.WAITING
    at(pool, GONE - 1)
    assert state(pool, "after") is TaskState.WAITING
    at(pool, GONE)
    pool.run(10 * S)
    assert pool.outcome("after") == "succeeded"
    assert "after" in pool.machines["z"].starts


def test_who_stands_behind_a_skipped_follower_waits_for_it_too():
    first = task("middle", S, needs=("a",), reads=("db:x",))
    pool = given_up({}, first, task("last", S, writes=("db:x",)), both=True)
    assert pool.outcome("middle") == "skipped"
    assert [edge.kind.value for edge in pool.task("last").edges][-1] == "inherited"
    at(pool, GONE - 1)
    assert state(pool, "last") is TaskState.WAITING
    at(pool, GONE)
    pool.run(10 * S)
    assert pool.outcome("last") == "succeeded"


def test_what_it_touches_is_touched_by_no_newcomer():
    pool = given_up({"writes": ("db:x",)})
    pool.submit(task("b", 5 * S, writes=("db:x",)))
    assert pool.task("b").reservation.start == GONE
    at(pool, GONE - 1)
    assert state(pool, "b") is TaskState.WAITING
    pool.run(10 * S)
    assert pool.outcome("b") == "succeeded"


def test_its_lane_of_its_plan_is_taken():
    pool = given_up({}, task("b", 5 * S), max_parallel=1)
    at(pool, GONE - 1)
    assert state(pool, "b") is TaskState.WAITING
    at(pool, GONE)
    pool.run(10 * S)
    assert pool.outcome("b") == "succeeded"


def never_sent(pool: Pool) -> None:
    """A grant whose answer was lost: `w` does not know of it."""
    pool.worker("w", guard=GUARD, tokens=("gpu",))
    pool.machines["w"].deaf = True
    pool.submit(task("a", M, holds=("gpu",)))
    pool.run(20 * S)
    pool.do(cmd.GiveUp(pool.task("a").id, "ada"))
    assert pool.outcome("a") == "lost"


@pytest.mark.parametrize("same_spool", [True, False])
def test_never_started_is_believed_of_the_same_spool_only(same_spool: bool):
    """Granted at T0, start-by T0 + 3 s, so stop time T0 + 63 s; drift 63 ms; guard 10 s."""
    pool = Pool()
    never_sent(pool)
    assert pool.task("a").unconfirmed_until == T0 + 63 * S + 63 + 10 * S
    if not same_spool:
        pool.machines["w"].agent.spool_id = "another"
    pool.machines["w"].deaf, pool.machines["w"].due = False, pool.now
    pool.run(1)
    why = [each.why for each in freed(pool)]
    assert why == ([Freed.NEVER_STARTED] if same_spool else [])
    sound(pool)


def test_explain_names_who_holds_it_where_and_until_when():
    pool = given_up({"holds": ("gpu",), "writes": ("db:x",)})
    pool.submit(task("b", 5 * S, holds=("gpu",), reads=("db:x",)))
    a, b = pool.task("a"), pool.task("b")
    found = {each.code: each for each in explain(pool.view, b, pool.now).reasons}
    for code in ("LW721", "LW722"):
        assert found[code].variant == "unconfirmed"
        assert found[code].tasks == (b.id, a.id)
        assert found[code].workers == ("w",)
        assert found[code].numbers["until_at"] == GONE
    own = explain(pool.view, a, pool.now).reasons
    assert [(each.code, each.variant) for each in own] == [("LW728", "unconfirmed")]


def test_it_is_not_forgotten_while_it_may_run():
    pool = given_up({})
    pool.do(cmd.Acknowledge((), PERSON))
    at(pool, GONE - 1)
    assert pool.task("a").acknowledged
    at(pool, GONE)
    assert len(freed(pool)) == 1


def test_a_coordinator_that_starts_again_hears_before_it_frees():
    """It comes back after the stop time + guard: `w` has 15 s to tell, then silence says it."""
    pool = given_up({})
    pool.now = GONE + 5 * S
    pool.tick(resumed=True)
    pool.next_tick = pool.now + S
    pool.machines["z"].dead = True
    pool.run(15 * S)
    assert freed(pool) == []
    pool.run(2 * S)
    assert [each.why for each in freed(pool)] == [Freed.STOP_TIME]


def test_nothing_is_kept_of_what_must_have_stopped_already():
    """Given up after its stop time and guard, in a coordinator that has not looked since."""
    pool = Pool()
    pool.worker("w", guard=GUARD)
    pool.lasts = {"a": 10 * M}
    pool.submit(task("a", M))
    pool.run(S)
    pool.now = GONE
    pool.do(cmd.GiveUp(pool.task("a").id, "ada"))
    assert pool.task("a").unconfirmed is None
    assert pool.view.index.used["w"][0] == 0
    sound(pool)
