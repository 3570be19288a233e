"""Goal: a refusal by demand is a proof, and for work released now there is no better one.
Method: scenarios S3 to S5; the largest flow from tasks to stretches of time as oracle."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.admission.demand import shortage
from leaseway.core.admission.weights import shares
from leaseway.core.admission.work import Work
from tests.core.admission.test_projection import M, cpus, work

CORE = 1_000 * M  # a core-minute


def found(works, count=1, now=0):
    return shortage(works, count * 1_000, now * M)


def test_s3_five_left_against_eight():
    alone = found([work(8, due=5)])
    assert (alone.demand, alone.supply, alone.task) == (8 * CORE, 5 * CORE, "t")
    guarded = found([work(8, due=4.5)])
    assert guarded.demand - guarded.supply == 3.5 * CORE
    assert found([work(8, due=5)], count=2) is not None, "it can use one core only"
    assert found([work(8, due=5, cap=2)], count=2) is None


@pytest.mark.parametrize(
    ("short", "due", "demand", "supply"),
    [(1, 10, None, None), (1, 9.5, 10, 9.5), (2, 10, 12, 10), (3, 10, 14, 10)],
)
def test_s4_on_one_core(short, due, demand, supply):
    no = found([work(8, due=due), work(short, due=due), work(short, due=due)])
    if demand is None:
        assert no is None
    else:
        assert (no.demand, no.supply, no.by) == (demand * CORE, supply * CORE, due * M)
        assert no.holds


@pytest.mark.parametrize(("short", "demand"), [(1, None), (2, 10), (3, 12)])
def test_s4_arriving_at_two(short, demand):
    no = found([work(6, due=10), work(short, due=10), work(short, due=10)], now=2)
    assert (no.demand if no else None) == (None if demand is None else demand * CORE)
    assert no is None or no.supply == 8 * CORE


def test_s4_the_second_after_the_first_was_let_in():
    """Each alone would do; together they do not."""
    first = [work(8, due=10), work(2, due=10)]
    assert found(first) is None
    no = found([*first, work(2, due=10)])
    assert (no.demand, no.supply) == (12 * CORE, 10 * CORE)


@pytest.mark.parametrize(("short", "due", "refused"), [(5, 9.5, False), (6, 9.5, True)])
def test_s5_on_two_cores(short, due, refused):
    no = found([work(8, due=due), work(short, due=due), work(short, due=due)], 2)
    assert (no is not None) == refused
    assert no is None or (no.demand, no.supply) == (20 * CORE, 19 * CORE)


def test_s5_both_cores():
    no = found([work(16, due=9.5, cap=2), work(2, due=9.5), work(2, due=9.5)], 2)
    assert (no.demand, no.supply) == (20 * CORE, 19 * CORE)


def test_s5_weights():
    """s = 5, guard 0.5: 8/9.5 + 2 · 5/9.5 = 1.895 of two cores."""
    known = shares([work(8, due=9.5), work(5, due=9.5), work(5, due=9.5)], 2_000, 0)
    assert known == [842_106, 526_316, 526_316]
    assert shares([work(8, due=9.5), work(6, due=9.5), work(6, due=9.5)], 2_000, 0) is None
    assert shares([work(8, due=7)], 2_000, 0) is None, "more than it can use"


def test_exactly_enough_nothing_to_do_and_more_than_there_is():
    assert found([work(10, due=10)]) is None
    assert found([work(0, due=0)]) is None
    assert shares([work(10, due=10)], 1_000, 0) == [1_000_000]
    assert found([work(10, due=5, cap=4)], 2) is None, "two cores, whatever it could use"
    assert found([work(11, due=5, cap=4)], 2).supply == 10 * CORE


def test_by_minute_ten_two_cores_three_of_six():
    """Demand 18 of 20 passes, though unbroken the best ends at 12: the test knows only cut work."""
    assert found([work(6, due=10)] * 3, 2) is None
    assert found([work(6.75, due=10)] * 3, 2) is not None


def test_with_releases_to_come_passing_proves_nothing():
    """Two cores: every interval passes and 7 of 8 can be served."""
    times = [(2, 1, 3), (3, 1, 5), (1, 1, 2), (1, 4, 5), (1, 4, 5)]
    works = [work(w, due=due, release=release) for w, release, due in times]
    assert found(works, 2) is None
    assert flow(works, 2_000) < sum(each.left for each in works)


def test_ten_thousand_alike():
    assert found([work(1, due=10_000)] * 10_000) is None
    assert found([work(1, due=9_999)] * 10_000) is not None


def flow(works, free, now=0):
    """The most that can be done: tasks → stretches between releases and stop times → cpus."""
    marks = sorted(
        {now, *(each.due for each in works), *(max(now, each.release) for each in works)}
    )
    spans = [span for span in itertools.pairwise(marks) if span[0] >= now]
    start, end = "s", "e"
    room: dict[object, dict[object, int]] = {start: {}, end: {}}

    def join(one, two, most):
        room.setdefault(one, {})[two] = most
        room.setdefault(two, {}).setdefault(one, 0)

    for at, each in enumerate(works):
        join(start, at, each.left)
        for span in spans:
            if span[0] >= each.release and span[1] <= each.due:
                join(at, span, min(each.cap, free) * (span[1] - span[0]))
    for span in spans:
        join(span, end, free * (span[1] - span[0]))
    total = 0
    while path := _path(room, start, end):
        most = min(room[one][two] for one, two in itertools.pairwise(path))
        for one, two in itertools.pairwise(path):
            room[one][two] -= most
            room[two][one] += most
        total += most
    return total


def _path(room, start, end):
    """A shortest way with room left (Edmonds and Karp 1972)."""
    queue, came = [start], {start: None}
    for one in queue:
        for two, most in room[one].items():
            if most and two not in came:
                came[two] = one
                queue.append(two)
    if end not in came:
        return None
    path = [end]
    while path[-1] != start:
        path.append(came[path[-1]])
    return path[::-1]


some = st.builds(
    Work,
    name=st.just("t"),
    left=st.integers(0, 12).map(lambda each: each * 500),
    cap=st.sampled_from([500, 1_000, 2_000]),
    due=st.integers(1, 9),
    release=st.integers(0, 4),
)


@given(st.lists(some, min_size=1, max_size=5), cpus)
def test_exact_for_what_is_released(works, free):
    works = [Work(each.name, each.left, each.cap, each.due) for each in works]
    can = flow(works, free) == sum(each.left for each in works)
    assert (shortage(works, free, 0) is None) == can


@given(st.lists(some, min_size=1, max_size=5), cpus)
def test_a_refusal_is_right_whatever_is_to_come(works, free):
    no = shortage(works, free, 0)
    if no is not None:
        assert no.holds
        assert flow(works, free) < sum(each.left for each in works)


@given(st.lists(some, min_size=1, max_size=4), cpus)
def test_shares_that_add_up_can_be_served(works, free):
    if shares(works, free, 0) is not None:
        assert shortage(works, free, 0) is None
