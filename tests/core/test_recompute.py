"""Goal: every kept decision can be made again from the ledger's events alone, byte for byte.
Method: stories in virtual time; then the same with one stored number altered."""

import pytest
from msgspec.structs import replace

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.declined import PlacesDecided, PlanDeclined
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.recompute import recomputed
from tests.core.pool import Pool, S, task

M = 60 * S


def story():
    """Two workers; a plan; one that fits nowhere; the first worker's owner closes early."""
    pool = Pool()
    pool.worker("a", 30 * M)
    pool.worker("b", 30 * M)
    pool.submit(*(task(f"t{at}", 5 * M) for at in range(8)))
    pool.submit(task("long", 40 * M))
    change = TermsChange(windows=(WindowOffer(0, 12 * M),))
    pool.do(cmd.ChangeLease("a", change, "ada"))
    return pool


def told(pool, named=""):
    return [(each.command, each.same, each.why) for each in recomputed(pool.history, named)]


def test_submit_refusal_and_new_places_are_made_again_the_same():
    pool = story()
    assert told(pool) == [
        ("submit", True, ""),
        ("declined", True, ""),
        ("recheck", True, ""),
    ]


def test_a_task_is_told_its_own_decisions_only():
    pool = story()
    moved = {e.event.task for e in pool.history if getattr(e.event, "cause", None)}
    still = next(name for name in pool.ids(*(f"t{at}" for at in range(8))) if name not in moved)
    assert [command for command, _, _ in told(pool, still)] == ["submit"]
    assert [command for command, _, _ in told(pool, moved.pop())] == ["submit", "recheck"]
    assert [command for command, _, _ in told(pool, "declined-1")] == ["declined"]
    assert told(pool, "nobody") == []


def test_a_worker_that_falls_silent_is_part_of_the_basis():
    pool = Pool()
    pool.worker("a", 30 * M)
    b = pool.worker("b", 30 * M)
    pool.submit(*(task(f"t{at}", 5 * M) for at in range(8)))
    pool.lasts = {f"t{at}": 4 * M for at in range(8)}
    pool.run(2 * S)
    b.dead = True
    pool.run(30 * S)
    pool.submit(task("more", M))
    commands = told(pool)
    assert ("tick", True, "") in commands
    assert all(same for _, same, _ in commands)
    last = [e.event for e in pool.history if isinstance(e.event, ev.PlanSubmitted)][-1]
    assert last.basis is not None
    assert list(last.basis.heard) == ["b"]


@pytest.mark.parametrize("kind", [ev.PlanSubmitted, PlanDeclined, PlacesDecided])
def test_what_was_altered_is_found(kind):
    pool = story()
    at = next(i for i, e in enumerate(pool.history) if isinstance(e.event, kind))
    if kind is PlanDeclined:
        first = pool.history[at]
        pool.history[at] = replace(first, event=replace(first.event, findings=()))
    else:
        at = next(
            i
            for i, e in enumerate(pool.history[at:], start=at)
            if isinstance(e.event, (ev.TaskReserved, ev.PromiseWithdrawn))
        )
        first = pool.history[at]
        own = first.event.reservation
        later = replace(own, start=own.start + 1, end=own.end + 1)
        pool.history[at] = replace(first, event=replace(first.event, reservation=later))
    found = [each for each in recomputed(pool.history) if not each.same]
    assert found
    assert found[0].stored != found[0].again


def test_a_refusal_told_twice_is_kept_once():
    pool = Pool()
    pool.worker("a", 30 * M)
    before = len(pool.history)
    first = pool.submit(task("long", 40 * M), digest="d").refused
    again = pool.submit(task("long", 40 * M), digest="d").refused
    assert len(pool.history) == before + 1
    assert first.decision == again.decision == "declined-1"
    assert pool.submit(task("long", 41 * M), digest="e").refused.decision == "declined-2"


def test_a_plan_too_large_to_be_kept_is_said_to_be():
    pool = Pool()
    pool.worker("a", 30 * M)
    pool.submit(*(task(f"t{at}", 40 * M) for at in range(201)))
    (only,) = recomputed(pool.history)
    assert (only.same, only.why) == (False, "the plan was too large to be kept")


def test_a_ledger_from_before_says_that_it_kept_no_basis():
    pool = story()
    pool.history = [
        replace(e, event=replace(e.event, basis=None))
        if isinstance(e.event, ev.PlanSubmitted)
        else e
        for e in pool.history
    ]
    found = next(iter(recomputed(pool.history)))
    assert found.why == "it was made by a version that kept no basis"
