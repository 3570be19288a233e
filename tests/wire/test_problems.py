"""Goal: every no has its status, and an unknown kind is still a no. Method: the table itself."""

from __future__ import annotations

import pytest

from leaseway.core.model.findings import Finding, Severity
from leaseway.wire.problems import STATUS, Kind, finding_problem, problem, refusal


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_has_a_status_and_says_that_nothing_ran(kind):
    made = problem(kind, "because")
    assert (made.status, made.title) == STATUS[kind]
    assert made.kind == kind.value
    assert made.nothing_ran


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("refused", 422),
        ("unknown", 404),
        ("fenced", 409),
        ("conflict", 409),
        ("credential", 403),
        ("of a newer core", 422),
    ],
)
def test_refusals_of_the_core(kind, status):
    finding = Finding("LW302", ("a",), ("box",), {"need_ms": 480_000, "have_ms": 300_000})
    made = refusal(kind, (finding,))
    assert made.status == status
    assert made.detail == made.findings[0].sentence
    assert "8m" in made.detail
    assert made.detail.endswith("Nothing ran.")


def test_a_refusal_without_findings_still_says_something():
    assert refusal("refused", ()).detail


def test_a_finding_carries_words_and_numbers():
    finding = Finding("LW802", severity=Severity.ERROR)
    (info,) = finding_problem(Kind.NO_CREDENTIAL, finding).findings
    assert (info.code, info.severity) == ("LW802", "error")
    assert info.sentence
    assert info.mend
    assert info.docs == "docs/rules/LW802.md"
