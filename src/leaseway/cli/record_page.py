"""How the record reads: a table per kind of name, and the causes and the waste below it."""

from __future__ import annotations

from collections.abc import Mapping

from leaseway.cli.outcomes import core_minutes
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import Cell, Column, Row, paragraph, table_lines
from leaseway.core.model.units import show_ms
from leaseway.wire.history import RecordInfo, TallyInfo

_COUNTS = ("made", "kept", "withdrawn", "broken", "overran", "dropped", "moved", "open")
_BASIS = {
    "estimate": "the task's own estimate",
    "limit": "the limit alone",
    "command": "runs of the very command",
    "shape": "runs of commands of its shape",
    "template": "runs of commands like it",
    "anywhere": "runs of such commands on any worker",
}


def record_lines(found: RecordInfo, paint: Paint) -> list[str]:
    """One table for each kind of which anything is known."""
    parts = [
        tally_lines(title, tallies, paint)
        for title, tallies in (
            ("worker", found.workers),
            ("asked by", found.principals),
            ("rests on", {_BASIS.get(name, name): of for name, of in found.bases.items()}),
        )
        if tallies
    ]
    if not parts:
        return ["Nothing was promised yet."]
    return [line for at, part in enumerate(parts) for line in ([""] if at else []) + part]


def tally_lines(title: str, tallies: Mapping[str, TallyInfo], paint: Paint) -> list[str]:
    """The counts as a table; what was taken back or broken, and what was wasted, in words."""
    columns = [Column(title, most=36), *(Column(each, right=True) for each in _COUNTS)]
    rows: list[Row] = [
        [name, *(_count(each, getattr(tally, each)) for each in _COUNTS)]
        for name, tally in tallies.items()
    ]
    lines = table_lines(columns, rows, paint)
    for name, tally in tallies.items():
        for said in _said(tally):
            lines += paragraph(f"{name}: {said}", paint, indent="  ")
    return lines


def _count(kind: str, count: int) -> Cell | str:
    return Cell(str(count), Tone.BAD) if kind == "broken" and count else str(count)


def _said(tally: TallyInfo) -> list[str]:
    said = []
    if tally.ahead_ms is not None:
        least = show_ms(tally.ahead_least_ms or 0)
        said.append(
            f"withdrawn {show_ms(tally.ahead_ms)} before the promised time in the mean,"
            f" {least} at least"
        )
    if tally.causes:
        causes = ", ".join(f"{count} {code}" for code, count in tally.causes.items())
        said.append(f"withdrawn or broken by {causes}")
    wasted = {code: core_ms for code, core_ms in tally.wasted_core_ms.items() if core_ms}
    if wasted:
        parts = ", ".join(f"{core_minutes(core_ms)} {code}" for code, core_ms in wasted.items())
        said.append(f"wasted core-minutes {parts}")
    return said
