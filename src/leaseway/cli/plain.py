"""A plan in plain lines, one for each change: for logs, pipes and agents."""

from __future__ import annotations

from leaseway.cli.findings import cause_text
from leaseway.cli.paint import Paint, Tone, shown
from leaseway.cli.standing import standing_of, state_of
from leaseway.cli.table import padded
from leaseway.core.model.units import show_ms
from leaseway.runtime import local_clock
from leaseway.wire.tasks import TaskInfo


def change_line(task: TaskInfo, paint: Paint) -> str:
    """`12:03:04  train  running   on box, attempt 1, stops by 12:13:04`."""
    standing = standing_of(task, task.now)
    name = padded(shown(task.name), 20)
    state = paint(padded(standing.state, 10), standing.tone)
    clock = paint(local_clock(moment_of(task)), Tone.QUIET)
    return f"{clock}  {name}  {state}  {detail_of(task)}".rstrip()


def moment_of(task: TaskInfo) -> int:
    """When it came to be so."""
    if task.outcome is not None:
        return task.outcome.at
    attempt = task.attempt
    if attempt is None:
        return task.now
    if state_of(task) == "running" and attempt.started_at is not None:
        return attempt.started_at
    return attempt.granted_at if task.state == "granted" else task.now


def detail_of(task: TaskInfo) -> str:
    """The rest of the line."""
    if task.outcome is not None:
        return shown(cause_text(task.outcome.cause))
    attempt = task.attempt
    if attempt is not None:
        parts = [f"on {shown(attempt.worker)}"]
        if attempt.number > 1:
            parts.append(f"attempt {attempt.number}")
        if attempt.stop_reason:
            parts.append(f"being stopped: {attempt.stop_reason}")
        elif attempt.stop_at is not None:
            parts.append(f"stop time {local_clock(attempt.stop_at)}")
        return ", ".join(parts)
    parts = []
    if task.promise is not None:
        parts.append(f"promised by {local_clock(task.promise)}")
    elif task.moved is None:
        parts.append("no promise")
    if task.reservation is not None:
        parts.append(
            f"{show_ms(task.reservation.reserved_ms)} reserved on {shown(task.reservation.worker)}"
        )
    if task.moved is not None:
        parts.append(shown(cause_text(task.moved)))
    return ", ".join(parts)
