"""Goal: a placement is right, and near the best. Method: published examples with their numbers, and
an independent checker that looks at every millisecond of random ones."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.scan.bounds import bounds, strongest
from leaseway.core.scan.by_events import by_events
from leaseway.core.scan.graph import serial
from leaseway.core.scan.placement import best_spots, ends_at
from leaseway.core.scan.problem import NEVER, Kind, Problem
from leaseway.core.scan.ranks import latest_finish, upward
from leaseway.core.scan.serially import serially
from tests.conftest import SHARED_DATA
from tests.core.scan.placements import broken, machine, problem, problems, sources_of, uses

HEFT_LENGTHS = (
    (14, 16, 9),
    (13, 19, 18),
    (11, 13, 19),
    (13, 8, 17),
    (12, 13, 10),
    (13, 16, 9),
    (7, 15, 11),
    (5, 11, 14),
    (18, 12, 20),
    (21, 7, 16),
)
HEFT_EDGES = {
    (1, 2): 18,
    (1, 3): 12,
    (1, 4): 9,
    (1, 5): 11,
    (1, 6): 14,
    (2, 8): 19,
    (2, 9): 16,
    (3, 7): 23,
    (4, 8): 27,
    (4, 9): 23,
    (5, 9): 13,
    (6, 8): 15,
    (7, 10): 17,
    (8, 10): 11,
    (9, 10): 13,
}


def heft():
    """The ten tasks on three processors of Topcuoglu, Hariri and Wu (2002)."""
    apart = {(before - 1, after - 1): cost for (before, after), cost in HEFT_EDGES.items()}
    sources = [[before for before, after in apart if after == at] for at in range(10)]
    kinds = tuple(Kind(uses(1), (), lengths) for lengths in HEFT_LENGTHS)
    machines = tuple(machine(name) for name in ("p1", "p2", "p3"))
    return Problem(machines, kinds, range(10), sources, apart=apart)


def order_of(whole):
    return serial(whole.sources)


def test_the_published_ranks():
    found = upward(heft(), range(10))
    wanted = [108, 77, 80, 80, 69, 63.333, 42.667, 35.667, 44.333, 14.667]
    assert found == pytest.approx(wanted, abs=0.001)


def test_the_published_example_ends_at_80():
    spots = serially(heft(), upward(heft(), range(10)))
    assert ends_at(spots) == 80
    assert ends_at(best_spots(heft(), range(10))) == 80


def psplib(name):
    """One worker, four resources."""
    path = SHARED_DATA / "data" / name
    if not path.exists():
        pytest.skip(f"shared data: there is no {name} beside this checkout")
    blocks = path.read_text(encoding="ascii").split("*" * 72)
    rows = [
        [list(map(int, line.split())) for line in block.splitlines() if numbers(line)]
        for block in blocks
    ]
    arcs, jobs, (offered,) = rows[4], rows[5], rows[6]
    sources: list[list[int]] = [[] for _ in jobs]
    for before, _, _, *after in arcs:
        for follower in after:
            sources[follower - 1].append(before - 1)
    kinds = tuple(Kind(uses(*amounts), (), (length,)) for _, _, length, *amounts in jobs)
    return Problem((machine("m", tuple(offered)),), kinds, range(len(jobs)), sources)


def numbers(line):
    return line.strip() and all(word.isdigit() for word in line.split())


def test_a_project_of_thirty_jobs():
    """Best possible 43; the serial scheme by latest finish and number gives 49."""
    whole = psplib("psplib-j301_1.sm")
    order = order_of(whole)
    assert ends_at(serially(whole, latest_finish(whole, upward(whole, order)))) == 49
    spots = best_spots(whole, order)
    assert broken(whole, spots) == []
    assert 43 <= ends_at(spots) <= 49
    assert strongest(bounds(whole, order, [True] * 32)) <= 43


@pytest.mark.parametrize("way", [serially, by_events])
@given(problems())
def test_random_placements_break_nothing(way, whole):
    order = order_of(whole)
    spots = way(whole, upward(whole, order))
    assert broken(whole, spots) == []
    counted = [spot is not None for spot in spots]
    for by, bound in bounds(whole, order, counted).items():
        assert bound <= ends_at(spots), by


@given(problems())
def test_the_best_is_no_worse_than_each_way(whole):
    order = order_of(whole)
    best = best_spots(whole, order)
    assert broken(whole, best) == []
    for way in (serially, by_events):
        other = way(whole, upward(whole, order))
        assert (best.count(None), ends_at(best)) <= (other.count(None), ends_at(other))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.data())
def test_one_after_the_other_takes_the_sum(lengths, data):
    whole = problem(lengths, data.draw(sources_of(len(lengths))))
    for way in (serially, by_events):
        assert ends_at(way(whole, upward(whole, order_of(whole)))) == sum(lengths)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=5), st.data())
def test_the_bound_is_below_the_best_of_all_orders(lengths, data):
    """Every order of the list, on two slots: the best of them is at or above the bound."""
    whole = problem(lengths, data.draw(sources_of(len(lengths))), (machine(capacity=(2,)),))
    best = min(
        ends_at(serially(whole, [-float(place) for place in turned]))
        for turned in permutations(range(len(lengths)))
    )
    found = best_spots(whole, order_of(whole))
    bound = strongest(bounds(whole, order_of(whole), [True] * len(lengths)))
    assert bound <= best <= ends_at(found)


@pytest.mark.parametrize("way", [serially, by_events])
def test_what_does_not_fit_keeps_only_its_followers_out(way):
    whole = problem([3, 9, 2, 1], [[], [], [1], [0]], (machine(windows=((0, 8),)),))
    spots = way(whole, [4.0, 3.0, 2.0, 1.0])
    assert [spot is None for spot in spots] == [False, True, True, False]


@pytest.mark.parametrize("way", [serially, by_events])
def test_nothing_starts_in_front_of_what_others_were_promised(way):
    """Both cpus are promised from 4 to 6: what takes 5 starts behind it."""
    taken = ((4, 6, uses(2)),)
    whole = problem([5, 3], [[], []], (machine(capacity=(2,), taken=taken),))
    spots = way(whole, [2.0, 1.0])
    assert [(spot.start, spot.end) for spot in spots] == [(6, 11), (0, 3)]


def test_serially_a_short_task_is_put_before_a_long_one():
    """Insertion: the second in rank waits until 2 and leaves a gap before it that the third fits
    into, on a machine that the first cannot use."""
    machines = machine("a"), machine("b")
    kinds = (
        Kind(uses(1), (), (2, None)),
        Kind(uses(1), (), (None, 6)),
        Kind(uses(1), (), (None, 2)),
    )
    spots = serially(Problem(machines, kinds, range(3), [[], [0], []]), [3.0, 2.0, 1.0])
    found = [(spot.machine, spot.start, spot.end) for spot in spots if spot is not None]
    assert found == [(0, 0, 2), (1, 2, 8), (1, 0, 2)]


def test_bounds_by_hand():
    """Three tasks of 4 with one token, on two cpus that open at 1: path 5, cpus 7, token 12."""
    kinds = (Kind(uses(1), ("x",), (4,)),)
    whole = Problem(
        (machine(capacity=(2,), windows=((1, NEVER),)),), kinds, [0, 0, 0], [[], [], []], 2
    )
    found = bounds(whole, range(3), [True] * 3)
    assert found == {"longest path": 5, "cpus": 7, "token x": 12, "max_parallel": 6}
