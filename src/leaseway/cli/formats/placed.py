"""Findings with their places in a plan file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from leaseway.cli.findings import cause_text, mend_of
from leaseway.planfile.report import Place
from leaseway.planfile.task_places import task_places
from leaseway.wire.findings import FindingInfo


@dataclass(frozen=True)
class PlacedFinding:
    """`place`: line and column from 1; the start of the file for what is about all of it.
    `others`: further tasks that it is about, and where they stand."""

    finding: FindingInfo
    level: str  # error, warning or note
    sentence: str
    mend: str
    place: Place
    others: tuple[tuple[str, Place], ...] = ()


def placed(
    findings: Iterable[FindingInfo], plan: Path, *, strict: bool = False
) -> list[PlacedFinding]:
    """All of them in order; `strict`: a warning is an error."""
    places = task_places(plan)
    return [_placed(finding, places, strict) for finding in findings]


def _placed(finding: FindingInfo, places: Mapping[str, Place], strict: bool) -> PlacedFinding:
    level = finding.severity if finding.severity in ("error", "warning") else "note"
    known = [(task, places[task]) for task in finding.tasks if task in places]
    line, column = finding.numbers.get("line"), finding.numbers.get("column")
    if isinstance(line, int) and isinstance(column, int):
        place, others = (line, column), known
    else:
        place, others = (known[0][1], known[1:]) if known else ((1, 1), [])
    return PlacedFinding(
        finding=finding,
        level="error" if strict and level == "warning" else level,
        sentence=cause_text(finding),
        mend=mend_of(finding),
        place=place,
        others=tuple(others),
    )


def name_in_report(plan: Path) -> str:
    """The file as other programs find it: below the working directory if it lies there, with
    forward slashes."""
    try:
        return plan.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return plan.resolve().as_posix()
