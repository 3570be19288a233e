"""How a finding reads: severity, code, what is wrong, and below it what would mend it."""

from __future__ import annotations

from collections.abc import Iterable

from leaseway.cli.language import spoken
from leaseway.cli.paint import Paint, Tone, shown, width_of
from leaseway.cli.table import padded, wrapped
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.wording.catalogue import Catalogue
from leaseway.core.wording.languages import catalogue_of
from leaseway.core.wording.say import mend, sentence
from leaseway.runtime import local_clock
from leaseway.wire.findings import FindingInfo

TONES = {"error": Tone.BAD, "warning": Tone.UNSURE, "note": Tone.QUIET}
_SEVERITY, _CODE = 9, 7


def cause_text(finding: FindingInfo, language: str | None = None) -> str:
    """What is wrong. That nothing ran is said once, below the last finding."""
    catalogue = catalogue_of(language or spoken())
    return sentence_of(finding, language).removesuffix(catalogue.words.nothing_ran)


def sentence_of(finding: FindingInfo, language: str | None = None) -> str:
    """The whole sentence, in the language of this call; as it came where that has no words for it,
    as for a code of a newer coordinator."""
    catalogue = _other_than_english(finding, language)
    if catalogue is None:
        return finding.sentence
    return sentence(_finding(finding), local_clock, catalogue)


def mend_of(finding: FindingInfo, language: str | None = None) -> str:
    """What would mend it, likewise."""
    catalogue = _other_than_english(finding, language)
    return finding.mend if catalogue is None else mend(_finding(finding), local_clock, catalogue)


def finding_lines(
    findings: Iterable[FindingInfo], paint: Paint, language: str | None = None
) -> list[str]:
    """Of each finding severity, code and sentence; the mend below."""
    lines = []
    words = catalogue_of(language or spoken()).words
    indent = max([_SEVERITY, *(width_of(word) + 1 for word in words.severities.values())]) + _CODE
    room = paint.width - indent
    for finding in findings:
        tone = TONES.get(finding.severity, Tone.PLAIN)
        severity = words.severities.get(finding.severity, finding.severity)
        head = paint(padded(severity, indent - _CODE), tone) + padded(finding.code, _CODE)
        first, *rest = wrapped(shown(cause_text(finding, language)), room)
        lines += [head + first, *(" " * indent + line for line in rest)]
        if mended := mend_of(finding, language):
            lines += [
                " " * indent + paint(line, Tone.QUIET)
                for line in wrapped("→ " + shown(mended), room)
            ]
    return lines


def _other_than_english(finding: FindingInfo, language: str | None) -> Catalogue | None:
    language = language or spoken()
    if language == "en":
        return None
    catalogue = catalogue_of(language)
    return catalogue if finding.code in catalogue.entries else None


def _finding(info: FindingInfo) -> Finding:
    known = info.severity in set(Severity)
    severity = Severity(info.severity) if known else Severity.CAUSE
    return Finding(info.code, info.tasks, info.workers, info.numbers, info.variant, severity)
