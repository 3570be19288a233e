"""What is said of one task in one row: where it is, on which worker, how long still, and why."""

from __future__ import annotations

from dataclasses import dataclass

from leaseway.cli.exits import Exit, of_task
from leaseway.cli.findings import cause_text
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import Cell, Column, Row, table_lines
from leaseway.core.model.outcomes import EndKind
from leaseway.core.model.units import show_ms
from leaseway.runtime import local_clock
from leaseway.wire.checkpoints import CheckpointInfo
from leaseway.wire.findings import FindingInfo
from leaseway.wire.tasks import AttemptInfo, TaskInfo

_BAR = 8
NEVER_RAN = (EndKind.SPAWN_FAILED, EndKind.NOT_STARTED)
_OUTCOME_TONES = {
    Exit.CLEAN: Tone.GOOD,
    Exit.FAILED: Tone.BAD,
    Exit.REFUSED: Tone.BAD,
    Exit.UNDECIDED: Tone.UNSURE,
}
_STATE_TONES = {"running": Tone.BUSY, "stopping": Tone.UNSURE, "suspended": Tone.UNSURE}


@dataclass(frozen=True)
class Standing:
    """One row of the table of tasks."""

    task: str
    state: str
    tone: Tone
    worker: str = ""
    started: str = ""
    left: str = ""
    cause: str = ""


COLUMNS = (
    Column("task"),
    Column("state"),
    Column("worker", most=16),
    Column("started"),
    Column("left or by"),
    Column("cause", wraps=True),
)


def standing_of(task: TaskInfo, now: int, *, full_id: bool = False) -> Standing:
    """The row of one task at `now`, in ledger time."""
    name = task.id if full_id else task.name
    state = state_of(task)
    if task.outcome is not None:
        tone = _OUTCOME_TONES[of_task(task.outcome.kind)]
        cause = "" if tone is Tone.GOOD else cause_of(task, task.outcome.cause, full_id=full_id)
        return Standing(name, state, tone, worker_of(task), started_of(task), "", cause)
    tone = _STATE_TONES.get(state, Tone.PLAIN)
    return Standing(
        name, state, tone, worker_of(task), started_of(task), left_of(task, now), why_of(task)
    )


def standing_lines(standings: list[Standing], paint: Paint) -> list[str]:
    """The table."""
    rows: list[Row] = [
        [each.task, Cell(each.state, each.tone), each.worker, each.started, each.left, each.cause]
        for each in standings
    ]
    return table_lines(COLUMNS, rows, paint)


def checkpoint_text(last: CheckpointInfo | None) -> str:
    """The last one: how far it was, when, and what it was told."""
    if last is None:
        return ""
    parts = [] if last.progress_ppm is None else [f"{last.progress_ppm // 10_000} %"]
    parts += [last.step] if last.step else []
    told = {"go-on": "go on", "hurry": "hurry", "save-and-stop": "save and end"}[last.advice]
    told += f", projected {show_ms(last.late_ms)} late" if last.late_ms else ""
    return f"{', '.join([*parts, f'at {local_clock(last.at)}'])}: {told}"


def state_of(task: TaskInfo) -> str:
    """One word: the outcome's kind, the attempt's phase where that says more, else the state."""
    if task.outcome is not None:
        return task.outcome.kind
    attempt = task.attempt
    if task.state == "running" and attempt is not None:
        return "delivering" if attempt.phase == "ended" else attempt.phase
    return task.state


def last_attempt(task: TaskInfo) -> AttemptInfo | None:
    """The current attempt, else the last one made."""
    return task.attempt or (task.past[-1] if task.past else None)


def worker_of(task: TaskInfo) -> str:
    """Where it runs or ran, else where room is set aside for it."""
    attempt = last_attempt(task)
    if attempt is not None:
        return attempt.worker
    return task.reservation.worker if task.reservation and task.outcome is None else ""


def started_of(task: TaskInfo) -> str:
    """When its last attempt started."""
    attempt = last_attempt(task)
    started = None if attempt is None else started_at(attempt)
    return "" if started is None else local_clock(started)


def started_at(attempt: AttemptInfo) -> int | None:
    """When it started. Of a short one only its end was told, and how long it was there; what could
    not be executed never started."""
    ending = attempt.ending
    if ending is not None and ending.kind in NEVER_RAN:
        return None
    if attempt.started_at is not None or ending is None or ending.kind == EndKind.UNKNOWN:
        return attempt.started_at
    return None if attempt.ended_at is None else attempt.ended_at - ending.held_ms


def left_of(task: TaskInfo, now: int) -> str:
    """Until the stop time while it runs, until the promise while it waits."""
    attempt = task.attempt
    if attempt is not None and attempt.started_at is not None and attempt.stop_at is not None:
        return f"{bar(attempt.started_at, attempt.stop_at, now)} {_until(attempt.stop_at, now)}"
    if task.promise is None:
        return "no promise"
    return f"by {local_clock(task.promise)}"


def cause_of(task: TaskInfo, cause: FindingInfo, *, full_id: bool) -> str:
    """The sentence; within one plan its tasks go by their own names."""
    said = cause_text(cause)
    return said if full_id else said.replace(f"{task.plan}/", "")


def why_of(task: TaskInfo) -> str:
    """What a task that has not ended waits for, or what became of its promise."""
    attempt = task.attempt
    if attempt is not None and attempt.stop_reason:
        return f"being stopped: {attempt.stop_reason}"
    if task.moved is not None:
        return cause_of(task, task.moved, full_id=False)
    if task.state == "waiting" and task.edges:
        before = dict.fromkeys(seen_from(task.plan, edge.before) for edge in task.edges)
        names = list(before)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"after {', '.join(names[:3])}{more}"
    return checkpoint_text(attempt.checkpoint) if attempt is not None else ""


def seen_from(plan: str, id: str) -> str:
    """A task's own name within its plan, its whole id from any other."""
    return id.removeprefix(f"{plan}/")


def bar(start: int, end: int, now: int) -> str:
    """How much of the time until the stop is used up."""
    used = 1.0 if end <= start else min(1.0, max(0.0, (now - start) / (end - start)))
    full = round(used * _BAR)
    return "█" * full + "░" * (_BAR - full)


def has_an_end(task: TaskInfo) -> bool:
    """Whether its stop time is one: of best effort that nothing bounds it is put off."""
    stopped = task.attempt is not None and task.attempt.stop_reason is not None
    bounded = any((task.limit_ms, task.estimate_ms, task.learned))
    return bounded or stopped or task.outcome is not None or task.promise is not None


def plural(count: int, noun: str, several: str = "") -> str:
    """`1 task`, `3 tasks`; `several` where an s does not do."""
    return f"{count} {noun if count == 1 else several or noun + 's'}"


def _until(moment: int, now: int) -> str:
    left = moment - now
    whole = show_ms(_whole_seconds(abs(left)))
    return whole if left >= 0 else f"{whole} over"


def _whole_seconds(length: int) -> int:
    return (length + 500) // 1000 * 1000
