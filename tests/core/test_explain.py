"""Goal: every task can be asked why, boundary first. Method: one situation each, by hand."""

from __future__ import annotations

import pytest

from leaseway.core.explain import explain
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Uses
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.states import LeaseState, TaskState
from tests.core.pool import T0, M, Pool, S, codes, task


@pytest.fixture
def pool():
    made = Pool()
    made.worker("w", tokens=("t",))
    made.lasts = {"a": M}
    return made


def why(pool, name):
    return explain(pool.view, pool.task(name), pool.now)


def reason(pool, name, code):
    found = [one for one in why(pool, name).reasons if one.code == code]
    assert found, why(pool, name).reasons
    return found[0]


def test_it_waits_for_its_place(pool):
    pool.submit(*(task(name, M) for name in "abcd"))
    pool.run(S)
    said = why(pool, "d")
    assert said.headline.code == "LW727"
    assert said.headline.numbers == {"start_at": T0 + 3 * M, "promise_at": T0 + 4 * M}
    assert not said.boundary
    short = reason(pool, "d", "LW723")
    assert (short.numbers["resource"], short.numbers["cap_milli"]) == ("cpus", 1000)


def test_it_waits_for_a_predecessor(pool):
    pool.submit(task("a", M), task("b", M, needs=("a",)))
    pool.run(S)
    waits = reason(pool, "b", "LW721")
    assert waits.tasks == ("p-1/b", "p-1/a")
    assert waits.numbers["state"] == "running"
    assert waits.numbers["ends_at"] == T0 + M + 60 + 5 * S + 15 * S, "drift, gap, patience"


def test_it_waits_for_a_token(pool):
    pool.worker("z", tokens=("t",))
    pool.submit(task("a", M, holds=("t",)), task("b", M, holds=("t",)))
    pool.run(S)
    assert reason(pool, "b", "LW722").tasks == ("p-1/b", "p-1/a")
    assert reason(pool, "b", "LW722").numbers == {"name": "t"}


def test_it_waits_for_a_lane(pool):
    pool.worker("z")
    pool.submit(task("a", M), task("b", M), max_parallel=1)
    pool.run(S)
    assert reason(pool, "b", "LW726").numbers == {"cap": 1}


def test_its_worker_is_not_heard(pool):
    pool.submit(task("a", M), *(task(name, M) for name in "bcd"))
    pool.run(S)
    pool.machines["w"].deaf = True
    heard = pool.view.presence.heard["w"].at
    pool.now += 15_001
    assert reason(pool, "d", "LW724").numbers == {"heard_at": heard}


def test_its_window_is_not_open_yet(pool):
    pool.worker("z", windows=(WindowOffer(M, None),))
    pool.submit(task("x", S), workers=("z",))
    assert reason(pool, "x", "LW725").numbers == {"opens_at": T0 + M}


def test_its_worker_takes_no_work(pool):
    pool.submit(task("x"))
    pool.view.facts.leases["w"].state = LeaseState.DRAINING
    pool.submit(task("y"))
    made = Pool()
    made.register("w", pool.view.facts.leases["w"].offer)
    made.submit(task("x"))
    made.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    assert reason(made, "x", "LW731").numbers == {"state": "draining"}


def test_best_effort_has_no_promise_but_a_time(pool):
    pool.submit(task("a", M))
    pool.submit(task("x"))
    said = why(pool, "x")
    assert (said.headline.code, said.headline.variant) == ("LW730", "best-effort")
    assert said.headline.numbers["give_up_at"] == T0 + 24 * 60 * M
    assert (said.by, said.open_ended) == (T0 + 24 * 60 * M + 5 * S, True), "started by then"


def test_a_gate_that_closed_since_is_named_with_its_numbers(pool):
    pool.submit(task("a", M), *(task(name, M) for name in "bcd"))
    pool.run(S)
    pool.do(cmd.ChangeLease("w", TermsChange(max_run_ms=30 * S), "ada"))
    said = why(pool, "d")
    found = said.headline
    assert (found.code, said.boundary) == ("LW301", True)
    assert (found.numbers["need_ms"], found.numbers["cap_ms"]) == (M, 30 * S)
    assert found.numbers["short_ms"] == 30 * S
    assert said.reasons[0].code == "LW730", "what it waits for comes second"
    assert reason(pool, "d", "LW605").variant == "shrunk"


def test_granted_and_running_and_stopping(pool):
    pool.submit(task("a", M), task("b", M))
    pool.run(S)
    running, granted = why(pool, "a"), why(pool, "b")
    assert (running.headline.code, granted.headline.code) == ("LW728", "LW729")
    assert running.headline.numbers == {"stop_at": T0 + M, "start_at": T0}
    assert running.by == T0 + M + 60 + 5 * S + 15 * S
    assert granted.headline.numbers["granted_at"] == T0
    pool.do(cmd.Cancel("p-1/a", "ada"))
    assert why(pool, "a").headline.variant == "stopping"


@pytest.mark.parametrize(
    ("lasts", "window", "code", "boundary"),
    [(S, None, "LW701", False), (2 * M, None, "LW702", True), (2 * M, 90 * S, "LW702", True)],
    ids=["by itself", "own limit", "lease closed"],
)
def test_ended(lasts, window, code, boundary):
    pool = Pool()
    pool.worker("w", window)
    pool.lasts = {"a": lasts}
    pool.submit(task("a", M))
    pool.run(3 * M)
    said = why(pool, "a")
    assert said.headline == pool.task("a").outcome.cause
    assert (said.headline.code, said.boundary) == (code, boundary)
    assert said.by == pool.task("a").outcome.at


def test_a_late_result_is_called_late(pool):
    pool.submit(task("a", 2 * M))
    pool.run(S)
    pool.machines["w"].deaf = True
    while pool.now < T0 + 10 * M:
        pool.now = min(T0 + 10 * M, pool.machines["w"].next_moment())
        pool.machines["w"].work()
        if pool.machines["w"].due <= pool.now:
            pool.machines["w"].sync()
    pool.machines["w"].deaf = False
    pool.machines["w"].sync()
    late = reason(pool, "a", "LW732")
    assert late.numbers["late_ms"] == 8 * M


def test_every_open_task_has_a_named_time(pool):
    pool.submit(task("a", M), task("b", M, needs=("a",)), task("c"), task("d", M, uses=Uses()))
    pool.run(S)
    for one in pool.view.facts.tasks.values():
        assert one.state is not TaskState.ENDED
        said = explain(pool.view, one, pool.now)
        assert said.by is not None
        assert said.by > pool.now
        if one.state is TaskState.WAITING:
            assert said.reasons, one.id


def test_moved_is_among_the_reasons(pool):
    pool.submit(task("a", M), *(task(name, M) for name in "bcd"))
    pool.run(S)
    pool.worker("z")
    pool.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    assert "LW307" in codes(why(pool, "d").reasons)


def silent(pool):
    """`a` runs on a worker of which nothing is heard any more."""
    pool.submit(task("a", 2 * M))
    pool.run(S)
    pool.machines["w"].deaf = True
    pool.run(30 * S)


def test_nobody_stops_what_runs_out_of_hearing(pool):
    silent(pool)
    pool.do(cmd.Cancel("p-1/a", "ada"))
    said = why(pool, "a").headline
    assert (said.code, said.variant, said.numbers["by"]) == ("LW728", "unheard", "ada")
    assert {"heard_at", "stop_at"} <= said.numbers.keys()


def test_a_result_that_came_too_late_is_told(pool):
    silent(pool)
    pool.do(cmd.GiveUp("p-1/a", "ada"))
    pool.machines["w"].deaf = False
    pool.run(3 * M)
    late = reason(pool, "a", "LW708")
    assert late.workers == ("w",)
    (kept,) = pool.task("a").evidence
    assert (late.numbers["signal"], late.numbers["ran_ms"]) == (kept.signal, kept.ran_ms)


def test_free_is_never_less_than_nothing(pool):
    pool.submit(*(task(name, M) for name in "abcd"))
    pool.run(S)
    assert reason(pool, "d", "LW723").numbers["free_milli"] == 0, "b and c are granted ahead"


def test_it_runs_where_nobody_is_heard(pool):
    pool.submit(task("a", M))
    pool.run(S)
    assert why(pool, "a").headline.variant == ""
    pool.machines["w"].deaf = True
    pool.run(20 * S)
    said = why(pool, "a").headline
    heard = pool.view.presence.heard["w"].at
    assert (said.code, said.variant) == ("LW728", "silent")
    assert (said.numbers["heard_at"], said.numbers["stop_at"]) == (heard, T0 + M)
