"""Goal: a text that cannot be read is a finding, never an exception of a parser.
Method: texts that each parser refuses in a way of its own; files that are not there."""

from __future__ import annotations

from pathlib import Path

import pytest

from leaseway.planfile.plan import plan_from_text, read_plan
from leaseway.planfile.report import PlanFileError


def findings_of(text, format):
    with pytest.raises(PlanFileError) as raised:
        plan_from_text(text, format, f"plan.{format}")
    return raised.value.findings


@pytest.mark.parametrize(
    ("text", "format"),
    [("a = " + "[" * 20_000, "toml"), ("[" * 200_000, "json"), ("[" * 200_000, "yaml")],
)
def test_deep_nesting_is_refused(text, format):
    (finding,) = findings_of(text, format)
    assert finding.code == "LW901"


@pytest.mark.parametrize("text", ["x = " + "9" * 5000, 'x = "\\ud800"', "x = 1\x00"])
def test_toml_that_only_its_reader_refuses(text):
    (finding,) = findings_of(text, "toml")
    assert finding.variant == "syntax"


@pytest.mark.parametrize("text", ['{"a": NaN}', "[" + "9" * 5000 + "]", '{"a": 1} x', ""])
def test_json_that_only_its_reader_refuses(text):
    (finding,) = findings_of(text, "json")
    assert finding.variant == "syntax"


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "nightly.toml").touch()
    with pytest.raises(PlanFileError) as raised:
        read_plan(tmp_path / "nigthly.toml")
    (finding,) = raised.value.findings
    assert finding.variant == "unreadable"
    assert finding.numbers["got"] == "No such file or directory"
    assert finding.numbers["nearest"] == "nightly.toml"


def test_a_folder_and_an_unknown_ending(tmp_path):
    folder = tmp_path / "plan.toml"
    folder.mkdir()
    for path in (folder, Path("plan.txt")):
        with pytest.raises(PlanFileError) as raised:
            read_plan(path)
        assert raised.value.findings[0].variant == "unreadable"


@pytest.mark.parametrize("format", ["toml", "json", "yaml"])
def test_a_text_that_is_no_utf_8(format):
    (finding,) = findings_of("\ud800", format)
    assert (finding.variant, finding.numbers["expected"]) == ("syntax", "UTF-8")


def test_a_format_that_nobody_reads():
    with pytest.raises(ValueError, match="not toml, yaml or json"):
        plan_from_text("", "ini", "plan.ini")
