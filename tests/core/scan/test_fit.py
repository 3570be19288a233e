"""Goal: how many tasks fit. Method: scenarios S2 and S3 exactly; agreement with the gates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.admission.gates import drift_of, gates
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.scan.fit import (
    how_many,
    too_many_finding,
    untimed_finding,
    worker_fit,
)
from leaseway.core.scan.sure import Exponential, Normal
from leaseway.core.wording.say import sentence
from tests.core.scan.plans import plan, task

MINUTE = 60_000
NOW = 1_000_000
NO_GUARD = Guard(0, 0, 0, 0)


def terms(minutes=10.0, slots=1, guard=NO_GUARD, **fields):
    ends = NOW + round(minutes * MINUTE)
    capacity = Capacity(cpus_milli=slots * 1000, slots=slots)
    return Terms((Window(0, ends),), capacity=capacity, guard=guard, **fields)


def alone(whole):
    return [(task, 1) for task in whole.tasks]


def fit(whole, lease):
    return worker_fit(whole, "box", lease, NOW, alone(whole))


def threes(count, **fields):
    tasks = [task(f"t{at}", estimate_ms=3 * MINUTE) for at in range(count)]
    return plan(*tasks, **fields)


@pytest.mark.parametrize(
    ("minutes", "each", "gap", "slots", "count"),
    [
        (10, 3, 0, 1, 3),
        (10, 3, 0, 2, 6),
        (9, 3, 0, 1, 3),
        (8.99, 3, 0, 1, 2),
        (10, 4, 0, 1, 2),
        (10, 10, 5, 1, 1),
        (10, 3, 0.5, 1, 3),
        (9.9, 3, 0.5, 1, 2),
        (2, 3, 0, 4, 0),
        (-1, 3, 0, 1, 0),
    ],
)
def test_formula(minutes, each, gap, slots, count):
    each_ms, gap_ms = round(each * MINUTE), round(gap * MINUTE)
    assert how_many(round(minutes * MINUTE), each_ms, gap_ms, slots) == count


@pytest.mark.parametrize(("slots", "count"), [(1, 3), (2, 6), (4, 8)])
def test_three_minute_tasks_in_ten_minutes(slots, count):
    found = fit(threes(8), terms(slots=slots))
    assert (found.fit, found.count, found.slots, found.expected) == (count, 8, slots, True)


def test_told_as_expected():
    whole = threes(8)
    told = too_many_finding(3, 8, [fit(whole, terms())])
    assert told is not None
    assert sentence(told) == ("3 of 8 tasks can finish in the time left (expected): box has 10m.")
    assert too_many_finding(8, 8, [fit(whole, terms(slots=4))]) is None


def test_told_for_each_of_several():
    one, two = (
        fit(threes(8), terms()),
        worker_fit(threes(8), "mini", terms(6), NOW, alone(threes(8))),
    )
    told = too_many_finding(5, 8, [one, two])
    assert told is not None
    assert sentence(told) == ("5 of 8 tasks can finish in the time left (expected): box 3, mini 2.")


def test_bounded_by_cpus_and_by_the_plan():
    heavy = plan(*(task(f"t{at}", limit_ms=3 * MINUTE, uses=Uses(2000)) for at in range(8)))
    found = fit(heavy, terms(slots=4))
    assert (found.slots, found.fit, found.expected) == (2, 6, False)
    assert fit(threes(8, max_parallel=1), terms(slots=4)).fit == 3
    assert fit(threes(8, by_ms=6 * MINUTE), terms()).fit == 2


def test_several_windows():
    lease = terms(4)
    later = Window(NOW + 60 * MINUTE, NOW + 67 * MINUTE)
    both = Terms((*lease.windows, later), capacity=lease.capacity, guard=NO_GUARD)
    assert fit(threes(8), both).fit == 3
    assert fit(threes(8), Terms((later,), guard=NO_GUARD)).open_now is False


def test_without_end_all_fit():
    lease = Terms((Window(0),))
    found = fit(threes(50), lease)
    assert (found.left_ms, found.fit) == (None, 50)


def test_unlimited_slots_and_no_slots():
    free = Capacity(cpus_milli=None, slots=None)
    assert fit(threes(5), Terms((Window(0),), capacity=free)).slots is None
    none = Capacity(slots=0)
    assert fit(threes(5), Terms((Window(0),), capacity=none)).fit == 0


def test_unknown_times_are_counted_apart():
    whole = plan(task("a", limit_ms=1), task("b"), task("c", promise="none"))
    found = fit(whole, terms())
    assert (found.fit, found.count, found.untimed) == (1, 1, 2)
    told = untimed_finding(whole)
    assert told is not None
    assert (told.code, told.tasks) == ("LW304", ("b",))
    assert untimed_finding(plan(task("a", limit_ms=1))) is None


GUARDS = st.builds(Guard, *(st.integers(0, 5) for _ in range(4)))


@given(st.integers(0, 100), st.integers(1, 30), GUARDS, st.integers(1, 3))
def test_agrees_with_the_gates_and_the_formula(left, each, guard, slots):
    """One task fits exactly where its gates let it pass; many by the formula."""
    lease = Terms(
        (Window(0, NOW + left),), capacity=Capacity(slots * 1000, slots=slots), guard=guard
    )
    whole = plan(*(task(f"t{at}", limit_ms=each) for at in range(300)))
    room = left - guard.total_ms - drift_of(guard, left)
    assert fit(whole, lease).fit == min(300, how_many(room, each, guard.overhead_ms, slots))
    alone = plan(task("t", limit_ms=each))
    assert (fit(alone, lease).fit == 1) is not bool(gates(alone.tasks[0], lease, "box", NOW))


LAW = Normal(3 * MINUTE, MINUTE)


@pytest.mark.parametrize(
    ("laws", "sure"),
    [([LAW] * 8, 2), ([Exponential(3 * MINUTE)] * 8, 1), ([LAW] * 7 + [None], None), ([], None)],
)
def test_sure_only_where_history_says_so(laws, sure):
    """Of eight 3-minute tasks in ten minutes 3 are expected, and 2 (1) sure."""
    found = worker_fit(threes(8), "box", terms(), NOW, alone(threes(8)), laws)
    assert (found.fit, found.sure) == (3, sure)
