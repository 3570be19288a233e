"""Goal: a placement can be read as lanes of time. Method: small placements drawn by hand; random
ones stay within the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.cli.paint import Paint
from leaseway.cli.placement_page import missing, summary
from leaseway.cli.timeline import PLAIN, Strokes, lanes_of, strokes_for, timeline_lines
from leaseway.core.scan.placement import NotPlaced, PlacedAt, Placement

PAINT = Paint(width=46)
TASKS = (
    PlacedAt("build", "box", 0, 20_000),
    PlacedAt("lint", "box", 0, 10_000),
    PlacedAt("test", "box", 20_000, 40_000),
    PlacedAt("doc", "mini", 10_000, 11_000),
)


def test_by_hand():
    """Forty seconds on forty columns behind labels of five and a gap of two... 46 - 7 = 39."""
    assert timeline_lines(TASKS, Paint(width=47), PLAIN) == [
        "box 1  [build=============][test==============]",
        "box 2  [lint====]..............................",
        "mini   ..........|.............................",
        "       0s                                   40s",
    ]


def test_with_lines():
    first, *_ = timeline_lines(TASKS, Paint(width=47), Strokes())
    assert first == "box 1  ├build─────────────┤├test──────────────┤"


@pytest.mark.parametrize(
    ("encoding", "wanted"),
    [("utf-8", Strokes()), ("ascii", PLAIN), ("latin-1", PLAIN), (None, PLAIN), ("odd", PLAIN)],
)
def test_letters_only_where_the_terminal_has_no_lines(encoding, wanted):
    assert strokes_for(encoding) == wanted


def test_without_colour_there_is_none():
    assert "\x1b" not in "".join(timeline_lines(TASKS, PAINT, Strokes()))
    assert "\x1b" in "".join(timeline_lines(TASKS, Paint(True, 46), Strokes()))


def test_several_in_one_column():
    short = [PlacedAt(f"t{at}", "box", at, at + 1) for at in range(1_000)]
    line, _ = timeline_lines(short, Paint(width=65), PLAIN)
    assert set(line) <= set("box |#")


def test_nothing_placed_draws_nothing():
    assert timeline_lines((), PAINT, PLAIN) == []
    assert timeline_lines((PlacedAt("a", "w", 0, 0),), PAINT, PLAIN) == []


@given(
    st.lists(
        st.tuples(st.text(max_size=30), st.sampled_from(["a", "b" * 70]), *[st.integers(0, 99)] * 2)
    ),
    st.integers(60, 100),
)
def test_no_line_is_wider_than_the_page(rows, width):
    tasks = [PlacedAt(name, worker, at, at + long) for name, worker, at, long in rows]
    tasks.sort(key=lambda task: task.start_ms)
    assert all(len(line) <= width for line in timeline_lines(tasks, Paint(width=width), Strokes()))
    for lane in lanes_of(tasks):
        for one, two in zip(lane.tasks, lane.tasks[1:], strict=False):
            assert one.end_ms <= two.start_ms


def test_the_sum_of_it():
    bounds = {"longest path": 30_000, "cpus": 32_000}
    found = Placement(TASKS, 40_000, 32_000, 25.0, bounds)
    assert summary(found) == (
        "A placement: 4 tasks on 2 workers, over after 40s. None is over before 32s (cpus): at"
        " most 25 % to gain."
    )
    best = Placement(TASKS, 32_000, 32_000, 0.0, bounds)
    assert summary(best).endswith("over after 32s. None is over sooner (cpus).")


def test_who_has_no_place_and_by_how_much_each_worker_misses():
    lost = (
        NotPlaced("a", "no room", "", {"box": 120_000, "mini": 5_000}),
        NotPlaced("b", "waits", "a"),
        NotPlaced("c", "no time"),
    )
    found = Placement((), 0, 0, 0.0, {}, lost, 5)
    assert missing(found) == (
        "Without a place: a (no room; too short: box by 2m, mini by 5s); b (waits for a); c (no"
        " time); and 2 more."
    )
