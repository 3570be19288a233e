"""Output that marks a step's end: which patterns may be used, and what a line that matches says.

Patterns are run by the process that holds a task's stop time, so one must never take long. They are
kept to what can be matched in a bounded time: short, a few repeats, and no repeat within a repeat.
"""

from __future__ import annotations

import importlib
import re
from typing import Any

from leaseway.core.checkpoint.judging import Course, Report
from leaseway.core.model.checkpoint import Pacing
from leaseway.core.model.units import Millis

LONGEST_PATTERN = 200
LONGEST_LINE = 400
"""Of a line of output so many characters are looked at."""

MOST_PATTERNS = 16
MOST_REPEATS = 2
MOST_WAYS = 64
_FEW = 16
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")
_GROUPS = ("SUBPATTERN", "ATOMIC_GROUP")
_PLAIN = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "AT", "CATEGORY", "RANGE")


def wrong_pattern(pattern: str) -> str:
    """Why a pattern cannot be used, in a few words; empty: it can."""
    if len(pattern) > LONGEST_PATTERN:
        return f"at most {LONGEST_PATTERN} characters"
    try:
        parsed = importlib.import_module("re._parser").parse(pattern)
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return f"a regular expression ({error})"
    repeats, ways, trouble = _weight(parsed, inside=False)
    if trouble:
        return f"a pattern that is quick to match: {trouble}"
    if repeats > MOST_REPEATS:
        return f"a pattern that is quick to match: at most {MOST_REPEATS} of * and +"
    if ways > MOST_WAYS:
        return "a pattern that is quick to match: fewer ? and |"
    return ""


def phase_report(course: Course, pacing: Pacing, step: str, following_ms: Millis) -> Report:
    """What a line that matches means: one more step is done, the next takes `following_ms`."""
    return Report(done=course.done + 1, of=pacing.steps, step=step, next_ms=following_ms)


def _weight(parsed: Any, *, inside: bool) -> tuple[int, int, str]:
    """Repeats without a small end, ways to choose, and what may not be there."""
    repeats, ways = 0, 1
    for kind, value in parsed:
        name = str(kind)
        if name in _PLAIN:
            continue
        if name in _REPEATS:
            least, most, body = value
            found = _of_repeat(int(least), int(most), body, inside=inside)
        elif name in _GROUPS:
            found = _weight(value[-1] if name == "SUBPATTERN" else value, inside=inside)
        elif name == "BRANCH":
            found = _of_branch(value[1], inside=inside)
        else:
            return 0, 1, "no look-around, no reference back"
        if found[2]:
            return found
        repeats, ways = repeats + found[0], ways * found[1]
    return repeats, ways, ""


def _of_repeat(least: int, most: int, body: Any, *, inside: bool) -> tuple[int, int, str]:
    if inside:
        return 0, 1, "no repeat within a repeat"
    if (least, most) == (0, 1):
        repeats, ways, trouble = _weight(body, inside=False)
        return repeats, 2 * ways, trouble
    _, ways, trouble = _weight(body, inside=True)
    if ways > 1:
        trouble = trouble or "no | within a repeat"
    return (1, 1, trouble) if most > _FEW else (0, 1 + most - least, trouble)


def _of_branch(branches: Any, *, inside: bool) -> tuple[int, int, str]:
    repeats = ways = 0
    for branch in branches:
        own, inner, trouble = _weight(branch, inside=inside)
        if trouble:
            return 0, 1, trouble
        repeats, ways = max(repeats, own), ways + inner
    return repeats, ways, ""
