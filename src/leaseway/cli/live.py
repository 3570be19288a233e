"""A plan as a table that is redrawn in place. The only place that loads rich, and only when a
terminal is watching."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leaseway.cli.paint import Paint, Tone
from leaseway.cli.standing import Standing, standing_lines, standing_of, state_of
from leaseway.runtime import local_clock
from leaseway.wire.tasks import TaskInfo

if TYPE_CHECKING:
    from rich.live import Live

_FIRST = ("running", "stopping", "delivering", "granted", "waiting")


@dataclass(frozen=True)
class Screen:
    """Where the table is drawn."""

    live: Live
    paint: Paint

    def draw(self, plan: str, tasks: list[TaskInfo], now: int, note: str = "") -> None:
        """Replace what is shown."""
        from rich.text import Text

        height = self.live.console.size.height
        lines = screen_lines(plan, tasks, now, self.paint, max(6, height - 5))
        if note:
            lines += ["", self.paint(note, Tone.UNSURE)]
        self.live.update(Text.from_ansi("\n".join(lines)), refresh=True)


@contextmanager
def screen(paint: Paint) -> Iterator[Screen]:
    """Draw while this is open; nothing of it stays."""
    from rich.console import Console
    from rich.live import Live

    console = Console(highlight=False, markup=False)
    with Live(console=console, auto_refresh=False, transient=True) as live:
        yield Screen(live, paint)


def screen_lines(plan: str, tasks: list[TaskInfo], now: int, paint: Paint, most: int) -> list[str]:
    """Head with counts, then the rows that matter now; the others are counted."""
    ended = sum(task.ended for task in tasks)
    head = f"{paint(plan, Tone.STRONG)}  {local_clock(now)}  {ended} of {len(tasks)} ended"
    kept, left_out = chosen(tasks, most)
    rows: list[Standing] = [standing_of(task, now) for task in kept]
    lines = [head, "", *standing_lines(rows, paint)]
    if left_out:
        told = ", ".join(f"{count} {state}" for state, count in left_out.items())
        lines.append(paint(f"and {told}", Tone.QUIET))
    return lines


def chosen(tasks: list[TaskInfo], most: int) -> tuple[list[TaskInfo], Counter[str]]:
    """The rows for which there is room: what runs, what ended badly, what comes next; in the order
    of the plan. Of the others how many are in which state."""
    if len(tasks) <= most:
        return tasks, Counter()
    ranked = sorted(tasks, key=lambda task: (_rank(state_of(task)), task.seq))
    kept = {task.id for task in ranked[:most]}
    rest = Counter(state_of(task) for task in tasks if task.id not in kept)
    return [task for task in tasks if task.id in kept], rest


def _rank(state: str) -> int:
    if state == "succeeded":
        return len(_FIRST) + 1
    return _FIRST.index(state) if state in _FIRST[:4] else len(_FIRST) - (state != "waiting")
