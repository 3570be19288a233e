"""What is kept of a task's outputs, as far as its worker has told: how much was written, and how
much of that was left out."""

from __future__ import annotations

from leaseway.coordinator.logs import STREAMS, LogStore
from leaseway.core.model.outcomes import EndKind
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.view import Attempt, Task

NEVER_CUT_BELOW = 1 << 20
"""Bytes: a list of tasks need not look at the files of shorter outputs."""


def attempt_of(task: Task, number: int) -> Attempt | None:
    """An attempt by its number, the current one or a past one."""
    if task.attempt is not None and task.attempt.number == number:
        return task.attempt
    return next((past for past in task.past if past.number == number), None)


def produced(task: Task, number: int, stream: str) -> int | None:
    """How much the command wrote, as its worker said, even if that came too late to count."""
    attempt = attempt_of(task, number)
    late = dict(zip(task.kept_numbers, task.evidence, strict=True))
    ending = late.get(number) or (attempt.ending if attempt else None)
    if ending is None or ending.kind is EndKind.UNKNOWN:
        return None
    return ending.stdout_bytes if stream == "stdout" else ending.stderr_bytes


def left_out(logs: LogStore, task: Task) -> dict[str, int]:
    """By output, how many bytes of the last attempt are not kept."""
    found = {}
    for stream in STREAMS:
        wrote = produced(task, task.numbers, stream) or 0
        if wrote < NEVER_CUT_BELOW:
            continue
        missing = logs.left_out(AttemptRef(task.id, task.numbers), stream, wrote)
        if missing:
            found[stream] = missing
    return found
