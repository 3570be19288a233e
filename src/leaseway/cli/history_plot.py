"""The runs of one history over time, drawn with plain characters: each run a mark, the bound that
it was held against and its task's limit as lines."""

from __future__ import annotations

from collections.abc import Sequence

from leaseway.core.model.units import Millis, show_ms
from leaseway.wire.history import RunInfo

ROWS = 12
MOST = 80  # runs shown: the last ones
_LABEL = 9
_NEAR = 3  # a limit more than so many times above all else is named and not drawn

ENDED, STOPPED, BOUND, LIMIT = "o", "x", "-", "="


def plot_lines(runs: Sequence[RunInfo], next_ms: Millis | None) -> list[str]:
    """At most 100 columns, only ASCII. `next_ms`: the bound of the next run, in the last column."""
    shown = runs[-MOST:]
    if not shown:
        return []
    near = max(max(run.ran_ms, run.bound_ms) for run in shown)
    near = max(near, next_ms or 0, 1)
    drawn = [run.limit_ms if run.limit_ms <= _NEAR * near else 0 for run in shown]
    top = max(near, *drawn)
    columns = [
        _column(top, limit, run.bound_ms, run.ran_ms, ENDED if run.ended else STOPPED)
        for run, limit in zip(shown, drawn, strict=True)
    ]
    if next_ms is not None:
        columns.append(_column(top, 0, next_ms, None, ""))
    wide = 2 if 2 * len(columns) <= MOST else 1
    lines = []
    for row in range(ROWS - 1, -1, -1):
        label = show_ms(-(-top * (row + 1) // ROWS)) if row in (ROWS - 1, ROWS // 2 - 1) else ""
        text = "".join(_wide(column[row], wide) for column in columns)
        lines.append(f"{label[:_LABEL]:>{_LABEL}} |{text}".rstrip())
    lines.append(f"{'0':>{_LABEL}} +{'-' * (wide * len(columns))}")
    return [*lines, " " * (_LABEL + 2) + _legend(shown, drawn, next_ms)]


def _row(top: Millis, value: Millis) -> int:
    return min(ROWS - 1, max(0, -(-value * ROWS // top) - 1))


def _column(top: Millis, limit: Millis, bound: Millis, ran: Millis | None, mark: str) -> list[str]:
    """From below; the run stands before the bound, and the bound before the limit."""
    cells = [" "] * ROWS
    if limit:
        cells[_row(top, limit)] = LIMIT
    if bound:
        cells[_row(top, bound)] = BOUND
    if ran is not None:
        cells[_row(top, ran)] = mark
    return cells


def _wide(cell: str, wide: int) -> str:
    """Lines go through, marks stand alone."""
    return cell * wide if cell in (BOUND, LIMIT) else cell.ljust(wide)


def _legend(shown: Sequence[RunInfo], drawn: Sequence[Millis], next_ms: Millis | None) -> str:
    parts = [f"{ENDED} ran to its end"]
    if any(not run.ended for run in shown):
        parts.append(f"{STOPPED} stopped: at least so long")
    if next_ms is not None or any(run.bound_ms for run in shown):
        parts.append(f"{BOUND} bound")
    if any(drawn):
        parts.append(f"{LIMIT} limit")
    far = [run.limit_ms for run, limit in zip(shown, drawn, strict=True) if run.limit_ms != limit]
    if far:
        parts.append(f"limit {show_ms(far[-1])}, far above")
    return "   ".join(parts)
