"""Annotations of GitHub's workflow commands: one line for each finding."""

from __future__ import annotations

from collections.abc import Sequence

from leaseway.cli.formats.placed import PlacedFinding

_LEVELS = {"error": "error", "warning": "warning", "note": "notice"}


def github_lines(found: Sequence[PlacedFinding], file: str) -> list[str]:
    """`::error file=…,line=…,col=…,title=…::…`, the mend on a second line of the annotation."""
    return [_line(each, file) for each in found]


def _line(each: PlacedFinding, file: str) -> str:
    line, column = each.place
    about = {"file": file, "line": str(line), "col": str(column), "title": each.finding.code}
    properties = ",".join(f"{name}={of_property(value)}" for name, value in about.items())
    message = each.sentence + (f"\n→ {each.mend}" if each.mend else "")
    return f"::{_LEVELS[each.level]} {properties}::{of_message(message)}"


def of_message(text: str) -> str:
    """A message that cannot end the command or begin another."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def of_property(text: str) -> str:
    """A property: what ends it is escaped, too."""
    return of_message(text).replace(":", "%3A").replace(",", "%2C")
