"""Goal: order holds, bad ends skip who needed them and nobody else. Method: stories by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model import worker as wk
from leaseway.core.model.lease import Guard, TermsChange, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.plan import EdgeKind, Repeat
from tests.core.pool import M, Pool, S, events, kinds, task


def fail(pool, name):
    """The process of this task ends with exit code 1, now."""
    held = [(machine, ref) for machine in pool.machines.values() for ref in machine.running]
    machine, ref = next(one for one in held if one[1].task == pool.task(name).id)
    process = machine.running.pop(ref)
    boot = machine.now().boot_ms
    machine.tell(wk.Finished(ref, Ending(EndKind.EXITED, exit_code=1), process.started, boot))
    pool.run(1)


def pool_with(*tasks, workers=("w",), **fields):
    pool = Pool()
    for name in workers:
        pool.worker(name, slots=4)
    pool.lasts = {one.name: 10 * S for one in tasks}
    pool.submit(*tasks, **fields)
    return pool


def times(pool, name):
    past = pool.task(name).past[-1]
    return past.started_at, past.ended_at


def test_a_follower_starts_only_after_its_predecessor_s_end():
    pool = pool_with(
        task("a", M),
        task("b", M, needs=("a",)),
        task("c", M, needs=("a", "b")),
        workers=("w", "v"),
    )
    pool.run(M)
    assert times(pool, "a")[1] <= times(pool, "b")[0]
    assert times(pool, "b")[1] <= times(pool, "c")[0]
    assert [pool.outcome(name) for name in "abc"] == ["succeeded"] * 3


EDGES = {
    EdgeKind.NEEDS: ({}, {"needs": ("a",)}),
    EdgeKind.READ_AFTER_WRITE: ({"writes": ("x",)}, {"reads": ("x",)}),
    EdgeKind.WRITE_AFTER_READ: ({"reads": ("x",)}, {"writes": ("x",)}),
    EdgeKind.WRITE_AFTER_WRITE: ({"writes": ("x",)}, {"writes": ("x",)}),
}


@pytest.mark.parametrize("kind", EDGES, ids=lambda kind: kind.value)
def test_a_bad_end_skips_or_only_releases(kind):
    first, second = EDGES[kind]
    pool = pool_with(task("a", M, **first), task("b", M, **second))
    assert [edge.kind for edge in pool.task("b").edges] == [kind]
    pool.run(5 * S)
    assert pool.machines["w"].starts == ["a"]
    fail(pool, "a")
    pool.run(M)
    if kind in (EdgeKind.NEEDS, EdgeKind.READ_AFTER_WRITE):
        outcome = pool.task("b").outcome
        assert (outcome.kind, outcome.cause.code) == ("skipped", "LW707")
        assert outcome.cause.tasks == ("p-1/b", "p-1/a")
        assert outcome.cause.numbers["outcome"] == "failed"
    else:
        assert pool.outcome("b") == "succeeded"


def test_a_skip_cascades_at_once_and_spares_strangers():
    chain = [task("a", M), *(task(name, M, needs=(before,)) for before, name in ("ab", "bc", "cd"))]
    pool = pool_with(*chain, task("e", M), task("f", M, needs=("e",)))
    pool.run(S)
    fail(pool, "a")
    assert [pool.outcome(name) for name in "abcd"] == ["failed", *["skipped"] * 3]
    assert [pool.task(name).outcome.cause.tasks[1] for name in "bcd"] == [
        "p-1/a",
        "p-1/b",
        "p-1/c",
    ]
    pool.run(M)
    assert [pool.outcome(name) for name in "ef"] == ["succeeded"] * 2


def test_one_bad_predecessor_is_enough_while_another_still_runs():
    pool = pool_with(task("a", M), task("z", M), task("b", M, needs=("a", "z")))
    pool.run(S)
    fail(pool, "a")
    assert pool.outcome("b") == "skipped"
    assert pool.outcome("z") is None


def test_a_skip_gives_its_room_back():
    pool = pool_with(task("a", M), task("b", M, needs=("a",)))
    pool.run(S)
    fail(pool, "a")
    assert pool.view.index.profiles["w"].at(pool.now) == (0,) * 6


# Best effort --------------------------------------------------------------------------------------


def test_best_effort_starts_where_there_is_room_and_runs_on():
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": 5 * M}
    pool.submit(task("a"))
    pool.run(6 * M)
    assert pool.outcome("a") == "succeeded"
    assert pool.task("a").promise is None
    assert "StopTimeMoved" in kinds(pool)


def test_best_effort_waits_behind_promises_and_takes_what_is_left():
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": 20 * S, "b": 5 * S}
    pool.submit(task("a", 20 * S))
    pool.submit(task("b"))
    pool.run(19 * S)
    assert pool.machines["w"].starts == ["a"]
    pool.run(10 * S)
    assert (pool.outcome("b"), pool.machines["w"].starts) == ("succeeded", ["a", "b"])


def test_best_effort_gives_way_to_a_promise_made_meanwhile():
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"b": 60 * M, "a": 5 * S}
    pool.submit(task("b"))
    pool.run(10 * S)
    said = pool.submit(task("a", 10 * S)).reply.tasks[0]
    pool.run(5 * M)
    outcome = pool.task("b").outcome
    assert (outcome.kind, outcome.cause.code) == ("stopped", "LW710")
    assert pool.task("a").past[-1].ended_at <= said.promise


def test_best_effort_never_past_the_window():
    pool = Pool()
    pool.worker("w", 30 * S, guard=Guard(0, 0, 1 * S, 500))
    pool.lasts = {"a": 60 * M}
    pool.submit(task("a"))
    pool.run(M)
    assert pool.outcome("a") == "stopped"
    assert pool.task("a").outcome.cause.code == "LW703"


def test_fault_18_too_short_a_lifetime_is_refused_once_with_both_numbers():
    """It fitted when it was promised; then the lease shrank under it."""
    pool = Pool()
    pool.worker("w", 10 * M)
    pool.lasts = {"a": 8 * M}
    pool.submit(task("a", 8 * M, repeat=Repeat.SAFE, give_up_ms=M))
    pool.run(S)
    pool.do(cmd.ChangeLease("w", TermsChange(windows=(WindowOffer(0, 5 * M),)), "ada"))
    pool.run(20 * M)
    assert pool.machines["w"].starts == ["a"]
    assert len(events(pool, ev.AttemptGranted)) == 1
    assert pool.outcome("a") in ("refused", "stopped")
    refused = pool.submit(task("b", 8 * M)).refused
    assert refused is not None


def test_fault_18_eight_minutes_into_five_never_starts():
    pool = Pool()
    pool.worker("w", 5 * M)
    numbers = pool.submit(task("a", 8 * M)).refused.findings[0].numbers
    assert (numbers["need_ms"], numbers["have_ms"]) == (8 * M, 5 * M)
    assert pool.machines["w"].starts == []
