"""How a finding reads: severity, code, what is wrong, and below it what would mend it."""

from __future__ import annotations

from collections.abc import Iterable

from leaseway.cli.paint import Paint, Tone, shown
from leaseway.cli.table import padded, wrapped
from leaseway.core.wording.english import ENGLISH
from leaseway.wire.findings import FindingInfo

TONES = {"error": Tone.BAD, "warning": Tone.UNSURE, "note": Tone.QUIET}
_INDENT = len("warning  LW000  ")


def cause_text(finding: FindingInfo) -> str:
    """What is wrong. That nothing ran is said once, below the last finding."""
    return finding.sentence.removesuffix(ENGLISH.words.nothing_ran)


def finding_lines(findings: Iterable[FindingInfo], paint: Paint) -> list[str]:
    """Of each finding severity, code and sentence; the mend below."""
    lines = []
    room = paint.width - _INDENT
    for finding in findings:
        tone = TONES.get(finding.severity, Tone.PLAIN)
        head = paint(padded(finding.severity, 9), tone) + padded(finding.code, 7)
        first, *rest = wrapped(shown(cause_text(finding)), room)
        lines += [head + first, *(" " * _INDENT + line for line in rest)]
        if finding.mend:
            mended = wrapped("→ " + shown(finding.mend), room)
            lines += [" " * _INDENT + paint(line, Tone.QUIET) for line in mended]
    return lines
