"""How a plan ended: one row for each task with its outcome and cause, and what was wasted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from leaseway.cli.paint import Paint, Tone
from leaseway.cli.standing import last_attempt, plural, standing_of, worker_of
from leaseway.cli.table import Cell, Column, Row, paragraph, table_lines
from leaseway.core.model.outcomes import EndKind, OutcomeKind, Waste
from leaseway.core.model.units import MINUTE, show_ms
from leaseway.core.waste import summed
from leaseway.wire.tasks import AttemptInfo, EndingInfo, TaskInfo, WasteInfo, waste_infos

COLUMNS = (
    Column("task", most=30),
    Column("outcome"),
    Column("worker", most=16),
    Column("ran", right=True),
    Column("wasted", right=True),
    Column("cause", wraps=True),
)


def outcome_lines(tasks: Sequence[TaskInfo], paint: Paint, *, full_ids: bool = False) -> list[str]:
    """The table, and below it the counts and the wasted core-minutes."""
    rows = [_row(task, full_ids) for task in tasks]
    return [*table_lines(COLUMNS, rows, paint), "", *paragraph(summary(tasks), paint)]


def summary(tasks: Sequence[TaskInfo]) -> str:
    """`8 tasks: 5 succeeded, 2 skipped, 1 overran. Wasted: 0.4 core-minutes.`"""
    kinds = Counter(task.outcome.kind if task.outcome else task.state for task in tasks)
    order = [kind.value for kind in OutcomeKind]
    named = sorted(kinds, key=lambda kind: order.index(kind) if kind in order else len(order))
    told = ", ".join(f"{kinds[kind]} {kind}" for kind in named)
    parts = together(tasks)
    wasted = core_minutes(sum(part.core_ms for part in parts))
    causes = f": {waste_text(parts)}" if waste_text(parts) else ""
    unseen = sum(ran_unseen(task) for task in tasks)
    more = f", and what {plural(unseen, 'task')} ran that nobody saw the end of" if unseen else ""
    return f"{plural(len(tasks), 'task')}: {told}. Wasted: {wasted} core-minutes{causes}{more}."


def wasted_core_ms(task: TaskInfo) -> int:
    """Cores held × time run, of every attempt that did not lead to a success."""
    return sum(part.core_ms for part in task.wasted)


def wasted_text(task: TaskInfo) -> str:
    """`0.4 core-minutes: 0.3 overran (LW702), 0.1 failed (LW701)`, or that nobody knows."""
    known = core_minutes(wasted_core_ms(task))
    causes = waste_text(task.wasted)
    told = f"{known} core-minutes" + (f": {causes}" if causes else "")
    if not ran_unseen(task) or task.kept:
        return told
    return f"{told}, and nobody saw its end" if causes else "unknown: nobody saw its end"


def waste_text(parts: Iterable[WasteInfo]) -> str:
    """`6.0 overran (LW702), 0.5 failed (LW701)`: cause by cause, what cost nothing left out."""
    told = [
        f"{core_minutes(part.core_ms)} {part.word or 'ended'} ({part.code})"
        for part in parts
        if part.core_ms
    ]
    return ", ".join(told)


def together(tasks: Iterable[TaskInfo]) -> list[WasteInfo]:
    """The same of several tasks, most first."""
    parts = [
        Waste(part.code, part.core_ms, part.attempts) for task in tasks for part in task.wasted
    ]
    return list(waste_infos(summed(parts)))


def ran_unseen(task: TaskInfo) -> bool:
    """Whether it ended without anybody having seen how long its last attempt ran."""
    attempt = last_attempt(task)
    if task.outcome is None or attempt is None or attempt.started_at is None:
        return False
    return attempt.ending is None or attempt.ending.kind == EndKind.UNKNOWN


def last_ending(task: TaskInfo) -> EndingInfo | None:
    """What was seen of the attempt that the outcome rests on."""
    attempt = last_attempt(task)
    return attempt.ending if attempt else None


def ran_ms(attempt: AttemptInfo | None) -> int:
    """How long an attempt ran, as far as that was heard."""
    return attempt.ending.ran_ms if attempt and attempt.ending else 0


def core_minutes(core_ms: int) -> str:
    """Core-milliseconds as core-minutes; a little is not nothing."""
    minutes = core_ms / MINUTE
    if minutes >= 1 or not core_ms:
        return f"{minutes:.1f}" if core_ms else "0"
    return f"{minutes:.2f}" if minutes >= 0.01 else "<0.01"


def _row(task: TaskInfo, full_ids: bool) -> Row:
    standing = standing_of(task, task.now, full_id=full_ids)
    ran = ran_ms(last_attempt(task))
    wasted = "unknown" if ran_unseen(task) else core_minutes(wasted_core_ms(task))
    return [
        standing.task,
        Cell(standing.state, standing.tone),
        worker_of(task),
        show_ms(ran) if ran else "",
        Cell(wasted, Tone.UNSURE) if wasted != "0" else "",
        standing.cause,
    ]
