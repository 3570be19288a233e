"""A policy file or text → the pool's policy; what contradicts itself is a mistake in it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import convert

from leaseway.core.model.policy import Policy
from leaseway.core.policy.soundness import contradictions
from leaseway.planfile.policy_keys import POLICY
from leaseway.planfile.report import Bad, Problem, Report, Spot
from leaseway.planfile.source import Source, source_of_file, source_of_text
from leaseway.planfile.tables import Table

_FIELDS = {
    "confidence": "confidence_ppm",
    "guard": "guard_ms",
    "approval_valid_for": "approval_valid_for_ms",
    "longer_than": "longer_than_ms",
    "more_cpus_than": "more_cpus_than_milli",
}


def read_policy(path: Path) -> Policy:
    """The policy in a .toml, .yaml, .yml or .json file. PlanFileError: it cannot be read, or cannot
    hold."""
    return _policy_of(source_of_file(path, Report(str(path))))


def policy_from_text(text: str, format: str, name: str) -> Policy:
    """The policy in a text of the format `toml`, `yaml` or `json`; `name` is the file's name."""
    return _policy_of(source_of_text(text, format, Report(name)))


def _policy_of(source: Source) -> Policy:
    report = source.report
    given = Table(POLICY).read(source.value, Spot(report))
    source.stop_if_wrong()
    assert not isinstance(given, Bad), "it was reported"
    policy = convert(_named(given), Policy)
    for wrong in contradictions(policy):
        report.add(Problem(wrong.path, wrong.variant, dict(wrong.numbers), "LW908"))
    source.stop_if_wrong()
    return policy


def _named(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of the file as the fields of the model."""
    return {
        _FIELDS.get(key, key): _named(value) if key == "approve" else value
        for key, value in given.items()
    }
