"""The two sentences of a finding: what is wrong, and what would mend it."""

from __future__ import annotations

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.units import show_at
from leaseway.core.wording.catalogue import Catalogue
from leaseway.core.wording.english import ENGLISH
from leaseway.core.wording.rules import may_refuse
from leaseway.core.wording.template import At, Filling, fill


def sentence(finding: Finding, at: At = show_at, catalogue: Catalogue = ENGLISH) -> str:
    """What is wrong, the boundary first; a refusal says that nothing ran."""
    filling = Filling(finding, catalogue.words, at)
    entry = catalogue.entry(finding.code, finding.variant, many=len(finding.workers) > 1)
    said = plain(finding, filling) if entry is None else fill(entry[0], filling)
    policy = finding.numbers.get("policy")
    if policy is not None and finding.code != "LW314":  # which says so itself
        said += catalogue.words.by_policy.format(policy)
    refused = finding.severity is Severity.ERROR and may_refuse(finding.code)
    return said + catalogue.words.nothing_ran if refused else said


def mend(finding: Finding, at: At = show_at, catalogue: Catalogue = ENGLISH) -> str:
    """What would mend it; empty where there is nothing to mend."""
    entry = catalogue.entry(finding.code, finding.variant, many=len(finding.workers) > 1)
    return "" if entry is None else fill(entry[1], Filling(finding, catalogue.words, at))


def plain(finding: Finding, filling: Filling) -> str:
    """A code that this catalogue does not know: whom it is about, and its numbers."""
    parts = [*finding.tasks, *finding.workers]
    for name, value in finding.numbers.items():
        stem, _, worker = name.partition("@")
        words = (
            stem.rsplit("_", 1)[0] if stem.endswith(("_ms", "_bytes", "_milli", "_at")) else stem
        )
        label = " ".join(part for part in (worker, words.replace("_", " ")) if part)
        parts.append(f"{label} {filling.shown(stem, value)}")
    head = f"{finding.code} {finding.variant}".rstrip()
    return f"{head}: {filling.words.comma.join(parts)}." if parts else f"{head}."
