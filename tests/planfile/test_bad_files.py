"""Goal: a wrong plan file is answered with every mistake, its place and the nearest known key.
Method: each sample in `bad/` stands beside the findings it must give, written by hand:
code, variant, line:column, key path, nearest.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.wording.say import sentence
from leaseway.planfile.plan import read_plan
from leaseway.planfile.report import PlanFileError

BAD = Path(__file__).parent / "bad"
SAMPLES = sorted(path for path in BAD.iterdir() if path.suffix != ".expected")


def told(finding: Finding) -> str:
    numbers = finding.numbers
    parts = [finding.code, finding.variant, f"{numbers['line']}:{numbers['column']}"]
    parts += [str(numbers["key"])] if "key" in numbers else []
    parts += [f"nearest={numbers['nearest']}"] if "nearest" in numbers else []
    return " ".join(parts)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_every_mistake_is_found_where_it_stands(sample):
    with pytest.raises(PlanFileError) as raised:
        read_plan(sample)
    expected = sample.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
    assert [told(finding) for finding in raised.value.findings] == expected
    assert raised.value.total == len(expected)
    for finding in raised.value.findings:
        assert finding.severity is Severity.ERROR
        assert finding.numbers["file"] == str(sample)
        assert finding.variant == "duplicate" or finding.numbers["expected"]
        said = sentence(finding)
        assert said.startswith(f"{finding.numbers['where']}: ")
        assert "unknown" not in said.replace("unknown key", "").replace(str(sample), "")


def test_every_sample_has_its_findings():
    assert sorted(path.stem for path in SAMPLES) == sorted(p.stem for p in BAD.glob("*.expected"))
