"""Goal: exit codes say what happened, and nothing else. Method: the table, row by row."""

from __future__ import annotations

import pytest

from leaseway.cli.exits import of_command, of_plan, of_scan
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.wire.findings import finding_info
from leaseway.wire.tasks import EndingInfo

PLANS: list[tuple[list[str | None], int]] = [
    ([], 0),
    (["succeeded", "succeeded"], 0),
    (["succeeded", "failed"], 1),
    (["overran"], 1),
    (["stopped"], 1),
    (["skipped"], 1),
    (["cancelled"], 1),
    (["incomplete"], 1),
    (["refused", "failed", "succeeded"], 3),
    (["lost", "refused", "failed", "succeeded"], 4),
    (["succeeded", None], 4),
    (["a-kind-of-tomorrow"], 1),
]
COMMANDS = [
    ("succeeded", {"exit_code": 0}, 0),
    ("failed", {"exit_code": 1}, 1),
    ("failed", {"exit_code": 123}, 123),
    ("failed", {"exit_code": 124}, 1),
    ("failed", {"exit_code": 127}, 1),
    ("failed", {"exit_code": 130}, 130),
    ("failed", {"exit_code": 255}, 255),
    ("failed", {"signal": 9}, 137),
    ("failed", {"signal": 15}, 143),
    ("failed", {}, 1),
    ("overran", {"signal": 15}, 124),
    ("stopped", {"exit_code": 0}, 124),
    ("refused", None, 125),
    ("lost", None, 126),
    (None, None, 126),
    ("cancelled", {"signal": 15}, 130),
    ("incomplete", {"exit_code": 0}, 1),
    ("skipped", None, 1),
]


@pytest.mark.parametrize(("kinds", "code"), PLANS)
def test_of_a_plan(kinds, code):
    assert of_plan(kinds) == code


@pytest.mark.parametrize(("kind", "seen", "code"), COMMANDS)
def test_of_a_command(kind, seen, code):
    ending = None if seen is None else EndingInfo("exited", **seen)
    assert of_command(kind, ending) == code


def test_every_outcome_is_in_both_tables():
    kinds = {kind.value for kind in OutcomeKind}
    assert kinds <= {kind for row, _ in PLANS for kind in row if kind}
    assert kinds <= {kind for kind, _, _ in COMMANDS}


@pytest.mark.parametrize(
    ("severities", "code"),
    [
        ([], 0),
        ([Severity.NOTE], 0),
        ([Severity.NOTE, Severity.WARNING], 1),
        ([Severity.WARNING, Severity.ERROR], 3),
    ],
)
def test_of_a_scan(severities, code):
    findings = [finding_info(Finding("LW206", severity=severity)) for severity in severities]
    assert of_scan(findings) == code
