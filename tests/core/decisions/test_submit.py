"""Goal: a plan is promised whole or refused with its numbers. Method: S2 and others, by hand."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.lease import Scope
from leaseway.core.model.plan import Selector, TaskSpec
from tests.core.pool import AGENT, PERSON, T0, M, Pool, codes, kinds, offer, plan, task


def pool_of(window_ms=None, **fields):
    pool = Pool()
    pool.register("w", offer(window_ms, **fields))
    return pool


def facts(pool):
    return msgspec.json.encode(pool.view.facts, order="deterministic")


def minutes(*lengths):
    return [task(f"t{at}", length * M) for at, length in enumerate(lengths)]


# S2 -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slots", "fit"), [(1, 3), (2, 6)])
def test_s2_three_minute_tasks_in_ten_minutes(slots, fit):
    pool = pool_of(10 * M, slots=slots)
    said = pool.submit(*minutes(*[3] * (fit + 1)), partial=True)
    promised = [one.promise for one in said.reply.tasks]
    expected = [T0 + 3 * M * (1 + at // slots) for at in range(fit)]
    assert promised == [*expected, None]
    assert pool.outcome(f"t{fit}") == "refused"
    assert pool.task(f"t{fit}").outcome.cause.code == "LW303"


@pytest.mark.parametrize(("slots", "fit"), [(1, 3), (2, 6)])
def test_s2_without_partial_nothing_is_accepted(slots, fit):
    pool = pool_of(10 * M, slots=slots)
    before = len(pool.history)
    refused = pool.submit(*minutes(*[3] * (fit + 1))).refused
    assert codes(refused.findings) == ["LW303", "LW305"]
    behind, count = refused.findings
    assert (behind.numbers["need_ms"], behind.numbers["have_ms"]) == (3 * M, M)
    assert behind.numbers["short_ms"] == 2 * M
    assert count.numbers == {"fit": fit, "count": fit + 1}
    (kept,) = pool.history[before:]
    assert (kept.event.id, kept.event.findings) == ("declined-1", tuple(refused.findings))
    assert not pool.view.facts.tasks
    assert pool.submit(*minutes(*[3] * fit)).refused is None


def test_exactly_full_is_not_too_much():
    pool = pool_of(9 * M)
    said = pool.submit(*minutes(3, 3, 3)).reply
    assert [one.promise - T0 for one in said.tasks] == [3 * M, 6 * M, 9 * M]
    assert codes(pool.submit(task("x", 1)).refused.findings) == ["LW303", "LW305"]


# Atomic, partial, dry, keys -----------------------------------------------------------------------


def test_partial_refuses_some_and_skips_their_followers():
    pool = pool_of(10 * M)
    tasks = [
        task("a", 3 * M),
        task("big", 20 * M),
        task("b", 3 * M, needs=("big",)),
        task("c", 3 * M, needs=("b",)),
    ]
    pool.submit(*tasks, partial=True)
    assert [pool.outcome(name) for name in ("a", "big", "b", "c")] == [
        None,
        "refused",
        "skipped",
        "skipped",
    ]
    assert pool.task("big").outcome.cause.code == "LW302"


def test_partial_of_nothing_is_refused():
    pool = pool_of(M)
    assert pool.submit(task("a", 5 * M), partial=True).refused is not None
    assert "PlanSubmitted" not in kinds(pool)


def test_dry_says_the_same_and_changes_nothing():
    pool = pool_of(10 * M)
    before = facts(pool)
    asked = cmd.Submit(plan(*minutes(3, 3)), PERSON, key="k", dry=True)
    dry = pool.do(asked).reply
    assert facts(pool) == before
    real = pool.submit(*minutes(3, 3), key="k").reply
    assert dry.dry
    assert not real.dry
    assert dry.tasks == real.tasks


def test_fault_21_one_key_is_one_plan():
    pool = pool_of()
    said = [pool.submit(*minutes(3), key="k", digest="d").reply for _ in range(5)]
    assert len(pool.view.facts.plans) == len(pool.view.facts.tasks) == 1
    assert {one.plan for one in said} == {"p-1"}
    assert [one.repeated for one in said] == [False, True, True, True, True]
    assert said[1].tasks[0].promise == said[0].tasks[0].promise
    refused = pool.submit(*minutes(4), key="k", digest="other").refused
    assert (refused.kind, codes(refused.findings)) == ("conflict", ["LW903"])
    assert refused.findings[0].numbers["plan"] == "p-1"


def test_a_key_is_its_principal_s_own():
    pool = pool_of()
    pool.submit(*minutes(3), key="k", digest="d")
    assert pool.submit(*minutes(4), key="k", digest="e", who=AGENT).reply.plan == "p-2"


def test_a_refused_submit_does_not_use_its_key_up():
    pool = pool_of(10 * M)
    assert pool.submit(*minutes(20), key="k", digest="d").refused
    assert pool.submit(*minutes(3), key="k", digest="e").reply.plan == "p-1"


# What cannot be satisfied -------------------------------------------------------------------------

SEVEN: dict[str, tuple[TaskSpec, str, dict[str, Any]]] = {
    "time": (task("x", 8 * M), "LW302", {"need_ms": 8 * M, "have_ms": 5 * M, "short_ms": 3 * M}),
    "run time": (task("x", 4 * M), "LW301", {"need_ms": 4 * M, "cap_ms": 3 * M}),
    "capacity": (
        task("x", M, uses=Uses(memory_bytes=9)),
        "LW401",
        {"resource": "memory", "need_bytes": 9, "have_bytes": 8},
    ),
    "command": (
        msgspec.structs.replace(task("x", M), run=("rm",)),
        "LW501",
        {"command": "rm", "allowed": ["true"]},
    ),
    "path": (task("x", M, writes=("/etc/x",)), "LW502", {"paths": ["/etc/x"]}),
    "label": (
        task("x", M, on=Selector(labels=("gpo",))),
        "LW404",
        {"name": "gpo", "nearest": ["gpu"]},
    ),
    "dependency": (task("x", M, needs=("y",)), "LW102", {}),
}


@pytest.mark.parametrize("what", SEVEN)
def test_fault_31_each_says_what_was_asked_and_the_best_on_offer(what):
    spec, code, numbers = SEVEN[what]
    pool = pool_of(
        5 * M,
        max_run_ms=None if what == "time" else 3 * M,
        capacity=Capacity(memory_bytes=8),
        labels=("gpu",),
        scope=Scope(commands=("true",), write=("/data",)),
    )
    found = pool.submit(spec).refused.findings
    assert codes(found) == [code]
    assert numbers.items() <= found[0].numbers.items()
    assert "x" in found[0].tasks


def test_fault_31_seven_different_codes():
    assert len({code for _, code, _ in SEVEN.values()}) == 7


@pytest.mark.parametrize(
    ("fields", "variant"),
    [
        ({"limit_ms": 0}, "zero"),
        ({"estimate_ms": 0}, "zero"),
        ({"name": ""}, "name"),
        ({"name": ".."}, "name"),
        ({"name": "a/b"}, "name"),
        ({"name": "a\n\x1b[31m"}, "name"),
        ({"run": ("",)}, "zero"),
        ({"run": ()}, "zero"),
    ],
)
def test_zero_is_not_absent(fields, variant):
    spec = msgspec.structs.replace(task("a", M), **fields)
    found = pool_of().submit(spec).refused.findings
    assert [(one.code, one.variant) for one in found] == [("LW901", variant)]


def test_no_tasks_the_same_name_twice_and_no_lanes():
    pool = pool_of()
    assert pool.submit().refused.findings[0].variant == "no-tasks"
    assert "LW901" in codes(pool.submit(task("a", M), task("a", M)).refused.findings)
    assert pool.submit(task("a", M), max_parallel=0).refused.findings[0].numbers == {
        "key": "max_parallel"
    }


def test_unknown_worker_and_token_are_told_with_the_nearest():
    pool = pool_of(tokens=("gpu-room",))
    found = pool.submit(task("a", M, holds=("gpu-rom",)), workers=("v",)).refused.findings
    assert {(one.variant, one.numbers["name"]) for one in found} == {
        ("worker", "v"),
        ("token", "gpu-rom"),
    }
    assert ["gpu-room"] in [one.numbers["nearest"] for one in found]


def test_no_worker_at_all():
    found = Pool().submit(task("a", M)).refused.findings
    assert (found[0].code, found[0].variant) == ("LW402", "no-worker")


def test_a_worker_that_is_gone_is_promised_nothing():
    pool = pool_of()
    pool.now += 15_001
    refused = pool.submit(task("a", M)).refused
    assert refused.findings[0].numbers["states"] == ["w is not heard of"]


def test_by():
    pool = pool_of()
    assert pool.submit(*minutes(3, 3), by_ms=6 * M).refused is None
    found = pool.submit(*minutes(3), by_ms=8 * M).refused.findings
    assert (found[0].variant, found[0].numbers["short_ms"]) == ("by", M)


def test_best_effort_is_refused_only_where_no_lease_could_take_it():
    pool = pool_of()
    assert pool.submit(task("a"), *minutes(3)).reply.tasks[0].promise is None
    assert codes(pool.submit(task("g", uses=Uses(gpus=1))).refused.findings) == ["LW401"]


def test_behind_what_has_no_end_there_is_no_promise():
    said = pool_of().submit(task("a"), task("b", M, needs=("a",))).reply
    assert [one.promise for one in said.tasks] == [None, None]


# Order --------------------------------------------------------------------------------------------


def test_a_follower_is_promised_after_its_predecessor_on_any_worker():
    pool = pool_of()
    pool.register("v", offer())
    pool.submit(task("a", 3 * M), task("b", 2 * M, needs=("a",)))
    assert pool.task("b").reservation.start >= pool.task("a").promise == T0 + 3 * M


def test_written_later_needed_earlier():
    pool = pool_of()
    said = pool.submit(task("b", 2 * M, needs=("a",)), task("a", 3 * M)).reply
    assert [(one.name, one.promise - T0) for one in said.tasks] == [("b", 5 * M), ("a", 3 * M)]
    assert pool.task("a").seq < pool.task("b").seq
