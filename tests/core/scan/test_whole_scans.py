"""Goal: a whole scan says the numbers that are known beforehand, and stays bounded for bad input.
Method: the scenarios with exact numbers; plans of 100,000 tasks, long cycles, leases that
contradict themselves."""

from __future__ import annotations

import time

import pytest

from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.lease import Guard, Scope, Terms, Window
from leaseway.core.model.plan import Limits
from leaseway.core.scan.problem import Taken
from leaseway.core.scan.report import ScanOptions, scan
from tests.core.scan.plans import codes, eight, plan, task

MINUTE = 60_000
NOW = 5_000_000
NO_GUARD = Guard(0, 0, 0, 0)


def lease(minutes=None, slots=1, **fields):
    ends = None if minutes is None else NOW + round(minutes * MINUTE)
    capacity = Capacity(slots * 1000, slots=slots)
    return Terms((Window(0, ends),), capacity=capacity, guard=NO_GUARD, **fields)


@pytest.mark.parametrize(("slots", "minutes"), [(1, 24), (2, 12), (3, 9), (4, 6), (8, 6)])
def test_the_eight_are_placed_as_well_as_can_be(slots, minutes):
    """28 pairs, 4 conflicts, work 24 over a path of 6; 3 slots need 9, for tasks are whole."""
    report = scan(eight(), {"box": lease(slots=slots)}, NOW)
    assert report.pairs is not None
    assert (report.pairs.total, report.pairs.conflicts) == (28, 4)
    assert report.placement is not None
    assert report.placement.makespan_ms == minutes * MINUTE
    assert report.placement.bound_ms == max(6, 24 // slots) * MINUTE
    assert report.placement.bounds["longest path"] == 6 * MINUTE


def test_the_gap_is_told():
    """Three slots: 9 minutes against a bound of 8, 12.5 %."""
    found = scan(eight(), {"box": lease(slots=3)}, NOW).placement
    assert found is not None
    assert found.gap_percent == 12.5


@pytest.mark.parametrize(("slots", "fit"), [(1, 3), (2, 6)])
def test_three_minute_tasks_in_ten_minutes(slots, fit):
    whole = plan(*(task(f"t{at}", limit_ms=3 * MINUTE) for at in range(8)))
    report = scan(whole, {"box": lease(10, slots)}, NOW)
    assert (report.fit, report.count) == (fit, 8)
    assert report.placement is not None
    assert len(report.placement.tasks) == fit
    assert report.placement.not_placed_count == 8 - fit
    first = report.placement.not_placed[0]
    assert (first.why, first.short_ms) == ("no room", {"box": 2 * MINUTE})


def test_by_and_max_parallel_of_the_plan():
    tasks = [task(f"t{at}", limit_ms=3 * MINUTE) for at in range(4)]
    late = scan(plan(*tasks, by_ms=6 * MINUTE), {"box": lease(slots=1)}, NOW).placement
    assert late is not None
    assert len(late.tasks) == 2
    narrow = scan(plan(*tasks, max_parallel=2), {"box": lease(slots=4)}, NOW).placement
    assert narrow is not None
    assert (narrow.makespan_ms, narrow.bounds["max_parallel"]) == (6 * MINUTE, 6 * MINUTE)


def test_workers_that_the_plan_rules_out():
    leases = {"box": lease(), "mini": lease()}
    for fields in ({"workers": ("mini",)}, {"not_on": ("box",)}):
        found = scan(plan(task("a", limit_ms=1), task("b", limit_ms=1), **fields), leases, NOW)
        assert found.placement is not None
        assert {one.worker for one in found.placement.tasks} == {"mini"}


def test_around_what_is_promised():
    """The one slot is promised from 2 to 5 minutes: a task of 3 is over after 8."""
    taken = Taken("box", NOW + 2 * MINUTE, NOW + 5 * MINUTE, Uses().vector(), ("gpu",))
    whole = plan(task("a", limit_ms=3 * MINUTE))
    found = scan(whole, {"box": lease()}, NOW, ScanOptions(taken=(taken,))).placement
    assert found is not None
    assert found.makespan_ms == 8 * MINUTE
    token = plan(task("a", limit_ms=3 * MINUTE, holds=("gpu",)))
    found = scan(
        token, {"box": lease(), "mini": lease()}, NOW, ScanOptions(taken=(taken,))
    ).placement
    assert found is not None
    assert found.makespan_ms == 8 * MINUTE


def test_parallel_is_recommended_only_where_nothing_is_known_against_it():
    """Four that say nothing of what they touch run one after the other; told harmless, at once."""
    for known, degree in (({"reads": None, "writes": None}, 1), ({}, 4)):
        whole = plan(*(task(f"t{at}", limit_ms=5, **known) for at in range(4)))
        report = scan(whole, {"box": lease(slots=4)}, NOW)
        assert report.degree is not None
        assert report.degree.degree == degree


def test_a_cycle_through_fifty_thousand():
    size = 50_000
    whole = plan(*(task(f"t{at}", needs=(f"t{(at + 1) % size}",)) for at in range(size)))
    started = time.process_time()
    report = scan(whole, {"box": lease(10)}, NOW)
    assert codes(report.findings).count("LW101") == 1
    assert (report.pairs, report.placement, report.exit_code) == (None, None, 3)
    assert time.process_time() - started < 20


def test_a_hundred_thousand_tasks_that_fit_nowhere():
    whole = plan(*(task(f"t{at}", limit_ms=99 * MINUTE) for at in range(100_000)))
    started = time.process_time()
    report = scan(whole, {"box": lease(10)}, NOW)
    assert codes(report.findings).count("LW302") == 100_000
    assert report.exceeds_count == 100_000
    assert report.pairs is not None
    assert not report.pairs.exact
    assert time.process_time() - started < 60


@pytest.mark.parametrize(
    "terms",
    [
        Terms((Window(NOW + 9, NOW + 5),)),
        Terms((Window(0, NOW + 9), Window(3, NOW + 4), Window(NOW + 1))),
        Terms((Window(0),), capacity=Capacity(0, slots=0)),
        Terms((Window(0),), max_run_ms=0, guard=Guard(1 << 60, 0, 0, 0)),
        Terms((Window(0),), tokens=("a", "a"), scope=Scope(commands=("",), read=("/x",))),
        Terms(()),
    ],
    ids=["ends before it opens", "overlapping", "nothing", "no time at all", "odd scope", "none"],
)
def test_leases_that_contradict_themselves(terms):
    whole = plan(task("a", limit_ms=5), task("b", limit_ms=5, needs=("a",)), task("c"))
    report = scan(whole, {"box": terms, "fine": lease()}, NOW)
    assert report.placement is not None
    assert {one.task for one in report.placement.tasks} == {"a", "b"}
    scan(whole, {"box": terms}, NOW, ScanOptions(limits=Limits()))
