"""Goal: what is inferred of commands of real projects is what a careful engineer expects. Method:
twelve plans beside which that is written down; precision and recall against floors set before."""

from __future__ import annotations

import tomllib
from itertools import combinations
from typing import Any

import pytest

from leaseway.core.model.paths import meet, place
from leaseway.inference.command import read_command
from leaseway.planfile.plan import read_plan
from tests.checkout import ROOT

PLANS = ROOT / "tests" / "data" / "plans"
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((PLANS / "expected.toml").read_text())
Touched = dict[str, set[tuple[str, bool]]]


def inferred(plan: str) -> tuple[Touched, dict[str, bool]]:
    """By task: (what, whether it is written), and whether a part is unknown."""
    touched: Touched = {}
    unknown: dict[str, bool] = {}
    for task in read_plan(PLANS / f"{plan}.toml").tasks:
        found = read_command(task.run, task.env)
        touched[task.name] = {(each.what, each.writes) for each in found.accesses}
        unknown[task.name] = bool(found.unread)
    return touched, unknown


def expected(plan: str) -> tuple[Touched, dict[str, bool]]:
    touched: Touched = {}
    unknown: dict[str, bool] = {}
    for task, said in EXPECTED[plan].items():
        touched[task] = {(what, False) for what in said.get("reads", ())}
        touched[task] |= {(what, True) for what in said.get("writes", ())}
        unknown[task] = said.get("unknown", False)
    return touched, unknown


def conflicts(touched: Touched) -> set[tuple[str, str]]:
    return {
        (one, two)
        for one, two in combinations(sorted(touched), 2)
        if any(
            (left[1] or right[1]) and meet(place(left[0]), place(right[0]))
            for left in touched[one]
            for right in touched[two]
        )
    }


def rates(found: set, wanted: set) -> tuple[float, float]:
    """Precision and recall."""
    right = len(found & wanted)
    return right / max(1, len(found)), right / max(1, len(wanted))


def whole(of) -> tuple[set, set, dict]:
    accesses: set = set()
    pairs: set = set()
    unknown: dict = {}
    for plan in EXPECTED:
        touched, parts = of(plan)
        accesses |= {(plan, task, *each) for task, several in touched.items() for each in several}
        pairs |= {(plan, *pair) for pair in conflicts(touched)}
        unknown |= {(plan, task): part for task, part in parts.items()}
    return accesses, pairs, unknown


def test_twelve_plans_and_every_task_of_them():
    assert len(EXPECTED) == 12
    for plan, tasks in EXPECTED.items():
        assert [task.name for task in read_plan(PLANS / f"{plan}.toml").tasks] == list(tasks)


def test_precision_and_recall(capsys):
    accesses, pairs, unknown = whole(inferred)
    wanted, wanted_pairs, wanted_unknown = whole(expected)
    precision, recall = rates(accesses, wanted)
    pair_precision, pair_recall = rates(pairs, wanted_pairs)
    told = sum(unknown[task] is part for task, part in wanted_unknown.items()) / len(unknown)
    with capsys.disabled():
        print(
            f"\naccesses: precision {precision:.3f}, recall {recall:.3f} of {len(wanted)};"
            f" pairs: {pair_precision:.3f}, {pair_recall:.3f} of {len(wanted_pairs)};"
            f" unknown told: {told:.3f} of {len(unknown)}"
        )
    assert precision >= 0.9
    assert recall >= 0.75
    assert pair_precision >= 0.9
    assert pair_recall >= 0.8
    assert told >= 0.9


@pytest.mark.parametrize("plan", EXPECTED)
def test_nothing_is_inferred_without_a_rule_and_a_piece_of_text(plan):
    for task in read_plan(PLANS / f"{plan}.toml").tasks:
        for each in read_command(task.run, task.env).accesses:
            assert each.rule
            assert each.text
