"""Goal: a policy file is read whole or not at all, each mistake with its line. Method: the file of
the reference read by hand, and mistakes one by one."""

from __future__ import annotations

import json

import pytest

from leaseway.core.model.policy import Approve, Policy, Weight
from leaseway.planfile.policy import policy_from_text, read_policy
from leaseway.planfile.policy_keys import POLICY
from leaseway.planfile.report import PlanFileError
from leaseway.planfile.tables import Table

WHOLE = """
confidence = "95%"
guard = "30s"
approval_valid_for = "2h"

[findings]
LW206 = "ask"
LW308 = "refuse"
LW205 = "tell"

[share]
agent = "50%"

[approve]
roles = ["agent", "owner"]
codes = ["LW305"]
longer_than = "2h"
more_cpus_than = 8
commands = ["terraform*"]
"""
READ = Policy(
    {"LW206": Weight.ASK, "LW308": Weight.REFUSE, "LW205": Weight.TELL},
    950_000,
    30_000,
    {"agent": 50},
    Approve(("agent", "owner"), ("LW305",), 7_200_000, 8_000, ("terraform*",)),
    7_200_000,
)


def test_every_key_is_read():
    assert policy_from_text(WHOLE, "toml", "policy.toml") == READ


def test_json_and_yaml_say_the_same(tmp_path):
    import tomllib

    for name in ("policy.json", "policy.yaml"):
        (tmp_path / name).write_text(json.dumps(tomllib.loads(WHOLE)))
        assert read_policy(tmp_path / name) == READ


def test_an_empty_file_is_the_usual_policy():
    assert policy_from_text("", "toml", "policy.toml") == Policy()


MISTAKES = [
    ('confidence = "120%"', "LW901/value", "1:1", 'one of "80%", "90%", "95%", "99%"'),
    ("confidence = 95", "LW901/value", "1:1", "one of"),
    ('guard = "soon"', "LW901/value", "1:1", "a duration"),
    ('guard = "25h"', "LW908/value", "1:1", "up to 24h"),
    ("approval_valid_for = 0", "LW908/value", "1:1", "above 0"),
    ('[findings]\nLW206 = "maybe"', "LW901/value", "2:1", '"refuse", "ask", "tell"'),
    ('[findings]\nLW206 = "ask"\nLW206 = "ask"', "LW901/key-twice", "3:1", "once"),
    ('[findings]\nLW301 = "tell"', "LW908/fixed", "2:1", ""),
    ('[findings]\nLW101 = "ask"', "LW908/fixed", "2:1", ""),
    ('[findings]\nLW999 = "tell"', "LW908/unknown-code", "2:1", ""),
    ('[findings]\nLW704 = "tell"', "LW908/not-judged", "2:1", ""),
    (
        '[findings]\nLW206 = "refuse"\n[approve]\ncodes = [\n  "LW308",\n  "LW206",\n]',
        "LW908/twice",
        "6:3",
        "",
    ),
    ('[share]\nagent = "0%"', "LW908/no-share", "2:1", ""),
    ('[share]\nagent = "101%"', "LW908/value", "2:1", "1% to 100%"),
    ("[share]\nagent = 50", "LW901/value", "2:1", "1%"),
    ('[share]\nworker = "5%"', "LW908/role", "2:1", ""),
    ('[approve]\nroles = ["boss"]', "LW908/role", "2:10", ""),
    ('[approve]\nroles = []\nlonger_than = "1h"', "LW908/nobody-asks", "2:1", ""),
    ("[approve]\nmore_cpus_than = -1", "LW901/value", "2:1", "a number of cpus"),
    ('[approve]\nby = "me"', "LW901/unknown-key", "2:1", ""),
    ("finding = 1", "LW901/unknown-key", "1:1", ""),
    ("[findings", "LW901/syntax", "1:10", ""),
]


@pytest.mark.parametrize(("text", "code", "place", "expected"), MISTAKES)
def test_one_mistake_and_its_place(text, code, place, expected):
    with pytest.raises(PlanFileError) as wrong:
        policy_from_text(text, "toml", "policy.toml")
    (finding,) = wrong.value.findings
    assert f"{finding.code}/{finding.variant}" == code
    assert finding.numbers["where"] == f"policy.toml:{place}"
    assert expected in str(finding.numbers.get("expected", ""))


def test_contradictions_are_all_told_in_their_order():
    text = '[findings]\nLW301 = "tell"\nLW999 = "ask"\n[share]\nagent = "0%"\n'
    with pytest.raises(PlanFileError) as wrong:
        policy_from_text(text, "toml", "policy.toml")
    assert [each.numbers["line"] for each in wrong.value.findings] == [2, 3, 5]


def test_the_schema_has_every_key():
    schema = Table(POLICY).schema()
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert sorted(properties) == sorted(POLICY)
