"""A sync that arrived before a lease was changed is answered by the lease as it now is. Method: the
real agent's request, carried out with its older arrival; times worked by hand."""

from __future__ import annotations

from leaseway.core.admission.gates import runs_until
from leaseway.core.agent import next_request
from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import Guard, Terms, TermsChange, Window, WindowOffer
from leaseway.core.model.states import LeaseState
from leaseway.core.model.worker import WorkerNow
from tests.core.pool import Pool, S, task

GUARD = Guard(stop_grace_ms=500, kill_ms=300, delivery_ms=500, clock_error_ms=200)


def test_a_shrunk_lease_is_not_outgrown_by_an_older_call() -> None:
    """24 s become 2 s while it runs: it stops 1 s before the close, whatever arrived before."""
    pool = Pool()
    machine = pool.worker("w", 24 * S, guard=GUARD)
    pool.lasts = {"a": 14 * S}
    pool.submit(task("a", 15 * S))
    pool.run(3 * S)
    request = next_request(machine.agent, machine.now())
    arrived = pool.now
    pool.now += 500
    change = TermsChange(windows=(WindowOffer(0, 2 * S),))
    pool.do(cmd.ChangeLease("w", change, "ada"))
    stop_at = pool.now + 1 * S
    assert pool.task("a").attempt.stop_at == stop_at
    pool.do(cmd.Sync(request, arrived))
    assert pool.task("a").attempt.stop_at == stop_at


def test_until_when_what_runs_may_run() -> None:
    def until(*windows: Window) -> int | None:
        return runs_until(Terms(windows), 10)

    assert until(Window(0, 20)) == 20
    assert until(Window(0, 20), Window(5, 30)) == 30
    assert until(Window(12, 20), Window(40, 50)) == 20
    assert until(Window(12, None)) is None
    assert until(Window(0, 5)) == 10


def test_a_gap_in_the_coordinators_own_time_begins_the_comparison_anew() -> None:
    """The coordinator's clock jumps an hour ahead; the worker's does not: nobody is drained."""
    pool = Pool()
    machine = pool.worker("w", guard=GUARD)
    pool.run(90 * S)
    before = machine.now()
    pool.now += 3_600 * S
    began = pool.now
    for passed in (0, 30 * S, 90 * S):
        clock = WorkerNow(before.boot_ms + passed, before.awake_ms + passed)
        pool.now = began + passed
        pool.do(cmd.Sync(next_request(machine.agent, clock), pool.now))
        pool.tick()
    assert pool.view.facts.leases["w"].state is LeaseState.ACTIVE
