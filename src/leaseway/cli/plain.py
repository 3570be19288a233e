"""A plan in plain lines, one for each change: for logs, pipes and agents."""

from __future__ import annotations

from collections.abc import Iterable

from leaseway.cli.outcomes import ran_ms
from leaseway.cli.paint import Paint, Tone, shown, width_of
from leaseway.cli.standing import cause_of, has_an_end, last_attempt, standing_of, state_of
from leaseway.cli.table import cut, padded, wrapped
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.core.model.units import show_ms
from leaseway.runtime import local_clock
from leaseway.wire.tasks import AttemptInfo, TaskInfo

LONGEST_NAME = 24
_STATE = 10


def change_lines(task: TaskInfo, paint: Paint, name_width: int = 0) -> list[str]:
    """`12:03:04  train  running     on box, stop time 12:13:04`; a long cause goes on below."""
    standing = standing_of(task, task.now)
    name = padded(cut(shown(task.name), LONGEST_NAME), name_width)
    clock = local_clock(moment_of(task))
    indent = len(clock) + len(name) + _STATE + 6
    first, *rest = wrapped(shown(detail_of(task)), max(30, paint.width - indent))
    state = paint(padded(standing.state, _STATE), standing.tone)
    head = f"{paint(clock, Tone.QUIET)}  {name}  {state}  {first}".rstrip()
    return [head, *(" " * indent + line for line in rest)]


def name_width(names: Iterable[str]) -> int:
    """Room for the names of a plan."""
    return min(LONGEST_NAME, max((width_of(shown(name)) for name in names), default=0))


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
        if task.outcome.kind == OutcomeKind.SUCCEEDED:
            return f"ran {show_ms(ran_ms(last_attempt(task)))}"
        return cause_of(task, task.outcome.cause, full_id=False)
    return _held(task, task.attempt) if task.attempt is not None else _waiting(task)


def _held(task: TaskInfo, attempt: AttemptInfo) -> str:
    parts = [f"on {attempt.worker}"]
    if attempt.number > 1:
        parts.append(f"attempt {attempt.number}")
    if attempt.stop_reason:
        parts.append(f"being stopped: {attempt.stop_reason}")
    elif attempt.stop_at is not None:
        said = "stop time" if has_an_end(task) else "no stop time yet, looked at again at"
        parts.append(f"{said} {local_clock(attempt.stop_at)}")
    return ", ".join(parts)


def _waiting(task: TaskInfo) -> str:
    if task.moved is not None:
        return cause_of(task, task.moved, full_id=False)
    told = "no promise" if task.promise is None else f"promised by {local_clock(task.promise)}"
    if task.reservation is None:
        return told
    return f"{told}, {show_ms(task.reservation.reserved_ms)} reserved on {task.reservation.worker}"
