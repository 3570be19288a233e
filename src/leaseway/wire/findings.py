"""A finding as it travels: the core's data and both sentences."""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.model.findings import Finding
from leaseway.core.model.fixes import Fix
from leaseway.core.scan.mends import fixes_of
from leaseway.core.wording.say import mend, sentence
from leaseway.runtime import local_clock


class FindingInfo(Struct, frozen=True):
    """Code, what it is about, its numbers (units in their names), what is wrong, what mends it.
    `severity`: error, warning, note or cause."""

    code: str
    severity: str
    sentence: str
    mend: str = ""
    tasks: tuple[str, ...] = ()
    workers: tuple[str, ...] = ()
    numbers: dict[str, int | str | list[str]] = field(default_factory=dict)
    variant: str = ""
    docs: str = ""  # page of this rule, in the documentation
    fix: tuple[Fix, ...] = ()  # changes of the plan that mend it; none where somebody must choose


def finding_info(finding: Finding) -> FindingInfo:
    """The finding with its sentences, moments shown in this machine's time zone."""
    return FindingInfo(
        code=finding.code,
        severity=finding.severity.value,
        sentence=sentence(finding, local_clock),
        mend=mend(finding, local_clock),
        tasks=finding.tasks,
        workers=finding.workers,
        numbers=finding.numbers,
        variant=finding.variant,
        docs=f"docs/rules/{finding.code}.md",
        fix=fixes_of(finding),
    )


def finding_infos(findings: tuple[Finding, ...]) -> tuple[FindingInfo, ...]:
    """All of them, in order."""
    return tuple(finding_info(each) for each in findings)
