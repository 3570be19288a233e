"""Goal: what a plan was told stays true when its tasks are shorter than planned, and numbers are
those known beforehand. Method: Graham's nine tasks (1969), of which a new list schedule, each a
minute shorter, ends later than the first; every list of the eight tasks of scenario S1."""

from __future__ import annotations

from itertools import permutations

import pytest

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.scan.degree import makespan
from leaseway.core.scan.report import scan
from tests.core.pool import M, Pool
from tests.core.pool import task as asked
from tests.core.scan.plans import eight, plan, task

LENGTHS = (3, 2, 2, 2, 4, 4, 4, 4, 9)
NEEDS: tuple[tuple[int, ...], ...] = ((), (), (), (), (3,), (3,), (3,), (3,), (0,))
THREE = Terms((Window(0),), capacity=Capacity(3_000, slots=3), guard=Guard(0, 0, 0, 0))


def names(several):
    return tuple(f"T{at + 1}" for at in several)


def nine(make, **fields):
    return [
        make(f"T{at + 1}", limit_ms=LENGTHS[at] * M, needs=names(NEEDS[at]), **fields)
        for at in range(9)
    ]


def test_s7_started_as_planned_shorter_tasks_end_sooner_where_a_new_list_ends_later():
    placed = scan(plan(*nine(task)), {"box": THREE}, 0).placement
    assert placed is not None
    assert placed.makespan_ms == 12 * M == placed.bound_ms
    assert max(each.end_ms - M for each in placed.tasks) == 11 * M
    sources = [list(mine) for mine in NEEDS]
    assert makespan([length - 1 for length in LENGTHS], sources, 3) == 13


def test_s7_a_pool_keeps_every_promise_when_each_task_ends_a_minute_early():
    pool = Pool()
    pool.worker("box", slots=3)
    pool.lasts = {f"T{at + 1}": (length - 1) * M for at, length in enumerate(LENGTHS)}
    began = pool.now
    pool.submit(*nine(asked, reads=(), writes=()))
    promised = {task.spec.name: task.promise for task in pool.view.facts.tasks.values()}
    assert (
        max(promise or 0 for promise in promised.values()) - began == 17 * M
    )  # in the plan's order
    pool.run(20 * M)
    for each in pool.view.facts.tasks.values():
        assert each.outcome is not None
        assert each.outcome.kind.value == "succeeded"
        assert each.outcome.at <= (promised[each.spec.name] or 0)


@pytest.mark.parametrize(
    ("slots", "as_listed", "of_all"), [(2, 12, {12, 15}), (3, 9, {9, 12}), (8, 6, {6})]
)
def test_s1_other_lists_of_the_eight_end_later(slots, as_listed, of_all):
    """Conflicts 01, 02, 34 and 56 as edges; all 40,320 lists on so many slots."""
    edges: list[list[int]] = [[], [0], [0], [], [3], [], [5], []]
    found = set()
    for turned in permutations(range(8)):
        place = {at: number for number, at in enumerate(turned)}
        sources = [[place[before] for before in edges[at]] for at in turned]
        found.add(makespan([3] * 8, sources, slots))
    assert found == of_all
    report = scan(
        eight(), {"box": Terms((Window(0),), capacity=Capacity(slots * 1000, slots=slots))}, 0
    )
    assert report.degree is not None
    assert report.degree.makespan_ms == as_listed * M
