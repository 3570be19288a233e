"""Goal: what a task says of itself is kept, shown and acted on. Method: a pool by hand; the
worker's agent hears checkpoints as its keeper would note them."""

from __future__ import annotations

import pytest

from leaseway.core.checkpoint.telling import with_last_told
from leaseway.core.explain import explain
from leaseway.core.model import events as ev
from leaseway.core.model.checkpoint import Advice, Checkpoint
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import Finished, NoteChecked
from tests.core.pool import T0, M, Pool, S, codes, events, task


def running(*tasks, slots=1, **terms):
    pool = Pool()
    pool.worker("w", slots=slots, **terms)
    pool.lasts = {"a": 10_000 * S}
    pool.submit(*tasks)
    pool.run(4 * S)
    return pool


def says(pool, advice, need_ms, **more):
    """Its keeper notes that it needs so long still, of what is left; the worker syncs."""
    worker = pool.machines["w"]
    (ref,) = [ref for ref in worker.agent.attempts if ref.task.endswith("/a")]
    left = pool.task("a").attempt.stop_at - pool.now
    last = Checkpoint(advice, "late", 300_000, left_ms=left, need_ms=need_ms, **more)
    worker.tell(NoteChecked(ref, last, worker.now().boot_ms))
    pool.run(2 * S)
    return ref


def test_only_a_changed_advice_is_an_event_and_the_last_is_shown():
    pool = running(task("a", 60 * S, estimate_ms=30 * S))
    says(pool, Advice.GO_ON, 20 * S, step="1/3")
    assert events(pool, ev.CheckpointTold) == []
    attempt = with_last_told(pool.view, pool.task("a")).attempt
    assert attempt is not None
    shown = attempt.checkpoint
    assert shown is not None
    assert (shown.step, shown.progress_ppm) == ("1/3", 300_000)
    says(pool, Advice.SAVE, 20 * S)
    says(pool, Advice.SAVE, 20 * S, step="2/3")
    pool.machines["w"].sync()  # a mere number goes with the next one, whenever that is
    told = events(pool, ev.CheckpointTold)
    assert [each.checkpoint.advice for each in told] == [Advice.SAVE]
    found = explain(pool.view, pool.task("a"), pool.now)
    assert codes([found.headline, *found.reasons]) == ["LW728", "LW603"]
    assert found.reasons[0].numbers["step"] == "2/3"


def test_what_it_will_be_late_by_is_given_at_once_where_room_is_free():
    """Stop time 30 s; at 4 s it needs 40 s more. Not 5 s before the stop, and in one piece."""
    pool = running(task("a", 60 * S, estimate_ms=30 * S))
    asked = pool.now
    says(pool, Advice.HURRY, 40 * S)
    assert asked + 40 * S <= pool.task("a").attempt.stop_at <= T0 + 60 * S


def test_its_limit_bounds_what_it_is_given():
    pool = running(task("a", 35 * S, estimate_ms=30 * S))
    says(pool, Advice.HURRY, 90 * S)
    assert pool.task("a").attempt.stop_at == T0 + 35 * S


def test_no_promise_gives_way_to_who_is_late():
    pool = running(task("a", 2 * M, estimate_ms=30 * S), task("b", 20 * S))
    before = pool.task("b").reservation
    says(pool, Advice.HURRY, 60 * S)
    assert pool.task("a").attempt.stop_at == T0 + 30 * S
    assert pool.task("b").reservation == before


@pytest.mark.parametrize(("after_s", "gives_way"), [(4, False), (20, True), (None, False)])
def test_best_effort_gives_way_to_a_promise_that_will_be_late(after_s, gives_way):
    """Two slots: `a` with a promise, `c` promised from 30 s on, beside it best effort without end.
    In its first half nobody is stopped for what is projected; in its second, the youngest is. Who
    says nothing is given nothing."""
    pool = Pool()
    pool.worker("w", slots=2)
    pool.lasts = {"a": 70 * S, "old": 10_000 * S}
    pool.submit(task("old", promise="none"))
    pool.run(S)
    pool.submit(task("a", 2 * M, estimate_ms=30 * S))
    pool.run(S)
    promised = pool.submit(task("c", 60 * S)).reply.tasks[0].promise
    if after_s is not None:
        pool.run(after_s * S)
        says(pool, Advice.HURRY, 60 * S)
    stopped = [event.task for event in events(pool, ev.StopOrdered)]
    assert stopped == ([pool.task("old").id] if gives_way else [])
    pool.run(3 * M)
    assert pool.task("c").past[-1].ended_at <= promised
    assert pool.outcome("a") == ("overran" if after_s is None else "succeeded")


@pytest.mark.parametrize(
    ("until_s", "more", "closes_s", "ends"),
    [
        (100, {}, 64, "succeeded"),  # 4 + 60 s that it needs; no guard
        (50, {}, 50, "overran"),  # as far as the owner lets it, and no further
        (None, {}, 40, "overran"),
        (100, {"promise": "none"}, 40, "stopped"),  # for a promise only
    ],
)
def test_the_lease_is_kept_open_as_far_as_its_owner_lets_it(until_s, more, closes_s, ends):
    pool = Pool()
    until = None if until_s is None else until_s * S
    pool.worker("w", 40 * S, extendable_ms=until)
    pool.lasts = {"a": 60 * S}
    pool.submit(task("a", 90 * S, estimate_ms=30 * S, **more))
    pool.run(4 * S)
    says(pool, Advice.HURRY, 60 * S)
    pool.run(2 * M)
    (window,) = pool.view.facts.leases["w"].terms.windows
    assert window.closes_at == T0 + closes_s * S
    assert pool.outcome("a") == ends
    told = [event.actor for event in events(pool, ev.LeaseChanged)]
    assert told == (["leaseway"] if closes_s > 40 else [])


def test_a_task_that_saved_and_ended_has_not_succeeded():
    last = Checkpoint(Advice.SAVE, "step", 430_000, left_ms=20 * S, need_ms=90 * S, next_ms=60 * S)
    kinds = {}
    for code in (0, 1, 11):
        pool = running(task("a", 60 * S, estimate_ms=30 * S))
        worker = pool.machines["w"]
        ref = AttemptRef(pool.task("a").id, 1)
        del worker.running[ref]
        ending = Ending(EndKind.EXITED, exit_code=code, ran_ms=4 * S, checkpoint=last)
        worker.tell(Finished(ref, ending, 0, worker.now().boot_ms))
        pool.run(2 * S)
        outcome = pool.task("a").outcome
        kinds[code] = (outcome.kind, outcome.cause.code, outcome.cause.variant)
    assert kinds == {
        0: ("stopped", "LW603", "saved"),
        1: ("failed", "LW701", "exit"),
        11: ("stopped", "LW603", "saved"),
    }
