"""Goal: who mistypes a name is offered the near ones, at a bounded cost. Method: known cases."""

from __future__ import annotations

import time

from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import Selector
from leaseway.core.scan.names import TRIES, Known, nearest, unknown_names
from tests.core.scan.plans import plan, task


def test_nearest():
    known = ["build", "test", "deploy", "rebuild"]
    assert nearest("biuld", known)[0] == "build"
    assert nearest("BUILD", known) == ["build", "rebuild"]
    assert nearest("zzz", known) == []
    assert nearest("", known) == []
    assert nearest("build", []) == []
    assert nearest("x" * 10_000, ["x" * 10_000]) == []


def test_no_more_than_three_and_in_one_order():
    known = {f"step-{at}" for at in range(100)}
    assert len(nearest("step-1x", known)) == 3
    assert nearest("step-1x", sorted(known)) == nearest("step-1x", sorted(known, reverse=True))


def test_twenty_thousand_names():
    known = Known(f"task-{at:05}" for at in range(20_000))
    started = time.process_time()
    assert "task-12345" in known.nearest("tsak-12345")
    for at in range(TRIES * 3):
        known.nearest(f"tusk_{at:05}")
    assert time.process_time() - started < 5.0


def test_after_many_tries_none_are_offered():
    known = Known(["build"])
    for _ in range(TRIES):
        assert known.nearest("buil") == ["build"]
    assert known.nearest("buil") == []


def test_unknown_names_of_a_plan():
    leases = {
        "box": Terms((), tokens=("gpu-room",), labels=("gpu",), tools=("make",)),
        "mini": Terms(()),
    }
    whole = plan(
        task("a", holds=("gpu-rom",), on=Selector(labels=("gpu",), tools=("mak",))),
        task("b", holds=("gpu-rom", "lock"), on=Selector(labels=("arm",))),
        workers=("bx",),
        not_on=("mini",),
    )
    found = {told.variant: told for told in unknown_names(whole, leases, ["lock"])}
    assert set(found) == {"worker", "token", "label", "tool"}
    assert found["worker"].numbers == {"name": "bx", "nearest": ["box"]}
    assert found["token"].tasks == ("a", "b")
    assert found["token"].numbers == {"name": "gpu-rom", "nearest": ["gpu-room"]}
    assert found["label"].numbers == {"name": "arm", "nearest": [], "offered": ["gpu"]}
    assert found["tool"].numbers == {"name": "mak", "nearest": ["make"]}


def test_known_names_are_not_told():
    leases = {"box": Terms((), tokens=("t",))}
    assert list(unknown_names(plan(task("a", holds=("t",)), workers=("box",)), leases)) == []
