"""Goal: what the pages of the rules show is what happens. Method: every example is scanned as its
page says, the plan that gives the finding and the mended one; where `--fix` is said to write the
mended one, it does, to the letter."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from leaseway.cli.main import leaseway
from leaseway.cli.rule_page import example_of, examples
from leaseway.core.wording.english import ENGLISH
from leaseway.core.wording.rules import RULES

# What `scan` can say of a plan and a file of leases.
SAID = {
    *("LW101", "LW102", "LW103", "LW104", "LW105", "LW106"),
    *("LW201", "LW202", "LW203", "LW204", "LW206", "LW207", "LW209", "LW210", "LW211"),
    *("LW301", "LW302", "LW304", "LW305", "LW309"),
    *("LW401", "LW402", "LW404", "LW501", "LW502", "LW901", "LW902"),
}


@pytest.fixture
def scan(tmp_path, monkeypatch):
    """Scan a text as an example's page says; code → sentences."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")

    def call(example, text, *more):
        (tmp_path / "here" / example.plan_name).write_text(text, encoding="utf-8")
        if example.leases:
            (tmp_path / "here" / "leases.toml").write_text(example.leases, encoding="utf-8")
        words = example.command.split()[1:]
        done = CliRunner().invoke(leaseway, [*words, *more, "--json"])
        assert not done.exception or isinstance(done.exception, SystemExit), done.output
        told = json.loads(done.stdout)
        findings = told["error"]["findings"] if "error" in told else told["findings"]
        said: dict[str, list[str]] = {}
        for finding in findings:
            sentence = finding["sentence"].removesuffix(ENGLISH.words.nothing_ran)
            said.setdefault(finding["code"], []).append(sentence)
        return said

    return call


def test_every_code_that_a_scan_can_say_has_an_example():
    assert set(examples()) == SAID
    assert set(RULES) > SAID


@pytest.mark.parametrize("code", sorted(SAID))
def test_the_plan_gives_the_finding(code, scan):
    example = example_of(code)
    assert example is not None
    said = scan(example, example.plan)
    assert said.pop(code) == [example.said]
    told_anyway = {"LW103", "LW210", "LW211"} - {code}
    if code in ("LW204", "LW206"):  # what is unknown is guessed at, what is guessed is unknown
        told_anyway |= {"LW204", "LW206"}
    if code == "LW105":  # what it waits for is told too
        told_anyway |= {"LW301"}
    assert set(said) <= told_anyway, "an example shows one thing"


@pytest.mark.parametrize("code", sorted(SAID))
def test_the_mended_plan_does_not(code, scan):
    example = example_of(code)
    assert example is not None
    assert example.mended != example.plan
    said = scan(example, example.mended)
    assert set(said) <= {"LW210", "LW211"} - {code}


@pytest.mark.parametrize("code", sorted(SAID - {"LW901", "LW902"}))
def test_what_is_said_to_be_mended_by_itself_is(code, scan, tmp_path):
    example = example_of(code)
    assert example is not None
    scan(example, example.plan, "--fix")
    written = (tmp_path / "here" / example.plan_name).read_text(encoding="utf-8")
    assert written == (example.mended if example.by_itself else example.plan)
