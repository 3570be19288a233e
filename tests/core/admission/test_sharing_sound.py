"""Goal: where cpus are shared no promise rests on more than a task has surely had, nor on when a
grant arrives; and who will be late already stands in no elder's way. Method: numbers by hand; the
law in fractions over every begin within the time that delivery may take."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from leaseway.core.admission.demand import shortage
from leaseway.core.admission.projection import ends
from leaseway.core.admission.room import Room
from leaseway.core.admission.shared import OVER, works_on
from leaseway.core.admission.work import Work
from leaseway.core.agent import Agent, next_request
from leaseway.core.folds.sharing import sleeps
from leaseway.core.model import commands as cmd
from leaseway.core.model import worker as wk
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, Mode, TermsChange, TermsOffer, WindowOffer
from leaseway.core.model.spans import Span, served
from leaseway.core.recompute import recomputed
from tests.core.admission.test_projection import cpus, exactly, sets
from tests.core.pool import T0, Machine, Pool, S, task


def terms(count, mode=Mode.SHARED, delivery_ms=0, **fields):
    capacity = Capacity(count * 1_000, slots=9)
    guard = Guard(1_000, 0, delivery_ms, 500)
    return TermsOffer((WindowOffer(),), capacity=capacity, guard=guard, mode=mode, **fields)


def pool_of(count, **fields):
    pool = Pool()
    reply = pool.register("w", terms(count, **fields))
    machine = pool.machines["w"] = Machine(pool, "w", Agent("w", "spool-w", "boot-w"))
    machine.tell(wk.Registered(reply, machine.now().boot_ms))
    machine.sync()
    return pool


def left(pool):
    """By name what is left at most, in seconds of one cpu."""
    works, _ = works_on(Room(pool.view, pool.now), pool.view.facts.leases["w"], pool.now)
    return {each.name.rsplit("/", 1)[1]: each.left / 1_000_000 for each in works}


def two_for_eight_seconds(**fields):
    """Two of ten seconds on one cpu, each of which has had four of eight."""
    pool = pool_of(1, stretch_percent=1_000, **fields)
    pool.lasts = {"a": 99 * S, "b": 99 * S}
    pool.submit(task("a", 10 * S), task("b", 10 * S))
    pool.run(8 * S)
    return pool


def change(pool, **fields):
    pool.do(cmd.ChangeLease("w", TermsChange(**fields), "ada"))


# What it has surely had -------------------------------------------------------------------------


def test_more_cpus_from_now_on_were_not_there_before():
    pool = two_for_eight_seconds()
    assert left(pool) == {"a": 6, "b": 6}
    change(pool, capacity=Capacity(2_000, slots=9))
    assert left(pool) == {"a": 6, "b": 6}
    pool.run(S)
    assert left(pool) == {"a": 5, "b": 5}


def test_fewer_cpus_from_now_on_take_nothing_back():
    pool = pool_of(2, stretch_percent=1_000)
    pool.lasts = {"a": 99 * S, "b": 99 * S}
    pool.submit(task("a", 10 * S), task("b", 10 * S))
    pool.run(4 * S)
    change(pool, capacity=Capacity(1_000, slots=9))
    assert left(pool) == {"a": 6, "b": 6}


def test_a_daemon_that_starts_again_forgets_nobody_who_runs():
    pool = two_for_eight_seconds()
    pool.register("w", terms(1, stretch_percent=1_000))
    assert left(pool) == {"a": 6, "b": 6}


def test_nothing_is_had_while_the_machine_sleeps():
    pool = two_for_eight_seconds()
    lease = pool.view.facts.leases["w"]
    sleeps(lease, 2 * S, pool.now)  # two of the eight
    assert left(pool) == {"a": 7, "b": 7}


def test_who_ran_before_the_cpus_were_shared_has_its_part_too():
    """`r` has one of two cpus, then the mode changes; `a` and `b` come."""
    pool = pool_of(2, mode=Mode.RESERVED)
    pool.lasts = {"r": 60 * S, "a": 60 * S, "b": 60 * S}
    pool.submit(task("r", 60 * S))
    pool.run(S)
    change(pool, mode=Mode.SHARED, stretch_percent=1_000)
    pool.submit(task("a", 6 * S), task("b", 6 * S))
    pool.run(3 * S)
    assert left(pool) == {"a": 4, "b": 4}, "three on two cpus: two thirds each"


def test_who_may_have_begun_unheard_of_has_its_part_too():
    """`a` runs; `b` was granted two seconds ago and nothing was heard since."""
    pool = pool_of(1, stretch_percent=1_000, delivery_ms=2_000)
    pool.lasts = {"a": 99 * S, "b": 99 * S}
    pool.submit(task("a", 10 * S))
    pool.run(2 * S)
    pool.machines["w"].dead = True
    pool.submit(task("b", 10 * S))
    machine = pool.machines["w"]
    pool.do(cmd.Sync(next_request(machine.agent, machine.now()), pool.now, "fresh"))
    assert pool.task("b").attempt is not None
    pool.now += 2 * S
    assert left(pool) == {"a": 7, "b": 10}


def test_cpus_that_were_there_until_then():
    spans = (Span("a", 1, 1_000, 0), Span("b", 1, 1_000, 0))
    assert served(spans, 2_000, 10, ((4, 1_000),)) == {"a": 2_000 + 6_000, "b": 8_000}
    assert served(spans, 1_000, 10, ((2, 1_000), (6, 0))) == {"a": 3_000, "b": 3_000}


# When a grant arrives ---------------------------------------------------------------------------


def test_a_promise_holds_however_late_its_grant_arrives():
    """`a` of 10 s is promised to stop at 21; with `b` beside it from 2 s on it would end at 22."""
    pool = pool_of(1, stretch_percent=190, delivery_ms=2_000)
    pool.submit(task("a", 10 * S))
    assert pool.task("a").reservation.end - T0 == 22 * S  # stop at 21 and the tail
    pool.submit(task("b", 20 * S))
    assert pool.task("b").reservation.start - T0 == 12 * S, "when `a` is over at the latest"


@given(sets, cpus, st.lists(st.integers(0, 9), min_size=6, max_size=6), st.data())
def test_whoever_begins_when_nobody_ends_after_what_was_told(works, free, lates, data):
    able = [replace(each, late_ms=late) for each, late in zip(works, lates, strict=False)]
    told = ends(able, free, 0)
    begun = [
        replace(each, release=each.release + data.draw(st.integers(0, each.late_ms)), late_ms=0)
        for each in able
    ]
    for end, real in zip(told, exactly(begun, free), strict=True):
        assert real <= end + Fraction(1, 50)


def test_what_may_begin_late_is_no_proof_against_it():
    """It fits exactly if it begins at once: the demand test says nothing of when it will."""
    assert shortage([Work("t", 10_000, 1_000, 10, late_ms=5)], 1_000, 0) is None
    assert ends([Work("t", 10_000, 1_000, 10, late_ms=5)], 1_000, 0) == [15]


# Who will be late already -----------------------------------------------------------------------


def who_is_late():
    """Two cpus become one: `young` will not make it whatever happens; `elder` comes at 9 s, and
    fits beside it: 3 s by 15.5."""
    pool = pool_of(2)
    pool.lasts = {"before": 7 * S, "elder": 6 * S, "young": 99 * S}
    pool.submit(task("before", 4 * S, writes=("x",)), by_ms=9 * S)
    pool.submit(task("elder", 3 * S, writes=("x",)), by_ms=16_500)
    pool.submit(task("young", 12 * S), by_ms=18_900)
    pool.run(S)
    change(pool, capacity=Capacity(1_000, slots=9))
    return pool


def test_who_was_told_it_will_be_late_keeps_no_elder_waiting():
    pool = who_is_late()
    young = pool.task("young").attempt
    assert (young.cause.variant, young.stop_reason) == ("contention", None)
    works, _ = works_on(Room(pool.view, pool.now), pool.view.facts.leases["w"], pool.now)
    assert works[-1].due == OVER
    pool.run(15 * S)
    assert (pool.outcome("elder"), pool.task("elder").moved) == ("succeeded", None)
    assert pool.task("elder").outcome.at <= pool.task("elder").promise


def test_who_had_less_than_it_was_promised_has_not_overrun():
    pool = who_is_late()
    pool.run(20 * S)
    assert pool.outcome("young") == "stopped"
    assert not pool.view.facts.overran
    assert all(each.same for each in recomputed(pool.history))


def test_who_is_evicted_beside_others_has_not_overrun():
    """Two of 8 s on one cpu: at 9 s of wall time `young` had 4.5 of its own."""
    pool = pool_of(1, stretch_percent=250)
    pool.lasts = {"old": 99 * S, "young": 99 * S}
    pool.submit(task("old", 8 * S))
    pool.submit(task("young", 8 * S))
    pool.run(9 * S)
    change(pool, capacity=Capacity(500, slots=9))
    pool.run(3 * S)
    assert pool.outcome("young") == "stopped"
    assert not pool.view.facts.overran
