"""Goal: a table says when something started, and no more than is known. Method: attempts of every
kind."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.cli.plain import detail_of
from leaseway.cli.standing import left_of, plural, started_of, why_of
from leaseway.cli.task_page import edges_text, pairs_of
from leaseway.wire.tasks import EdgeInfo, EndingInfo
from tests.cli.samples import NOON, running, succeeded, task


@pytest.mark.parametrize(
    ("told", "ending", "shown"),
    [
        (NOON, EndingInfo("exited", held_ms=13), "12:00:00"),
        (None, EndingInfo("exited", held_ms=60_000), "12:02:00"),
        (NOON, EndingInfo("spawn-failed"), ""),
        (None, EndingInfo("unknown"), ""),
        (None, None, ""),
    ],
)
def test_when_it_started(told, ending, shown):
    attempt = succeeded("build").attempt
    assert attempt is not None
    attempt = replace(attempt, started_at=told, ending=ending)
    assert started_of(replace(succeeded("build"), attempt=attempt)) == shown


def test_one_is_not_several():
    assert [plural(count, "task") for count in (0, 1, 2)] == ["0 tasks", "1 task", "2 tasks"]
    assert plural(2, "process", "processes") == "2 processes"


def test_a_task_of_another_plan_is_named_with_its_plan():
    edges = (EdgeInfo("nightly-3/gen", "needs"), EdgeInfo("other-3/gen", "write-after-write", "a"))
    assert why_of(task("test", edges=edges)) == "after gen, other-3/gen"
    said = "gen (needs), other-3/gen (write-after-write over a)"
    assert edges_text(edges, "nightly-3") == said


@pytest.mark.parametrize(
    ("bounds", "shown"),
    [
        ({"promise": None, "limit_ms": None}, "none yet; looked at again at 12:08:00"),
        ({"promise": None}, "12:08:00"),
        ({}, "12:08:00"),
    ],
)
def test_a_stop_time_that_will_be_put_off_is_no_end(bounds, shown):
    assert dict(pairs_of(running("build", **bounds)))["stop time"] == shown


def test_a_line_of_a_running_task_says_no_end_either():
    endless = running("build", promise=None, limit_ms=None)
    assert detail_of(endless) == "on box, no stop time yet, looked at again at 12:08:00"
    assert detail_of(running("build", promise=None)) == "on box, stop time 12:08:00"


def test_what_is_past_its_stop_time_is_over_by_so_much():
    late = running("build")
    assert left_of(late, NOON + 486_000) == "████████ 6s over"
    assert left_of(late, NOON + 240_000) == "████░░░░ 4m"
