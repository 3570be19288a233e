"""Goal: what became of promises is read at a glance. Method: a record made by hand."""

from __future__ import annotations

import json

from leaseway.wire.history import RecordInfo, TallyInfo
from tests.cli.samples import MINUTE, NOON

BOX = TallyInfo(
    made=9,
    kept=4,
    withdrawn=2,
    broken=1,
    overran=1,
    dropped=0,
    moved=0,
    open=1,
    causes={"LW605": 2, "LW703": 1},
    ahead_ms=8 * MINUTE,
    ahead_least_ms=MINUTE,
    wasted_core_ms={"LW702": 90_000, "LW712": 0},
)
FOUND = RecordInfo({"box": BOX}, {"bot": BOX}, {"shape": BOX}, NOON)


def test_a_page(run, fake):
    fake.recorded = FOUND
    lines = run("record").stdout.splitlines()
    words = [line.split() for line in lines]
    counts = ["9", "4", "2", "1", "1", "0", "0", "1"]
    assert [row[-8:] for row in words if row[-8:] == counts] == [counts] * 3
    assert "box: withdrawn 8m before the promised time in the mean, 1m at least" in lines[2]
    assert "box: withdrawn or broken by 2 LW605, 1 LW703" in lines[3]
    assert "box: wasted core-minutes 1.5 LW702" in lines[4]
    assert any(line.startswith("runs of commands of its shape") for line in lines)
    assert max(map(len, lines)) <= 100


def test_one_name_or_the_estimator_alone(run, fake):
    fake.recorded = FOUND
    for option, kept in (
        (("--worker", "box"), ("workers",)),
        (("--agent", "bot"), ("principals",)),
        (("--estimator",), ("bases",)),
        (("--worker", "nobody"), ()),
    ):
        told = json.loads(run("record", *option, "--json").stdout)
        parts = ("workers", "principals", "bases")
        assert tuple(part for part in parts if told[part]) == kept


def test_nothing_promised_is_said(run, fake):
    assert run("record").stdout == "Nothing was promised yet.\n"
