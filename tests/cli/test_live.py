"""Goal: the live table shows what matters now within the screen. Method: pages as text."""

from __future__ import annotations

from leaseway.cli.live import chosen, screen_lines
from leaseway.cli.paint import Paint
from leaseway.cli.standing import bar
from leaseway.wire.tasks import TaskInfo
from tests.cli.samples import MINUTE, NOON, failed, running, succeeded, task


def many() -> list[TaskInfo]:
    return [
        *(succeeded(f"done-{at}", at) for at in range(30)),
        failed("broken", 30),
        running("busy", 31),
        *(task(f"next-{at}", 32 + at) for at in range(30)),
    ]


def test_all_rows_where_there_is_room():
    tasks = [running("a"), task("b", 2)]
    assert chosen(tasks, 6) == (tasks, {})


def test_what_runs_and_what_failed_stay_in_sight():
    kept, left_out = chosen(many(), 8)
    assert [each.name for each in kept][:2] == ["broken", "busy"]
    assert len(kept) == 8
    assert left_out == {"succeeded": 30, "waiting": 24}


def test_the_page():
    lines = screen_lines("nightly-3", many(), NOON + MINUTE, Paint(), 6)
    assert lines[0] == "nightly-3  12:01:00  31 of 62 ended"
    assert lines[-1] == "and 30 succeeded, 26 waiting"
    assert max(map(len, lines)) <= 100


def test_progress():
    assert bar(0, 80, 0) == "░░░░░░░░"
    assert bar(0, 80, 40) == "████░░░░"
    assert bar(0, 80, 200) == "████████"
    assert bar(5, 5, 5) == "████████"
