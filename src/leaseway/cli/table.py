"""Aligned columns within the page; one column may wrap, names too long are cut in the middle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from leaseway.cli.language import head
from leaseway.cli.paint import Paint, Tone, shown, width_of
from leaseway.cli.wide_text import has_wide, wide_wrapped

GAP = "  "
LEAST_WRAPPED = 24


@dataclass(frozen=True)
class Cell:
    """A piece of text and what it means."""

    text: str
    tone: Tone = Tone.PLAIN


Row = Sequence[Cell | str]


@dataclass(frozen=True)
class Column:
    """`wraps`: takes what room is left. `most`: cut in the middle beyond this."""

    title: str
    right: bool = False
    wraps: bool = False
    most: int = 32


def table_lines(columns: Sequence[Column], rows: Sequence[Row], paint: Paint) -> list[str]:
    """Head and rows. Columns that are empty in every row are left out. Where the page is too narrow
    for the column that wraps, it stands below each row instead."""
    cells = [[_cell(value) for value in row] for row in rows]
    kept = [at for at in range(len(columns)) if any(row[at].text for row in cells)]
    if not kept:
        return []
    columns = [columns[at] for at in kept]
    cells = [[_fitted(row[at], columns[place]) for place, at in enumerate(kept)] for row in cells]
    columns = [replace(column, title=head(column.title).upper()) for column in columns]
    titles = [Cell(column.title, Tone.QUIET) for column in columns]
    wrapping = next((at for at, column in enumerate(columns) if column.wraps), None)
    widths = _widths(columns, cells)
    if wrapping is not None:
        room = paint.width - sum(widths) + widths[wrapping] - len(GAP) * (len(columns) - 1)
        if room < min(LEAST_WRAPPED, widths[wrapping]):
            return _stacked(columns, [titles, *cells], wrapping, paint)
        widths[wrapping] = min(widths[wrapping], room)
    return [line for row in [titles, *cells] for line in _row_lines(columns, row, widths, paint)]


def wrapped(text: str, width: int) -> list[str]:
    """A text broken between words, every line at most `width` wide; long words are broken."""
    if has_wide(text):
        return wide_wrapped(text, width)
    lines: list[str] = []
    line = ""
    for word in text.split():
        while width_of(word) > width:
            room = width - width_of(line) - (1 if line else 0)
            if room < 8 and line:
                lines.append(line)
                line = ""
                continue
            head = fitting(word, room)
            lines.append(f"{line} {head}" if line else head)
            line, word = "", word[len(head) :]
        if line and width_of(line) + 1 + width_of(word) > width:
            lines.append(line)
            line = word
        elif word:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line or not lines else lines


def paragraph(text: str, paint: Paint, indent: str = "", tone: Tone = Tone.PLAIN) -> list[str]:
    """A sentence over as many lines as it needs."""
    room = max(LEAST_WRAPPED, paint.width - len(indent))
    return [indent + paint(line, tone) for line in wrapped(shown(text), room)]


def details(pairs: Sequence[tuple[str, str]], paint: Paint, indent: str = "  ") -> list[str]:
    """`name  value`, aligned; pairs without a value are left out."""
    told = [(head(name), value) for name, value in pairs if value]
    longest = max((width_of(name) for name, _ in told), default=0)
    lines = []
    for name, value in told:
        room = max(LEAST_WRAPPED, paint.width - len(indent) - longest - len(GAP))
        first, *rest = wrapped(shown(value), room)
        lines.append(indent + paint(padded(name, longest), Tone.QUIET) + GAP + first)
        lines += [indent + " " * (longest + len(GAP)) + line for line in rest]
    return lines


def padded(text: str, width: int) -> str:
    """Filled up with spaces to `width` columns of the screen."""
    return text + " " * max(0, width - width_of(text))


def fitting(text: str, room: int) -> str:
    """As much of the beginning as fits into `room` columns, at least one character."""
    end = min(len(text), room)
    while end > 1 and width_of(text[:end]) > room:
        end -= 1
    return text[:end]


def cut(text: str, most: int) -> str:
    """At most `most` wide, the middle replaced by `…`."""
    if width_of(text) <= most:
        return text
    tail = most // 3
    head = most - tail - 1
    while width_of(text[:head] + text[-tail:]) + 1 > most:
        head -= 1
    return f"{text[:head]}…{text[-tail:]}"


def _cell(value: Cell | str) -> Cell:
    cell = value if isinstance(value, Cell) else Cell(value)
    return Cell(shown(cell.text), cell.tone)


def _fitted(cell: Cell, column: Column) -> Cell:
    return cell if column.wraps else Cell(cut(cell.text, column.most), cell.tone)


def _widths(columns: Sequence[Column], rows: list[list[Cell]]) -> list[int]:
    return [
        max([width_of(column.title), *(width_of(row[at].text) for row in rows)])
        for at, column in enumerate(columns)
    ]


def _stacked(
    columns: Sequence[Column], rows: list[list[Cell]], wrapping: int, paint: Paint
) -> list[str]:
    """Each row on a line, and below it what would have wrapped."""
    narrow = [column for at, column in enumerate(columns) if at != wrapping]
    cells = [[cell for at, cell in enumerate(row) if at != wrapping] for row in rows]
    widths = _widths(narrow, cells[1:])
    lines = []
    for number, row in enumerate(cells):
        lines += _row_lines(narrow, row, widths, paint)
        below = rows[number][wrapping]
        if number and below.text:
            lines += paragraph(below.text, paint, "    ", below.tone)
    return lines


def _row_lines(
    columns: Sequence[Column], row: list[Cell], widths: list[int], paint: Paint
) -> list[str]:
    parts = [
        wrapped(cell.text, width) if column.wraps else [cell.text]
        for column, cell, width in zip(columns, row, widths, strict=True)
    ]
    lines = []
    for at in range(max(map(len, parts))):
        line = ""
        for column, cell, width, part in zip(columns, row, widths, parts, strict=True):
            text = part[at] if at < len(part) else ""
            fill = " " * max(0, width - width_of(text))
            painted = paint(text, cell.tone)
            line += (fill + painted if column.right else painted + fill) + GAP
        lines.append(line.rstrip())
    return lines
