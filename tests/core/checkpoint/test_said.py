"""Goal: what a task may say is understood, what it may not is answered clearly. Method: tables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.checkpoint.judging import Report
from leaseway.core.checkpoint.said import (
    Wrong,
    answer_line,
    left_line,
    ppm_of,
    read_line,
    report_of,
    show_ppm,
)
from leaseway.core.model.checkpoint import Advice, Checkpoint


@pytest.mark.parametrize(
    ("text", "ppm"),
    [
        ("0.3", 300_000),
        (".3", 300_000),
        ("1", 1_000_000),
        ("1.0", 1_000_000),
        ("0", 0),
        ("-0", 0),
        ("30%", 300_000),
        ("12.5%", 125_000),
        ("100%", 1_000_000),
        ("3/10", 300_000),
        ("1/3", 333_333),
        ("0.9999999999", 999_999),
        ("0.0000001", 0),
    ],
)
def test_a_progress(text: str, ppm: int) -> None:
    assert ppm_of(text) == ppm


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1.1", "more than all"),
        ("1.0000001", "more than all"),
        ("101%", "more than all"),
        ("9" * 40, "more than all"),
        ("4/3", "more than all"),
        ("-0.1", "less than nothing"),
        ("nan", "not a number"),
        ("inf", "not a number"),
        ("1e-1", "not a number"),
        ("", "not a number"),
        (".", "not a number"),
        ("٣", "not a number"),
        ("1/0", "of no steps"),
    ],
)
def test_what_is_no_progress(text: str, why: str) -> None:
    with pytest.raises(Wrong, match=why):
        ppm_of(text)


@pytest.mark.parametrize(
    ("step", "done", "of"),
    [
        ("step 3/10", 3, 10),
        ("3/10", 3, 10),
        ("epoch 7", 7, 0),
        ("collected", None, 0),
        ("v2 done", None, 0),
        ("0/4", 0, 4),
    ],
)
def test_a_step(step: str, done: int | None, of: int) -> None:
    report = report_of("", step, "")
    assert (report.done, report.of, report.step) == (done, of, step)


def test_a_whole_line() -> None:
    spoken = read_line(b"checkpoint 0.3 next=8m step=step%203/10 task=p-1/t attempt=s:p-1/t#2")
    assert spoken.report == Report(300_000, 3, 10, "step 3/10", 480_000)
    assert (spoken.verb, spoken.task, spoken.attempt) == ("checkpoint", "p-1/t", "s:p-1/t#2")
    assert read_line(b"left").verb == "left"
    assert read_line(b"checkpoint 30%").report.progress_ppm == 300_000


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "expected"),
        (b"chekpoint 0.3", "expected"),
        (b"checkpoint \xff", "UTF-8"),
        (b"checkpoint 0.3 0.4", "progress is said twice"),
        (b"checkpoint nxt=8m", "nxt= is not known"),
        (b"checkpoint next=soon", "write a duration"),
        (b"checkpoint next=-8m", "write a duration"),
        (b"checkpoint step=11/10", "more steps are done"),
    ],
)
def test_a_line_that_is_none(line: bytes, why: str) -> None:
    with pytest.raises(Wrong, match=why):
        read_line(line)


@given(st.binary(max_size=80))
def test_no_line_does_harm(line: bytes) -> None:
    for each in (line, b"checkpoint " + line, b"checkpoint step=" + line):
        try:
            spoken = read_line(each)
        except Wrong:
            continue
        ppm = spoken.report.progress_ppm
        assert ppm is None or 0 <= ppm <= 1_000_000
        assert spoken.report.step.isprintable()


def test_an_answer_rounds_against_who_asks() -> None:
    """What is left is rounded down, what it is late by is rounded up."""
    last = Checkpoint(Advice.HURRY, "late", 305_000, left_ms=59_999, need_ms=62_500, next_ms=1_001)
    assert answer_line(last, "12:00:00Z") == (
        b"hurry left=59s stop_at=12:00:00Z reason=late late=3s next=2s progress=0.305\n"
    )
    assert left_line(-1, "12:00:00Z") == b"left left=-1s stop_at=12:00:00Z\n"


def test_a_share_reads_as_it_was_said() -> None:
    assert [show_ppm(each) for each in (0, 300_000, 1_000_000, 1)] == ["0", "0.3", "1", "0.000001"]
