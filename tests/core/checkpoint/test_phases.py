"""Goal: no pattern of a plan can hold up whoever holds its stop time. Method: tables, and the worst
lines for what is let through."""

from __future__ import annotations

import re
import time

import pytest

from leaseway.core.checkpoint.judging import Course
from leaseway.core.checkpoint.phases import LONGEST_LINE, phase_report, wrong_pattern
from leaseway.core.model.checkpoint import Pacing

GOOD = [
    r"collected \d+ items",
    r"^epoch \d+/\d+",
    r"(passed|failed) in",
    r"[a-z]{1,8}: done",
    r"(?:built)? target",
    r"(ab)+c",
    r"a.*b.*c",
    r"\d+ \d+x",
]


@pytest.mark.parametrize("pattern", GOOD)
def test_a_pattern_that_is_let_through_is_quick(pattern: str) -> None:
    assert wrong_pattern(pattern) == ""
    compiled = re.compile(pattern)
    began = time.process_time()
    for sign in ("a", "1", "ab", "a1 ", "passed ", "9 "):
        compiled.search((sign * LONGEST_LINE)[:LONGEST_LINE])
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a+)+b", "no repeat within a repeat"),
        ("(a|a)*b", "no | within a repeat"),
        ("(?:a{1,9}){1,9}", "no repeat within a repeat"),
        ("(.*)(.*)(.*)x", "at most 2"),
        ("a*a*a*b", "at most 2"),
        (r"(a)\1", "no look-around"),
        ("(?=a)b", "no look-around"),
        ("(a|a)" * 7, "fewer"),
        ("a?" * 7 + "a" * 7, "fewer"),
        ("(", "a regular expression"),
        ("a" * 201, "at most 200"),
    ],
)
def test_what_could_take_long_is_refused(pattern: str, why: str) -> None:
    assert why in wrong_pattern(pattern)


def test_a_line_that_matches_is_one_more_step() -> None:
    report = phase_report(Course(done=3), Pacing(steps=10), "collected 7 items", 300_000)
    assert (report.done, report.of, report.next_ms) == (4, 10, 300_000)
