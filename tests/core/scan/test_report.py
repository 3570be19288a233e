"""Goal: one report says all that can be said before anything runs. Method: small pools."""

from __future__ import annotations

import time

import msgspec
import pytest

from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.findings import Severity
from leaseway.core.model.lease import Guard, Scope, Terms, Window
from leaseway.core.model.plan import Selector, TaskSpec
from leaseway.core.scan.report import ScanOptions, ScanReport, scan
from leaseway.core.wording.expects import EXPECTS
from leaseway.core.wording.say import mend, sentence
from tests.core.scan.plans import codes, eight, plan, task

MINUTE = 60_000
NOW = 5_000_000
NO_GUARD = Guard(0, 0, 0, 0)


def lease(minutes, slots=1, guard=NO_GUARD, **fields):
    capacity = fields.pop("capacity", Capacity(slots * 1000, slots=slots))
    ends = None if minutes is None else NOW + round(minutes * MINUTE)
    return Terms((Window(0, ends),), capacity=capacity, guard=guard, **fields)


def told(report, code):
    return [finding for finding in report.findings if finding.code == code]


def test_five_left_and_eight_needed():
    report = scan(plan(task("build", limit_ms=8 * MINUTE)), {"box": lease(5)}, NOW)
    (finding,) = told(report, "LW302")
    assert sentence(finding).startswith(
        "The boundary: build needs 8m, box has 5m left; short by 3m."
    )
    (row,) = report.exceeds
    assert (row.task, row.worker, row.bound, row.unit) == ("build", "box", "time left", "ms")
    assert (row.need, row.have, row.short) == (8 * MINUTE, 5 * MINUTE, 3 * MINUTE)
    assert report.exit_code == 3


def test_five_left_and_eight_needed_with_a_guard_of_half_a_minute():
    guard = Guard(20_000, 5_000, 4_000, 1_000)
    report = scan(plan(task("build", limit_ms=8 * MINUTE)), {"box": lease(5, guard=guard)}, NOW)
    (row,) = report.exceeds
    assert (row.need, row.have, row.short) == (480_000, 270_000, 210_000)


def test_one_worker_that_fits_is_enough():
    pool = {"box": lease(5), "mini": lease(20)}
    report = scan(plan(task("build", limit_ms=8 * MINUTE)), pool, NOW)
    assert report.tasks[0].fits_on == ("mini",)
    assert told(report, "LW302") == []
    assert [row.worker for row in report.exceeds] == ["box"]
    assert report.exit_code == 0


def test_every_cap_is_named():
    pool = {
        "box": lease(None, max_run_ms=8 * MINUTE),
        "mini": lease(None, max_run_ms=5 * MINUTE),
    }
    report = scan(plan(task("build", limit_ms=10 * MINUTE)), pool, NOW)
    (finding,) = told(report, "LW301")
    assert "build needs 10m, longer than the max run time of each: box 8m, mini 5m" in sentence(
        finding
    )


def test_what_depends_on_what():
    report = scan(eight(), {"box": lease(60, slots=4, tokens=("x",))}, NOW)
    assert report.pairs is not None
    assert report.degree is not None
    first, second = report.tasks[0], report.tasks[1]
    assert first.waited_by == ("t1", "t2")
    assert [edge.before for edge in second.waits_for] == ["t0"]
    assert (report.pairs.total, report.pairs.conflicts) == (28, 4)
    assert report.degree.degree == 4
    assert report.exit_code == 1


def test_how_many_can_finish():
    report = scan(eight(), {"box": lease(10), "mini": lease(6)}, NOW)
    assert [(found.worker, found.fit, found.count) for found in report.workers] == [
        ("box", 3, 8),
        ("mini", 2, 8),
    ]
    assert (report.fit, report.count) == (5, 8)
    assert len(told(report, "LW305")) == 1


def test_room_where_a_task_may_not_go_does_not_count():
    pool = {"box": lease(3), "gpu": lease(60, labels=("gpu",), max_run_ms=MINUTE)}
    tasks = [task(f"t{at}", limit_ms=3 * MINUTE) for at in range(2)]
    report = scan(plan(*tasks), pool, NOW)
    assert (report.fit, report.count) == (1, 2)


def test_the_plans_own_workers():
    pool = {"box": lease(10), "mini": lease(10)}
    report = scan(plan(task("a", limit_ms=1), not_on=("box",)), pool, NOW)
    assert [found.worker for found in report.workers] == ["mini"]
    report = scan(plan(task("a", limit_ms=1), workers=("boxx",)), pool, NOW)
    assert [told_.variant for told_ in told(report, "LW404")] == ["worker"]
    assert [told_.variant for told_ in told(report, "LW402")] == ["no-worker"]


def test_errors_first_and_json():
    whole = plan(
        TaskSpec("x", "make"),
        task("a", writes=("f",), limit_ms=1),
        task("b", writes=("f",), limit_ms=1, on=Selector(labels=("gpu",))),
        task("c", uses=Uses(64_000), limit_ms=1),
    )
    pool = {"box": lease(10, labels=("gpu",), scope=Scope(commands=("true",)))}
    report = scan(whole, pool, NOW, ScanOptions(checked_against_pool=True))
    ranks = [list(Severity).index(finding.severity) for finding in report.findings]
    assert ranks == sorted(ranks)
    assert {"LW201", "LW206", "LW304", "LW401", "LW501"} <= set(codes(report.findings))
    assert report.checked_against_pool
    assert msgspec.json.decode(msgspec.json.encode(report), type=ScanReport) == report
    for finding in report.findings:
        assert sentence(finding)
        assert isinstance(mend(finding), str)


@pytest.mark.parametrize("code", ["LW210", "LW211", "LW305", "LW201", "LW203", "LW103"])
def test_numbers_are_those_of_the_wording(code):
    report = scan(eight(), {"box": lease(10)}, NOW)
    for finding in told(report, code):
        bare = {name.partition("@")[0] for name in finding.numbers}
        key = f"{code}/{finding.variant}" if finding.variant else code
        assert bare <= set(EXPECTS[key])


def test_a_cycle_has_no_pairs():
    whole = plan(task("a", needs=("b",), limit_ms=1), task("b", needs=("a",), limit_ms=1))
    report = scan(whole, {"box": lease(10)}, NOW)
    assert (report.pairs, report.degree, report.exit_code) == (None, None, 3)


def test_strict_makes_warnings_refuse():
    whole = plan(task("a", writes=("f",), limit_ms=1), task("b", writes=("f",), limit_ms=1))
    assert scan(whole, {"box": lease(10)}, NOW).exit_code == 1
    assert scan(whole, {"box": lease(10)}, NOW, ScanOptions(strict=True)).exit_code == 3


@pytest.mark.parametrize("whole", [plan(), plan(task("a"), task("a"))], ids=["empty", "twice"])
@pytest.mark.parametrize("pool", [{}, {"box": lease(0)}, {"box": Terms(())}])
def test_odd_plans_and_pools(whole, pool):
    report = scan(whole, pool, NOW)
    assert len(report.tasks) == len(whole.tasks)


def test_nothing_wrong():
    whole = plan(task("a", limit_ms=MINUTE), task("b", limit_ms=MINUTE, needs=("a",)))
    report = scan(whole, {"box": lease(10, slots=2)}, NOW)
    assert report.exit_code == 0
    assert all(finding.severity is Severity.NOTE for finding in report.findings)


def test_ten_thousand_tasks_on_twenty_workers_in_time():
    tasks = [
        task(f"t{at}", limit_ms=1 + at % 50, reads=(f"r{at % 2000}",), writes=(f"w{at % 3000}",))
        for at in range(10_000)
    ]
    pool = {f"w{at}": lease(10 + at, slots=4) for at in range(20)}
    started = time.process_time()
    report = scan(plan(*tasks), pool, NOW)
    assert report.count == 10_000
    assert time.process_time() - started < 10.0


@pytest.mark.parametrize(("slots", "degree", "variant"), [(2, 2, "all"), (None, 6, "all")])
def test_no_more_at_once_than_the_pool_has_slots(slots, degree, variant):
    whole = plan(*(task(f"t{at}", limit_ms=MINUTE) for at in range(6)))
    capacity = Capacity(cpus_milli=None if slots is None else slots * 1000, slots=slots)
    leases = {"box": Terms((Window(0),), capacity=capacity)}
    (told_,) = told(scan(whole, leases, 1), "LW211")
    assert (told_.numbers["degree"], told_.variant) == (degree, variant)
    assert "max_parallel" not in mend(told_)


@pytest.mark.parametrize(
    ("written", "notes"),
    [
        (["a"], []),
        (["a", "b"], []),
        (["a", "a"], ["LW210", "LW211"]),
        (["a", "b", "c"], ["LW210", "LW211"]),
    ],
)
def test_of_two_tasks_pairs_are_told_only_if_they_conflict(written, notes):
    tasks = [
        task(f"t{at}", limit_ms=MINUTE, reads=(), writes=(name,)) for at, name in enumerate(written)
    ]
    said = codes(scan(plan(*tasks), {"box": lease(10, slots=2)}, NOW).findings)
    assert [code for code in said if code in ("LW210", "LW211")] == notes
