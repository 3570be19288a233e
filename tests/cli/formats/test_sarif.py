"""Goal: other programs can read what a scan says. Method: the essentials of the SARIF 2.1.0 schema,
written out here, over logs of real scans; and known places."""

from __future__ import annotations

import json
import re
from urllib.parse import unquote

import pytest
from click.testing import CliRunner

from leaseway.cli.main import leaseway
from tests.checkout import ROOT

# type of each property; "!" marks those that the schema requires.
SCHEMA: dict[str, dict[str, object]] = {
    "log": {"$schema": str, "version!": str, "runs!": ["run"]},
    "run": {
        "tool!": "tool",
        "language": str,
        "columnKind": str,
        "invocations": ["invocation"],
        "artifacts": ["artifact"],
        "results": ["result"],
    },
    "tool": {"driver!": "driver"},
    "driver": {"name!": str, "version": str, "rules": ["rule"]},
    "rule": {
        "id!": str,
        "helpUri": str,
        "shortDescription": "message",
        "help": "multiformat",
        "defaultConfiguration": "configuration",
        "properties": dict,
    },
    "message": {"text!": str},
    "multiformat": {"text!": str, "markdown": str},
    "configuration": {"level": str},
    "invocation": {"executionSuccessful!": bool, "exitCode": int},
    "artifact": {"location": "artifactLocation"},
    "artifactLocation": {"uri": str, "index": int},
    "result": {
        "ruleId": str,
        "ruleIndex": int,
        "level": str,
        "message!": "message",
        "locations": ["location"],
        "relatedLocations": ["location"],
        "properties": dict,
    },
    "location": {"id": int, "message": "message", "physicalLocation": "physical"},
    "physical": {"artifactLocation": "artifactLocation", "region": "region"},
    "region": {"startLine": int, "startColumn": int},
}
LEVELS = {"none", "note", "warning", "error"}
URI = re.compile(r"[A-Za-z0-9._~:/?#@!$&'()*+,;=%-]+")


def check(value, kind):
    """That a value is of a kind of the schema."""
    if isinstance(kind, list):
        assert isinstance(value, list)
        for each in value:
            check(each, kind[0])
        return
    if not isinstance(kind, str):
        assert type(value) is kind
        return
    known = SCHEMA[kind]
    names = {name.rstrip("!"): inner for name, inner in known.items()}
    assert value.keys() <= names.keys(), kind
    assert {name[:-1] for name in known if name.endswith("!")} <= value.keys(), kind
    for name, inner in value.items():
        check(inner, names[name])


def check_log(log):
    check(log, "log")
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["columnKind"] in ("utf16CodeUnits", "unicodeCodePoints")
    assert re.fullmatch(r"[a-zA-Z]{2}(-[a-zA-Z]{2})?", run["language"])
    assert len({rule["id"] for rule in rules}) == len(rules)
    for rule in rules:
        assert URI.fullmatch(rule["helpUri"])
        assert (ROOT / rule["helpUri"]).is_file()
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in LEVELS
        related = result.get("relatedLocations", [])
        assert len({each["id"] for each in related}) == len(related)
        for location in [*result["locations"], *related]:
            place = location["physicalLocation"]
            assert URI.fullmatch(place["artifactLocation"]["uri"])
            artifact = run["artifacts"][place["artifactLocation"]["index"]]
            assert artifact["location"]["uri"] == place["artifactLocation"]["uri"]
            assert place["region"]["startLine"] >= 1
            assert place["region"]["startColumn"] >= 1


@pytest.fixture
def scan(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def call(name, text, *words):
        (tmp_path / name).write_text(text, encoding="utf-8")
        done = CliRunner().invoke(leaseway, ["scan", name, "--format", "sarif", *words])
        assert not done.exception or isinstance(done.exception, SystemExit), done.exception
        log = json.loads(done.stdout)
        check_log(log)
        return done.exit_code, log["runs"][0]

    return call


TWO = (
    '[task.write]\nrun = "w"\nlimit = "5m"\nreads = []\nwrites = ["out"]\n\n'
    '  [task.show]\nrun = "s"\nlimit = "5m"\nreads = ["out"]\nwrites = []\n'
)


def region(location):
    place = location["physicalLocation"]["region"]
    return place["startLine"], place["startColumn"]


def test_places_levels_and_rules(scan):
    code, run = scan("my plan.toml", TWO)
    assert code == 1
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
    result = next(each for each in run["results"] if each["ruleId"] == "LW103")
    assert result["level"] == "warning"
    assert result["message"]["text"] == (
        "show reads out, which write writes, and no order is declared: show waits for write.\n"
        "If this order is meant, declare it: show needs write."
    )
    assert region(result["locations"][0]) == (7, 9)
    (other,) = result["relatedLocations"]
    assert (other["message"]["text"], region(other)) == ("write", (1, 7))
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "my%20plan.toml"
    assert unquote(uri) == "my plan.toml"
    rule = run["tool"]["driver"]["rules"][result["ruleIndex"]]
    assert rule["helpUri"] == "docs/rules/LW103.md"
    whole = next(each for each in run["results"] if each["ruleId"] == "LW210")
    assert region(whole["locations"][0]) == (1, 1)
    assert whole["level"] == "note"


def test_strict_makes_errors(scan):
    code, run = scan("plan.toml", TWO, "--strict")
    assert code == 3
    assert next(each for each in run["results"] if each["ruleId"] == "LW103")["level"] == "error"


def test_a_file_that_cannot_be_read_is_a_log_too(scan):
    code, run = scan("plan.toml", '[task.a]\nrun = "x"\ntimeout = "5m"\n')
    assert code == 3
    (result,) = run["results"]
    assert (result["ruleId"], result["level"]) == ("LW901", "error")
    assert region(result["locations"][0]) == (3, 1)


def test_in_chinese(scan):
    _, run = scan("plan.toml", TWO, "--lang", "zh")
    assert run["language"] == "zh-CN"
    assert any("show 等待 write" in each["message"]["text"] for each in run["results"])


def test_a_plan_elsewhere_has_an_absolute_address(scan, tmp_path, monkeypatch):
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    _, run = scan(str(tmp_path / "plan.toml"), TWO)
    assert run["artifacts"][0]["location"]["uri"] == f"file://{tmp_path.resolve()}/plan.toml"
