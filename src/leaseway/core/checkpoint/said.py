"""The lines that a task and its keeper exchange (`docs/checkpoints.md`): read and written.

checkpoint 0.3 next=8m step=3/10 task=T attempt=A     →  go-on left=340s stop_at=… …
left                                                  →  left left=340s stop_at=…
                                                      →  error WHAT-WAS-WRONG
"""

from __future__ import annotations

import re

from msgspec import Struct

from leaseway.core.checkpoint.judging import Report
from leaseway.core.model.checkpoint import WHOLE_PPM, Checkpoint
from leaseway.core.model.units import DAY, Millis, parse_duration

LONGEST_LINE = 1_024
LONGEST_STEP = 120
LONGEST_NEXT: Millis = 10 * 365 * DAY
_DIGITS = 12
_NUMBER = re.compile(r"(-?)(\d*)(?:\.(\d*))?(%?)", re.ASCII)
_STEPS = re.compile(r"(?:.*\s)?(\d{1,9})(?:/(\d{1,9}))?", re.ASCII)
_KEYS = ("next", "step", "task", "attempt")


class Wrong(Exception):
    """What was said is no checkpoint; the message says what was expected. Nothing was changed."""


class Spoken(Struct, frozen=True):
    """One line of a task. `verb`: `checkpoint` or `left`."""

    verb: str
    report: Report = Report()
    task: str = ""
    attempt: str = ""


def read_line(line: bytes) -> Spoken:
    """What a line says. Wrong: nothing that can be taken."""
    try:
        words = line.decode("utf-8").split()
    except UnicodeDecodeError as error:
        raise Wrong("the line is not UTF-8") from error
    if not words or words[0] not in ("checkpoint", "left"):
        raise Wrong("expected: checkpoint [PROGRESS] [next=8m] [step=3/10], or: left")
    values = _values(words[1:])
    report = Report()
    if words[0] == "checkpoint":
        report = report_of(values.get("", ""), values.get("step", ""), values.get("next", ""))
    return Spoken(words[0], report, values.get("task", ""), values.get("attempt", ""))


def report_of(progress: str, step: str, following: str) -> Report:
    """A report from its three words, each may be empty. Wrong: a word that is none."""
    step = "".join(sign for sign in step[:LONGEST_STEP] if sign.isprintable())
    done, of = _steps(step)
    ppm = ppm_of(progress) if progress else None
    next_ms = 0
    if following:
        try:
            next_ms = min(LONGEST_NEXT, parse_duration(following))
        except (ValueError, OverflowError) as error:
            raise Wrong(f"next={following}: write a duration such as 90s, 8m or 1h30m") from error
    return Report(ppm, done, of, step, next_ms)


def ppm_of(text: str) -> int:
    """`0.3`, `30%`, `3/10`, `1` → parts per million, rounded down."""
    steps = _STEPS.fullmatch(text) if "/" in text else None
    if steps is not None:
        done, of = int(steps[1]), int(steps[2])
        if of == 0:
            raise Wrong(f"progress {text}: of no steps at all")
        ppm = done * WHOLE_PPM // of
    else:
        ppm = _decimal_ppm(text)
    if ppm > WHOLE_PPM:
        raise Wrong(f"progress {text}: more than all of it; say 1 when all is done")
    return ppm


def answer_line(course: Checkpoint, stop_at: str) -> bytes:
    """What a checkpoint is answered with. `stop_at`: the stop time as it is to be shown."""
    words = [course.advice.value, f"left={_seconds(course.left_ms)}s", f"stop_at={stop_at}"]
    if course.reason:
        words.append(f"reason={course.reason}")
    if course.late_ms:
        words.append(f"late={-_seconds(-course.late_ms)}s")
    if course.next_ms:
        words.append(f"next={-_seconds(-course.next_ms)}s")
    if course.progress_ppm is not None:
        words.append(f"progress={show_ppm(course.progress_ppm)}")
    return " ".join(words).encode() + b"\n"


def left_line(left_ms: Millis, stop_at: str) -> bytes:
    """What `left` is answered with."""
    return f"left left={_seconds(left_ms)}s stop_at={stop_at}\n".encode()


def error_line(text: str) -> bytes:
    """Why something was not taken, in one line."""
    return f"error {' '.join(text.split())}\n".encode()


def show_ppm(ppm: int) -> str:
    """Parts per million as a share: 300000 → `0.3`."""
    whole, part = divmod(ppm, WHOLE_PPM)
    return f"{whole}.{part:06}".rstrip("0").rstrip(".")


def _seconds(length: Millis) -> int:
    """Whole seconds, never more than there are."""
    return length // 1_000


def _values(words: list[str]) -> dict[str, str]:
    """Words by their key; the one without a key is under the empty one."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            key, value = "", word
        elif key not in _KEYS:
            raise Wrong(f"{key}= is not known; known are: {', '.join(_KEYS)}")
        if key in found:
            raise Wrong(f"{key or 'progress'} is said twice")
        found[key] = _unescaped(value)
    return found


def _unescaped(value: str) -> str:
    """`%20` and the like; what is no such escape stands for itself, `30%` say."""
    return re.sub(r"%([2-7][0-9A-Fa-f])", lambda found: chr(int(found[1], 16)), value)


def _steps(step: str) -> tuple[int | None, int]:
    """The numbers at the end of a step's name: `step 3/10` → 3 of 10, `epoch 7` → 7."""
    found = _STEPS.fullmatch(step)
    if found is None:
        return None, 0
    done, of = int(found[1]), int(found[2] or 0)
    if found[2] is not None and (of == 0 or done > of):
        raise Wrong(f"step {step}: more steps are done than there are")
    return done, of


def _decimal_ppm(text: str) -> int:
    found = _NUMBER.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        raise Wrong(f"progress {text}: not a number; write a share such as 0.3, or 30%, or 3/10")
    sign, whole, part, percent = found.groups()
    part = (part or "")[:_DIGITS]
    scale = WHOLE_PPM // 100 if percent else WHOLE_PPM
    ppm = int((whole or "0")[:_DIGITS]) * scale + int(part or "0") * scale // 10 ** len(part)
    beyond = len((whole or "").lstrip("0")) > _DIGITS or (part.strip("0") and ppm == WHOLE_PPM)
    if sign and (int(whole or "0") or int(part or "0")):
        raise Wrong(f"progress {text}: less than nothing; say 0 when nothing is done yet")
    return WHOLE_PPM + 1 if beyond and whole.strip("0") else ppm
