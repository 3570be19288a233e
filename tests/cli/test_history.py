"""Goal: what is known of earlier runs is read at a glance, and what is not known is said. Method:
transcripts of a pool made by hand."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from leaseway.cli.history_page import learned_text
from leaseway.cli.history_plot import plot_lines
from leaseway.cli.paint import Paint
from leaseway.cli.submit import accepted_lines
from leaseway.wire.history import EstimateInfo, HistoryInfo, RunInfo
from tests.cli.samples import MINUTE, NOON, accepted, task

KEY = "0123456789ab"
LEARNED = EstimateInfo(8 * MINUTE, 23, KEY, "command", 900_000, 16, 15, 937_500)
RUNS = tuple(
    RunInfo(ran * MINUTE, NOON + at * MINUTE, "box", ended, ran * MINUTE, 0)
    for at, (ran, ended) in enumerate(((2, True), (4, True), (8, True), (6, False)))
)
WHOLE = HistoryInfo(
    KEY, "command", "make train", "/srv", "gpu", 3, 1, 9, NOON + 3 * MINUTE, runs=RUNS
)
BOUND = replace(WHOLE, ended=23, bound_ms=8 * MINUTE, judged=16, covered=15)


def test_a_bound_in_one_line():
    assert learned_text(LEARNED) == "8m: 90 % bound from 23 runs, achieved 93 %"
    fresh = replace(LEARNED, runs=9, likeness="template", judged=0, covered=0, achieved_ppm=None)
    assert learned_text(fresh) == "8m: 90 % bound from 9 runs of commands like it"


def test_bars_are_aligned_and_measured(run, fake):
    """Of 40 cells the longest has all; 2, 4 and 6 of 8 minutes are 10, 20 and 30."""
    fake.histories = (WHOLE,)
    lines = run("history", KEY).stdout.splitlines()
    bars = [line for line in lines if "█" in line]
    assert [line.count("█") for line in bars] == [10, 20, 40, 30]
    assert len({line.index("█") for line in bars}) == 1
    assert bars[3].endswith("▷ stopped")
    assert max(len(line) for line in lines) <= 100
    assert any("no estimate yet: 3 of 9 runs" in line for line in lines)
    assert fake.named("history") == [(KEY, None, 100)]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (BOUND, "8m, achieved 93 %"),
        (WHOLE, "no estimate yet: 3 of 9 runs"),
        (replace(WHOLE, ended=12), "no estimate: 1 run stopped before the end"),
    ],
)
def test_the_list_says_what_the_next_run_is_given(run, fake, found, told):
    fake.histories = (found,)
    said = run("history").stdout
    assert KEY in said
    assert "make train" in said
    assert told in said


def test_a_plot_by_hand():
    """Twelve rows for 8 minutes: one is 40 s. 2 m is the third, 4 m the sixth, 8 m the twelfth, 6 m
    the ninth; the bound of the third and fourth run is 6 m, that of the next 8 m; the limit 4 m."""
    runs = [replace(RUNS[0], limit_ms=4 * MINUTE), RUNS[1]]
    runs += [replace(run, bound_ms=6 * MINUTE) for run in RUNS[2:]]
    assert plot_lines(runs, 8 * MINUTE) == [
        "       8m |    o   --",
        "          |",
        "          |",
        "          |    --x",
        "          |",
        "          |",
        "       4m |==o",
        "          |",
        "          |",
        "          |o",
        "          |",
        "          |",
        "        0 +----------",
        "           o ran to its end   x stopped: at least so long   - bound   = limit",
    ]


def test_a_plot_of_many_runs_keeps_to_the_page_and_to_plain_characters():
    many = [replace(RUNS[0], ran_ms=at * MINUTE, limit_ms=99_999 * MINUTE) for at in range(1, 101)]
    lines = plot_lines(many, 100 * MINUTE)
    assert max(map(len, lines)) <= 100
    assert "".join(lines).isascii()
    assert sum(line.count("o") for line in lines[:12]) == 80
    assert "far above" in lines[-1]
    assert plot_lines([], None) == []


def test_a_row_that_makes_no_sense_is_told(run, fake):
    fake.histories = (replace(WHOLE, sound=False, runs=()),)
    assert "makes no sense and is passed over" in run("history").stdout
    assert "makes no sense and is passed over" in run("history", KEY).stdout
    fake.histories = (replace(WHOLE, likeness="of a newer version"),)
    assert "of a newer version" in run("history", KEY).stdout


def test_nothing_known_is_said(run, fake):
    assert "nothing is known" in run("history").stdout
    named = task("build")
    fake.steps = {named.id: [named]}
    assert "no estimate" in run("history", named.id).stdout


def test_as_a_document(run, fake):
    fake.histories = (BOUND,)
    told = json.loads(run("history", KEY, "--json").stdout)
    (one,) = told["histories"]
    assert (one["bound_ms"], one["judged"], one["covered"]) == (8 * MINUTE, 16, 15)
    assert [each["ran_ms"] for each in one["runs"]] == [each.ran_ms for each in RUNS]


def test_a_page_of_a_task_says_on_what_its_promise_rests(run, fake):
    named = replace(task("build"), limit_ms=None, learned=LEARNED)
    fake.steps = {named.id: [named]}
    said = run("task", named.id).stdout
    assert "8m: 90 % bound from 23 runs, achieved 93 %" in said
    unknown = replace(named, learned=None, promise=None)
    fake.steps = {unknown.id: [unknown]}
    assert [
        line.split() for line in run("task", unknown.id).stdout.splitlines() if "estimate" in line
    ] == [["estimate", "none"]]


def test_it_is_told_at_acceptance():

    reply = accepted(task("build"))
    (placed,) = reply.tasks
    reply = replace(reply, tasks=(replace(placed, learned=LEARNED),))
    lines = accepted_lines(reply, Paint(colour=False, width=100))
    assert "  build: 8m: 90 % bound from 23 runs, achieved 93 %" in lines
