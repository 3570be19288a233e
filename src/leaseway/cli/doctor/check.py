"""One line of the doctor: what was looked at, what was seen, and what would mend it."""

from __future__ import annotations

from msgspec import Struct

from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import padded, wrapped

MARKS = {"ok": Tone.GOOD, "note": Tone.UNSURE, "bad": Tone.BAD}
_INDENT = 20


class Check(Struct, frozen=True):
    """`verdict`: ok, note (works, but know it) or bad (mend it). `mend`: a command where there is
    one."""

    name: str
    verdict: str
    said: str
    mend: str = ""


def lines_of(check: Check, paint: Paint) -> list[str]:
    """`ok    python        3.11.2, …`, and the mend below."""
    room = paint.width - _INDENT
    head = paint(padded(check.verdict, 6), MARKS[check.verdict]) + padded(check.name, 14)
    first, *rest = wrapped(check.said, room)
    lines = [head + first, *(" " * _INDENT + line for line in rest)]
    if check.mend:
        lines += [" " * _INDENT + line for line in wrapped("→ " + check.mend, room)]
    return lines
