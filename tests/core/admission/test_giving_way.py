"""Best effort: starts where there is room, gives way to a promise that finds no place around it,
the youngest first. Method: one worker with a short window in virtual time, worked by hand."""

from __future__ import annotations

from leaseway.core.model.lease import Guard
from tests.core.pool import Pool, S, codes, task

GUARD = Guard(stop_grace_ms=1 * S, kill_ms=0, delivery_ms=1 * S, clock_error_ms=0)


def busy_pool(window_s: int, slots: int = 1) -> Pool:
    """As many best-effort tasks as slots, each for ever."""
    pool = Pool()
    pool.worker("w", window_s * S, slots=slots, guard=GUARD)
    pool.lasts = {f"idle{at}": 10_000 * S for at in range(slots)}
    for at in range(slots):
        pool.submit(task(f"idle{at}"), name=f"b{at}")
        pool.run(1 * S)
    return pool


def test_a_promise_that_fits_around_it_stops_nobody() -> None:
    """It holds 60 s at a time; 100 s are left, so 10 s fit behind it."""
    pool = busy_pool(100)
    pool.submit(task("late", 10 * S))
    assert pool.task("idle0").attempt.stop_reason is None
    pool.run(100 * S)
    assert pool.outcome("late") == "succeeded"
    ended = pool.task("idle0").outcome
    assert (ended.kind, ended.cause.code, ended.cause.variant) == ("stopped", "LW710", "no-room")


def test_it_gives_way_where_there_is_no_place_around_it() -> None:
    pool = busy_pool(50)
    refused = pool.submit(task("late", 10 * S)).refused
    assert refused is None
    pool.run(45 * S)
    assert pool.outcome("late") == "succeeded"
    ended = pool.task("idle0").outcome
    assert (ended.kind, ended.cause.code, ended.cause.variant) == ("stopped", "LW710", "")
    assert ended.cause.tasks == (pool.task("idle0").id, pool.task("late").id)


def test_the_youngest_gives_way_first_and_no_more_than_needed() -> None:
    pool = busy_pool(50, slots=2)
    pool.submit(task("late", 10 * S))
    pool.run(5 * S)
    assert pool.outcome("idle1") == "stopped"
    assert pool.outcome("idle0") is None


def test_what_would_not_fit_anyway_stops_nobody() -> None:
    pool = busy_pool(50)
    refused = pool.submit(task("late", 48 * S)).refused
    assert codes(refused.findings) == ["LW302"]
    pool.run(2 * S)
    assert pool.outcome("idle0") is None
