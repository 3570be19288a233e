"""Goal: `explain` gives all reasons and no other, with their numbers. Method: small pools live
short stories; at every step each waiting task is compared, worker by worker and in both
directions, with an oracle that tries every start by brute force; and with what is granted.
"""

from __future__ import annotations

from hypothesis import event, given

from leaseway.core.at_workers import at_workers
from leaseway.core.explain import explain
from tests.core.explain_held import ENDLESS, NAMES, drift
from tests.core.explain_oracle import Oracle
from tests.core.explain_world import key_of, opened, stories, take, waiting


def compare(pool):
    """Every waiting task of this pool now; the kinds of reasons that stood against some worker."""
    seen = set()
    for task in waiting(pool):
        oracle = Oracle(pool.view, task, pool.now, pool.history)
        said = explain(pool.view, task, pool.now)
        names = {each.worker for each in said.workers}
        assert names == set(pool.view.facts.leases), "every worker is told"
        for each in said.workers:
            given_here, true_here = {key_of(one) for one in each.reasons}, oracle.at(each.worker)
            assert given_here == true_here, (task.id, each.worker)
            assert len(each.reasons) == len(given_here), "no reason is given twice"
            seen |= {key[:2] for key in given_here}
            compare_amounts(oracle, each)
        seen |= compare_everywhere(oracle, said)
    return seen


def compare_amounts(oracle, at_worker):
    """Asked, free and total of each resource, and of time."""
    lease = oracle.view.facts.leases[at_worker.worker]
    taken = oracle.granted_at(lease.worker)
    for place, (asked, total) in enumerate(oracle.asked_and_total(lease)):
        told = at_worker.amounts[place]
        free = None if total >= ENDLESS else max(0, total - taken[place])
        assert told.resource.split("_")[0] == NAMES[place]
        assert (told.asked, told.free) == (asked, free)
        assert told.total == (None if total >= ENDLESS else total)
    assert at_worker.left_ms == oracle.left_now(lease)
    assert at_worker.chosen == oracle.chosen(lease)
    length = oracle.length(lease)
    if length is not None:
        after = lease.terms.guard.clock_error_ms + drift(
            lease.terms.guard, left_open(oracle, lease)
        )
        assert at_worker.asked_ms == length + after


def left_open(oracle, lease):
    """What is left of the window that is open now; None: none is, or it has no end."""
    return oracle.left_now(lease) if oracle.opened(lease) else None


def compare_everywhere(oracle, said):
    """What stands against every worker, and is told of the task itself."""
    of_workers = [one for each in said.workers for one in each.reasons]
    own = [one for one in said.reasons if one not in of_workers and one != oracle.task.moved]
    told = {key_of(one) for one in own if one.code in ("LW721", "LW722", "LW726")}
    assert told == oracle.anywhere(), oracle.task.id
    return {key[:2] for key in told}


@given(stories)
def test_every_reason_is_true_and_every_true_reason_is_given(story):
    offers, one_machine, steps = story
    pool = opened(offers, one_machine)
    for at, step in enumerate(steps):
        take(pool, step, at)
        for kind in compare(pool):
            event(" ".join(kind))


@given(stories)
def test_who_has_no_reason_against_it_is_granted(story):
    """After a tick nothing waits that its worker, or without a place any worker, would take."""
    offers, one_machine, steps = story
    pool = opened(offers, one_machine)
    for at, step in enumerate(steps):
        take(pool, step, at)
        pool.tick()
        for task in waiting(pool):
            if Oracle(pool.view, task, pool.now, pool.history).anywhere():
                continue
            by = pool.view.facts.plans[task.plan].boundaries.by
            for each in at_workers(pool.view, task, pool.now):
                if task.reservation is None and by is None:
                    assert each.reasons, (task.id, each.worker)
                elif each.chosen:
                    assert each.reasons, (task.id, each.worker)
