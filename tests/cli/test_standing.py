"""Goal: a table says when something started, and no more than is known. Method: attempts of every
kind."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.cli.standing import plural, started_of
from leaseway.wire.tasks import EndingInfo
from tests.cli.samples import NOON, succeeded


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
