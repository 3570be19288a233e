"""Goal: what loses its room moves in silence if in time, else is told. Method: by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.plan import Boundaries, Selector
from leaseway.core.model.states import LeaseState
from leaseway.core.model.view import Settings
from tests.core.pool import AGENT, PERSON, T0, M, Pool, S, codes, events, offer, task


@pytest.fixture
def pool():
    """Two workers of one slot that were just registered: nothing starts, everything waits."""
    made = Pool()
    made.register("v", offer())
    made.register("w", offer())
    return made


def drain(pool, name):
    pool.do(cmd.SetState(name, LeaseState.DRAINING, "ada"))


def room(pool, name):
    one = pool.task(name).reservation
    return one and (one.worker, one.start - T0)


def withdrawn(pool):
    return [(one.task, one.old - T0, one.new and one.new - T0) for one in moved(pool)]


def moved(pool):
    return events(pool, ev.PromiseWithdrawn)


def test_in_time_elsewhere_is_a_silent_move(pool):
    pool.submit(task("a", M), task("b", M), task("c", M))
    assert [room(pool, name) for name in "abc"] == [("v", 0), ("w", 0), ("v", M)]
    pool.register("u", offer())
    drain(pool, "w")
    assert room(pool, "b") == ("u", 0)
    assert pool.task("b").promise == T0 + M
    finding = pool.task("b").moved
    assert (finding.code, finding.variant) == ("LW307", "moved")
    assert finding.numbers["old_worker"] == "w"
    assert withdrawn(pool) == []


def test_later_than_promised_is_withdrawn_with_cause_old_and_new(pool):
    pool.submit(task("a", M), task("b", M))
    drain(pool, "w")
    assert withdrawn(pool) == [("p-1/b", M, 2 * M)]
    cause = moved(pool)[0].cause
    assert (cause.code, cause.variant, cause.workers) == ("LW605", "drained", ("w",))
    assert pool.task("b").promise == T0 + 2 * M


def test_elders_are_placed_first_and_strangers_are_not_touched(pool):
    pool.submit(task("a", 3 * M), workers=("v",))
    pool.submit(task("b", M), task("c", 2 * M), workers=("w",))
    pool.register("u", offer())
    before = room(pool, "a")
    pool.view.facts.plans["p-2"].boundaries = Boundaries()
    drain(pool, "w")
    assert room(pool, "a") == before
    assert room(pool, "b") == ("u", 0)
    assert room(pool, "c") == ("u", M)


def test_a_follower_moves_behind_its_predecessor(pool):
    """`b` follows `a`; `a` has to go behind `x`, and `b`, on the other worker, with it."""
    pool.submit(task("x", M), workers=("v",))
    pool.submit(task("a", M), task("b", M, needs=("a",)))
    assert room(pool, "a") == ("w", 0)
    drain(pool, "w")
    assert room(pool, "a") == ("v", M)
    assert room(pool, "b") == ("v", 2 * M)
    assert [one[0] for one in withdrawn(pool)] == ["p-2/a", "p-2/b"]


def test_a_follower_elsewhere_moves_because_its_predecessor_does(pool):
    """`a` goes from `y` to `z`, a minute later; `b` stays on `v`, the only one that may take it."""
    for name, label in (("y", "yz"), ("z", "yz"), ("x", "x")):
        pool.register(name, offer(labels=(label,)))
    pool.submit(task("busy", M), workers=("z",))
    on = {"a": Selector(labels=("yz",)), "b": Selector(labels=("x",))}
    pool.submit(task("a", M, on=on["a"]), task("b", M, needs=("a",), on=on["b"]))
    assert (room(pool, "a"), room(pool, "b")) == (("y", 0), ("x", M))
    drain(pool, "y")
    assert (room(pool, "a"), room(pool, "b")) == (("z", M), ("x", 2 * M))
    assert withdrawn(pool) == [("p-2/a", M, 2 * M), ("p-2/b", 2 * M, 3 * M)]


def test_without_room_it_waits_and_is_placed_when_there_is_some(pool):
    pool.submit(task("a", M), task("b", M))
    drain(pool, "v")
    drain(pool, "w")
    assert [room(pool, name) for name in "ab"] == [None, None]
    assert [one[2] for one in withdrawn(pool)][-2:] == [None, None]
    pool.now += 10 * S
    pool.do(cmd.SetState("v", LeaseState.ACTIVE, "ada"))
    assert [room(pool, name) for name in "ab"] == [("v", 10 * S), ("v", 70 * S)]
    assert pool.task("b").promise == T0 + 130 * S, "a new promise is told"


def test_a_requester_s_boundaries_hold_when_it_moves(pool):
    pool.submit(task("a", M), workers=("w",))
    drain(pool, "w")
    assert room(pool, "a") is None
    assert codes([pool.task("a").moved]) == ["LW605"]


@pytest.mark.parametrize(("who", "expected"), [(PERSON, "succeeded"), (AGENT, "refused")])
def test_people_wait_under_a_later_promise_and_agents_end(who, expected):
    """Both workers are busy for 30 s; the one on which it was promised goes away."""
    pool = Pool(Settings(grants_ahead=0))
    pool.worker("w")
    pool.worker("v")
    pool.lasts = {"first": 29 * S, "second": 29 * S}
    pool.submit(task("first", 30 * S), task("second", 30 * S), name="other")
    pool.submit(task("a", 5 * S), who=who)
    pool.submit(task("b", 20 * S), task("c", 20 * S), name="behind")
    pool.machines[pool.task("a").reservation.worker].dead = True
    pool.run(120 * S)
    assert pool.outcome("a") == expected
    assert pool.task("a").moved is not None or pool.task("a").outcome.cause.code == "LW605"
