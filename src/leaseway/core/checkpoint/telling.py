"""What a checkpoint means for a task: findings with the numbers it rests on."""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.model.checkpoint import SAVED, WHOLE_PPM, Advice, Checkpoint
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Ending
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.view import Task, View

Numbers = dict[str, int | str | list[str]]


def ended_as_told(ending: Ending) -> bool:
    """Whether it ended by itself because a checkpoint told it to save: with the exit code that says
    so, or with 0 before all of it was done. What is not done must not count as success."""
    last = ending.checkpoint
    if last is None or last.advice is not Advice.SAVE or ending.reason is not None:
        return False
    is_part = last.progress_ppm is not None and last.progress_ppm < WHOLE_PPM
    return ending.exit_code == SAVED or (ending.exit_code == 0 and is_part)


def numbers_of(last: Checkpoint) -> Numbers:
    """The numbers of a checkpoint."""
    numbers: Numbers = {"left_ms": max(0, last.left_ms), "need_ms": last.next_ms or last.need_ms}
    if last.late_ms:
        numbers["late_ms"] = last.late_ms
    if last.progress_ppm is not None:
        numbers["progress"] = f"{last.progress_ppm // 10_000} %"
    if last.step:
        numbers["step"] = last.step
    return numbers


def with_last_told(view: View, task: Task) -> Task:
    """The task with the last checkpoint that was heard of its attempt, stored or not."""
    attempt = task.attempt
    heard = view.presence.heard.get(attempt.worker) if attempt is not None else None
    if attempt is None or heard is None:
        return task
    told = heard.checkpoints.get(AttemptRef(task.id, attempt.number))
    if told is None:
        return task
    last = replace(attempt, checkpoint=told.checkpoint, checked_at=told.told_at)
    return replace(task, attempt=last)


def running_note(last: Checkpoint, task: str, worker: str) -> Finding | None:
    """What is to be said of a running task by its last checkpoint; None: it is in time."""
    if last.advice is Advice.GO_ON:
        return None
    code = "LW601" if last.advice is Advice.HURRY else "LW603"
    return Finding(
        code, (task,), (worker,), numbers_of(last), variant="running", severity=Severity.WARNING
    )
