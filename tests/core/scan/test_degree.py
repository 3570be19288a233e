"""Goal: how many at once pay off. Method: the exact numbers of the worked example."""

from __future__ import annotations

import pytest
from msgspec import structs

from leaseway.core.scan.degree import degree, degree_finding, listed, makespan
from leaseway.core.scan.order import order
from leaseway.core.wording.say import sentence
from tests.core.scan.plans import eight, plan, task

MINUTE = 60_000


def found_in(whole, slots=None):
    return degree(whole, order(whole), slots)


def test_the_eight():
    found = found_in(eight())
    assert found is not None
    assert (found.work_ms, found.path_ms) == (24 * MINUTE, 6 * MINUTE)
    assert (found.degree, found.makespan_ms) == (4, 6 * MINUTE)
    assert (found.fewer_ms, found.more_ms) == (9 * MINUTE, 6 * MINUTE)
    assert sentence(degree_finding(found)) == (
        "At most 4 at once pay off: 6m in all, 9m with 3, 6m with 5."
    )


@pytest.mark.parametrize(("slots", "minutes"), [(1, 24), (2, 12), (3, 9), (4, 6), (8, 6)])
def test_makespans_of_the_eight(slots, minutes):
    """A schedule on so many slots, in the order of the list."""
    sources = [[], [0], [0], [], [3], [], [5], []]
    assert makespan([3] * 8, sources, slots) == minutes
    bounded = found_in(eight(), slots)
    assert bounded is not None
    assert bounded.degree == min(slots, 4)
    assert bounded.makespan_ms == minutes * MINUTE


def test_the_plans_own_bound():
    found = found_in(structs.replace(eight(), max_parallel=2))
    assert found is not None
    assert (found.degree, found.fewer_ms, found.more_ms) == (2, 24 * MINUTE, 9 * MINUTE)


def test_a_chain_has_degree_one():
    whole = plan(task("a", limit_ms=1), task("b", limit_ms=1, needs=("a",)))
    found = found_in(whole)
    assert found is not None
    assert (found.degree, found.makespan_ms, found.fewer_ms, found.more_ms) == (1, 2, None, 2)


@pytest.mark.parametrize(
    "tasks",
    [
        [],
        [task("a", limit_ms=1)],
        [task("a", limit_ms=1), task("b")],
        [task("a", limit_ms=0), task("b", limit_ms=0)],
    ],
    ids=["none", "one", "one unknown", "no time at all"],
)
def test_nothing_to_recommend(tasks):
    assert found_in(plan(*tasks)) is None


GRAHAM = [3, 2, 2, 2, 4, 4, 4, 4, 9]
GRAHAM_ORDER: list[list[int]] = [[], [], [], [], [3], [3], [3], [3], [0]]


@pytest.mark.parametrize(
    ("slots", "less", "sources", "turned", "wanted"),
    [
        (3, 0, GRAHAM_ORDER, range(9), 12),
        (4, 0, GRAHAM_ORDER, range(9), 15),
        (3, 1, GRAHAM_ORDER, range(9), 13),
        (3, 0, [[], [], [], [], [], [], [3], [3], [0]], range(9), 16),
        (3, 0, GRAHAM_ORDER, (0, 1, 3, 4, 5, 2, 8, 6, 7), 14),
    ],
    ids=["three", "four", "each shorter by 1", "two edges fewer", "another list"],
)
def test_grahams_anomalies(slots, less, sources, turned, wanted):
    """More slots, shorter tasks, fewer edges: each makes it later (Graham 1969)."""
    place_of = {at: place for place, at in enumerate(turned)}
    in_order = [[place_of[source] for source in sources[at]] for at in turned]
    assert makespan([GRAHAM[at] - less for at in turned], in_order, slots) == wanted


def test_the_worse_number_of_one_more_is_told():
    whole = plan(
        *(
            task(f"t{at}", limit_ms=length, needs=tuple(f"t{each}" for each in GRAHAM_ORDER[at]))
            for at, length in enumerate(GRAHAM)
        )
    )
    found = found_in(whole)
    assert found is not None
    assert (found.degree, found.makespan_ms, found.more_ms) == (3, 12, 15)


def test_no_slot_that_makes_it_no_sooner():
    """Work 34 over a path of 12 would be 3; where one less ends as soon, it is one less."""
    whole = plan(task("a", limit_ms=9), task("b", limit_ms=1), task("c", limit_ms=1))
    found = found_in(whole)
    assert found is not None
    assert (found.degree, found.makespan_ms, found.fewer_ms, found.more_ms) == (2, 9, 11, 9)
    late = plan(task("a", limit_ms=4), task("b", limit_ms=4, needs=("a",)), task("c", limit_ms=1))
    found = found_in(late, slots=3)
    assert found is not None
    assert (found.degree, found.makespan_ms, found.fewer_ms) == (2, 8, 9)


def test_who_never_waits_gains_nothing_by_more_slots():
    """Two of 5 and one of 3 behind the first: two slots are enough, one holds the second back."""
    lengths, sources = [5, 5, 3], [[], [], [0]]
    assert listed(lengths, sources, 2) == (8, False)
    assert listed(lengths, sources, 3) == (8, False)
    assert listed(lengths, sources, 1) == (13, True)
