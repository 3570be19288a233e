"""Goal: the three numbers of pairs. Method: the exact numbers of scenario S1; random plans against
a comparison of every pair."""

from __future__ import annotations

import time
from itertools import combinations

import pytest
from hypothesis import given

from leaseway.core.model.plan import Edge, EdgeKind
from leaseway.core.scan.order import order
from leaseway.core.scan.pair_bounds import conflicts_most, ordered_bounds
from leaseway.core.scan.pairs import pairs, pairs_finding
from leaseway.core.wording.say import sentence
from tests.core.scan.plans import closure, conflict, eight, plan, random_plans, task


def counted(whole):
    return pairs(whole, order(whole))


def chain(size, name="c"):
    return [task(f"{name}{at}", needs=(f"{name}{at - 1}",) if at else ()) for at in range(size)]


def fork_join(middle):
    fork = [task("first")]
    fork += [task(f"m{at}", needs=("first",)) for at in range(middle)]
    return [*fork, task("last", needs=tuple(f"m{at}" for at in range(middle)))]


@pytest.mark.parametrize(
    ("tasks", "overlap"),
    [
        ([task("a")], 0),
        ([task(f"t{at}") for at in range(2)], 1),
        ([task(f"t{at}") for at in range(4)], 6),
        ([task(f"t{at}") for at in range(8)], 28),
        (chain(8), 0),
        (fork_join(6), 15),
        ([*chain(4), *chain(4, "d")], 16),
        (fork_join(2), 1),
    ],
    ids=["1", "2", "4", "8", "chain of 8", "fork and join", "two chains of 4", "diamond"],
)
def test_may_overlap(tasks, overlap):
    found = counted(plan(*tasks))
    assert (found.overlap, found.conflicts, found.beside) == (overlap, 0, overlap)


def test_four_of_twenty_eight_conflict():
    found = counted(eight())
    assert (found.total, found.overlap, found.conflicts) == (28, 28, 4)
    assert (found.over, found.most, found.beside) == ("f", 2, 24)
    told = pairs_finding(eight(), found)
    assert told is not None
    assert sentence(told) == (
        "8 tasks make 28 pairs: 28 may overlap by the declared order, 4 really conflict;"
        " f causes most of them (2); 24 are left to run side by side."
    )


def test_ordered_by_needs_is_no_conflict():
    whole = plan(task("a", writes=("f",)), task("b", reads=("f",), needs=("a",)))
    found = counted(whole)
    assert (found.overlap, found.conflicts, found.over) == (0, 0, "")


def test_a_token_may_cause_most():
    whole = plan(*(task(f"t{at}", holds=("gpu",), writes=(f"f{at % 3}",)) for at in range(5)))
    assert (counted(whole).over, counted(whole).most) == ("gpu", 10)


def test_a_directory_and_a_file_in_it_conflict_once():
    whole = plan(task("a", writes=("d", "d/f")), task("b", reads=("d/f", "d")))
    found = counted(whole)
    assert (found.conflicts, found.over, found.most) == (1, "d", 1)


def test_one_task_has_no_pairs():
    assert pairs_finding(plan(task("a")), counted(plan(task("a")))) is None


def test_five_thousand_tasks_in_time():
    whole = plan(
        *(
            task(
                f"t{at}",
                needs=tuple(f"t{at // part}" for part in (2, 3, 5) if at // part < at),
                reads=(f"r{at % 2000}", f"r{at * 7 % 2000}"),
                writes=(f"r{at * 13 % 2000}",),
            )
            for at in range(5_000)
        )
    )
    ordered = order(whole)
    started = time.process_time()
    assert pairs(whole, ordered).total == 12_497_500
    assert time.process_time() - started < 2.0


@pytest.mark.parametrize("few", [0, 20], ids=["all at once", "one by one"])
@given(random_plans())
def test_against_every_pair(few, whole):
    declared = closure({t.name: [Edge(n, EdgeKind.NEEDS) for n in t.needs] for t in whole.tasks})
    ordered = order(whole)
    every = closure(ordered.edges)

    def apart(before, one, two):
        return one.name not in before[two.name] and two.name not in before[one.name]

    both = list(combinations(whole.tasks, 2))
    found = pairs(whole, ordered, few=few)
    overlap = [pair for pair in both if apart(declared, *pair)]
    assert found.total == len(both)
    assert found.overlap == len(overlap)
    assert found.conflicts == sum(conflict(*pair) for pair in overlap)
    assert found.beside == sum(apart(every, *pair) for pair in both)
    assert found.most <= (found.conflicts or 0)
    assert bool(found.most) is bool(found.conflicts)


@given(random_plans())
def test_bounds_hold_what_is_counted(whole):
    """The same plans counted one by one, and by bounds only."""
    exact, bounded = counted(whole), pairs(whole, order(whole), exact=0)
    assert not bounded.exact
    assert bounded.overlap_most is not None
    assert bounded.beside_most is not None
    assert bounded.overlap <= exact.overlap <= bounded.overlap_most
    assert bounded.beside <= exact.beside <= bounded.beside_most
    if bounded.conflicts_most is not None:
        assert exact.conflicts is not None
        assert exact.conflicts <= bounded.conflicts_most


def test_bounds_by_hand():
    """A fork of six and its join: 13 of 28 pairs are ordered, and levels alone say so."""
    sources = [[], *([0] for _ in range(6)), [1, 2, 3, 4, 5, 6]]
    found = ordered_bounds(sources)
    assert (found.least, found.most) == (12, 13)
    assert conflicts_most(eight()) == 4
    assert conflicts_most(plan(task("a", writes=("d",)), task("b", reads=("d/f",)))) is None


def test_bounds_are_told():
    whole = plan(*(task(f"t{at}", writes=("f",)) for at in range(4)))
    told = pairs_finding(whole, pairs(whole, order(whole), exact=3))
    assert told is not None
    assert sentence(told) == (
        "4 tasks make 6 pairs, too many to look at each: 6 to 6 may overlap by the declared order,"
        " at most 6 really conflict; 0 to 0 are left to run side by side."
    )
