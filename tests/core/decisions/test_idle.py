"""`faults.md` 9: a worker that still calls but never starts what it was granted. Method: an agent
whose machine starts nothing, in virtual time; 30 s of patience after the start-by."""

from __future__ import annotations

from leaseway.core.invariants import violations
from leaseway.core.model.states import LeaseState, TaskState
from tests.core.pool import Pool, S, task


def stuck_pool() -> Pool:
    pool = Pool()
    pool.worker("stuck").work = lambda: None  # it neither starts anything nor hands it back
    pool.submit(task("a", 5 * S))
    pool.settle()
    assert pool.task("a").state is TaskState.GRANTED
    return pool


def test_fault_09_it_is_quarantined_and_the_task_goes_elsewhere() -> None:
    pool = stuck_pool()
    pool.worker("good")
    pool.run(28 * S)
    assert pool.view.facts.leases["stuck"].state is LeaseState.ACTIVE
    pool.run(8 * S)
    lease = pool.view.facts.leases["stuck"]
    assert lease.state is LeaseState.QUARANTINED
    assert lease.cause is not None
    assert (lease.cause.code, lease.cause.variant) == ("LW729", "never-started")
    assert pool.outcome("a") == "succeeded"
    assert pool.task("a").past[-1].worker == "good"


def test_without_another_worker_it_waits_and_says_so() -> None:
    pool = stuck_pool()
    pool.run(40 * S)
    assert pool.task("a").state is TaskState.WAITING
    assert pool.task("a").moved is not None


def test_who_waits_behind_it_is_promised_nothing_there_any_more() -> None:
    """Two are granted ahead; the others have their places on it and lose them in the same step."""
    pool = Pool()
    pool.worker("stuck").work = lambda: None
    pool.submit(task("a", 5 * S), *(task(name, 300 * S) for name in "bcde"))
    pool.settle()
    while pool.view.facts.leases["stuck"].state is LeaseState.ACTIVE:
        pool.run(S)
    assert violations(pool.view, pool.now) == []
    assert [pool.task(name).reservation for name in "cde"] == [None, None, None]
