"""How a placement reads: a line that sums it up, lanes of time, and who runs where from when."""

from __future__ import annotations

import sys

from leaseway.cli.language import counted, told
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import Column, table_lines
from leaseway.cli.table import paragraph as wrapped
from leaseway.cli.timeline import strokes_for, timeline_lines
from leaseway.core.model.units import show_ms
from leaseway.core.scan.placement import NotPlaced, PlacedAt, Placement

ROWS = 40
PLACED = (
    Column("starts after", right=True),
    Column("over after", right=True),
    Column("worker", most=24),
    Column("task", most=40),
)
_NAMED = 8
_GAP = "None is over before {bound} ({why}): at most {gap} % to gain."


def placement_lines(placement: Placement, paint: Paint) -> list[str]:
    """Nothing where no task has a place and nothing is to be said of any."""
    lines: list[str] = []
    if placement.tasks:
        strokes = strokes_for(getattr(sys.stdout, "encoding", None))
        lines += ["", *wrapped(summary(placement), paint)]
        lines += ["", *timeline_lines(placement.tasks, paint, strokes)]
        rows = [_row(task) for task in placement.tasks[:ROWS]]
        lines += ["", *table_lines(PLACED, rows, paint)]
        more = len(placement.tasks) - ROWS
        lines += [paint(told("and {count} more", count=more), Tone.QUIET)] if more > 0 else []
    if placement.not_placed_count:
        lines += ["", *wrapped(missing(placement), paint)]
    return lines


def summary(placement: Placement) -> str:
    """`Placed: 8 tasks on 2 workers, over after 12m. No order is over before 11m (cpus): …`"""
    workers = len({task.worker for task in placement.tasks})
    head = told(
        "A placement: {tasks} on {workers}, over after {length}.",
        tasks=counted(len(placement.tasks), "task"),
        workers=counted(workers, "worker"),
        length=show_ms(placement.makespan_ms),
    )
    why = told(_by(placement))
    if placement.makespan_ms == placement.bound_ms:
        return f"{head} " + told("None is over sooner ({why}).", why=why)
    gap, bound = f"{placement.gap_percent:g}", show_ms(placement.bound_ms)
    return f"{head} " + told(_GAP, bound=bound, why=why, gap=gap)


def _by(placement: Placement) -> str:
    """What the bound rests on."""
    return next(name for name, ms in placement.bounds.items() if ms == placement.bound_ms)


def missing(placement: Placement) -> str:
    """Tasks without a place, the first of them with the reason."""
    named = [_why(one) for one in placement.not_placed[:_NAMED]]
    more = placement.not_placed_count - min(_NAMED, len(placement.not_placed))
    named += [told("and {count} more", count=more)] if more else []
    return told("Without a place: {tasks}.", tasks="; ".join(named))


def _why(one: NotPlaced) -> str:
    if one.why == "waits":
        return f"{one.task} (waits for {one.waits_for})"
    if one.short_ms:
        short = ", ".join(f"{name} by {show_ms(ms)}" for name, ms in one.short_ms.items())
        return f"{one.task} (no room; too short: {short})"
    return f"{one.task} ({one.why})"


def _row(task: PlacedAt) -> list[str]:
    return [show_ms(task.start_ms), show_ms(task.end_ms), task.worker, task.task]
