"""A placement as lanes of time: one line for each worker and slot, letters for tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from leaseway.cli.paint import Paint, Tone, shown, width_of
from leaseway.core.model.units import show_ms
from leaseway.core.scan.placement import PlacedAt

LANES = 24
"""So many lanes are drawn."""
_LEAST = 20  # columns of time
_LABEL = 24


@dataclass(frozen=True)
class Strokes:
    """What a bar is drawn with: its two ends, what fills it, one column, and several tasks in one
    column."""

    left: str = "├"
    right: str = "┤"
    fill: str = "─"
    single: str = "│"
    several: str = "▒"
    idle: str = "·"


PLAIN = Strokes("[", "]", "=", "|", "#", ".")


def strokes_for(encoding: str | None) -> Strokes:
    """Lines where the terminal writes them, else plain letters."""
    try:
        "├┤─│▒·".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return Strokes()


@dataclass
class Lane:
    """What runs one after the other in one slot of one worker."""

    worker: str
    number: int
    tasks: list[PlacedAt] = field(default_factory=list)

    @property
    def free_ms(self) -> int:
        """From when nothing runs in it."""
        return self.tasks[-1].end_ms if self.tasks else 0


def lanes_of(tasks: Sequence[PlacedAt]) -> list[Lane]:
    """By worker in the order of first use; each task in the first lane that is free. `tasks` by
    start."""
    found: dict[str, list[Lane]] = {}
    for task in tasks:
        mine = found.setdefault(task.worker, [])
        lane = next((lane for lane in mine if lane.free_ms <= task.start_ms), None)
        if lane is None:
            lane = Lane(task.worker, len(mine) + 1)
            mine.append(lane)
        lane.tasks.append(task)
    return [lane for mine in found.values() for lane in mine]


def timeline_lines(tasks: Sequence[PlacedAt], paint: Paint, strokes: Strokes) -> list[str]:
    """Lanes from now to the last end, no line longer than the page."""
    whole = max((task.end_ms for task in tasks), default=0)
    if not whole:
        return []
    lanes = lanes_of(tasks)
    several = {lane.worker for lane in lanes if lane.number > 1}
    labels = [_label(lane, several) for lane in lanes[:LANES]]
    wide = max(map(width_of, labels))
    columns = max(_LEAST, paint.width - wide - 2)
    lines = [
        f"{paint(label + ' ' * (wide - width_of(label)), Tone.QUIET)}  "
        + _bars(lane.tasks, whole, columns, strokes)
        for label, lane in zip(labels, lanes, strict=False)
    ]
    ends = show_ms(whole)
    axis = " " * (wide + 2) + "0s" + ends.rjust(columns - 2)
    lines.append(paint(axis, Tone.QUIET))
    more = len(lanes) - LANES
    return [*lines, paint(f"and {more} more lanes", Tone.QUIET)] if more > 0 else lines


def _label(lane: Lane, several: set[str]) -> str:
    name = shown(lane.worker)
    name = name if len(name) <= _LABEL else name[: _LABEL - 1] + "~"
    return f"{name} {lane.number}" if lane.worker in several else name


def _bars(tasks: Sequence[PlacedAt], whole: int, columns: int, strokes: Strokes) -> str:
    line = [strokes.idle] * columns
    until = 0
    for task in tasks:
        start = min(columns - 1, task.start_ms * columns // whole)
        end = max(start + 1, min(columns, task.end_ms * columns // whole))
        if start < until:  # it shares a column with the one before
            line[start] = strokes.several
            start += 1
        if start < end:
            line[start:end] = _bar(task.task, end - start, strokes)
        until = max(until, end)
    return "".join(line).rstrip()


def _bar(name: str, wide: int, strokes: Strokes) -> list[str]:
    """A bar of so many columns with as much of the name as fits."""
    if wide == 1:
        return [strokes.single]
    text = shown(name)
    if width_of(text) != len(text):  # letters of two columns would move all behind them
        text = ""
    inner = text[: wide - 2].ljust(wide - 2, strokes.fill)
    return [strokes.left, *inner, strokes.right]
