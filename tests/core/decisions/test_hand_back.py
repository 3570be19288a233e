"""Goal: a worker that hands everything back unstarted neither spins nor stays trusted. Method:
machines that hand back at once whatever they are granted, in virtual time; moments by hand.

Pauses of 1, 2, 4, 8 s: granted at 0, 1, 3, 7 and 15 s, and quarantined when the fifth comes back.
"""

from __future__ import annotations

import pytest

from leaseway.core.decisions.hand_back import pause_ms
from leaseway.core.evolve import replay
from leaseway.core.explain import explain
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model import worker as wk
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.view import View
from leaseway.ledger.encoding import canonical
from tests.core.pool import T0, Machine, Pool, S, task


def refusing(pool: Pool, name: str = "bad") -> Machine:
    """A worker that hands back what it is granted, in the sync that follows at once."""
    machine: Machine = pool.worker(name)

    def work() -> None:
        for grant in machine.queue:
            machine.tell(wk.Returned(grant.ref))
        machine.queue = []

    vars(machine)["work"] = work
    return machine


def granted_to(pool: Pool, worker: str) -> list[int]:
    return [
        each.at - T0
        for each in pool.history
        if isinstance(each.event, ev.AttemptGranted) and each.event.worker == worker
    ]


@pytest.mark.parametrize(("count", "ms"), [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (99, 60)])
def test_the_pause_doubles_up_to_a_minute(count: int, ms: int) -> None:
    assert pause_ms(count) == ms * S


def test_it_is_granted_again_after_growing_pauses_and_then_quarantined() -> None:
    pool = Pool()
    refusing(pool)
    pool.submit(task("a", 5 * S))
    pool.run(14 * S)
    lease = pool.view.facts.leases["bad"]
    assert [round(at / S) for at in granted_to(pool, "bad")] == [0, 1, 3, 7]
    assert (lease.state, lease.handed_back) == (LeaseState.ACTIVE, 4)
    told = explain(pool.view, pool.task("a"), pool.now).reasons
    back = next(each for each in told if (each.code, each.variant) == ("LW729", "handed-back"))
    assert (back.workers, back.numbers["count"]) == (("bad",), 4)
    pause = explain(pool.view, pool.task("a"), pool.now).workers[0].reasons[0]
    assert (pause.code, pause.variant) == ("LW729", "handed-back")
    pool.run(60 * S)
    assert [round(at / S) for at in granted_to(pool, "bad")] == [0, 1, 3, 7, 15]
    assert lease.state is LeaseState.QUARANTINED
    assert lease.cause is not None
    assert (lease.cause.code, lease.cause.variant) == ("LW729", "hands-back")
    assert lease.cause.numbers["count"] == 5
    assert pool.task("a").state is TaskState.WAITING
    assert "LW731" in [each.code for each in explain(pool.view, pool.task("a"), pool.now).reasons]
    assert violations(pool.view, pool.now) == []
    assert index_differences(pool.view, pool.now) == []
    again = replay(View(pool.view.settings), pool.history)
    assert canonical(again.facts) == canonical(pool.view.facts)


def test_another_worker_takes_it_at_once() -> None:
    pool = Pool()
    refusing(pool)
    pool.worker("good")
    pool.submit(task("a", 5 * S))
    pool.run(1)
    assert granted_to(pool, "bad") == [0]
    assert pool.machines["good"].starts == ["a"]


def test_a_start_begins_the_count_anew() -> None:
    pool = Pool()
    machine = refusing(pool)
    pool.submit(task("a", 5 * S))
    pool.run(8 * S)
    assert pool.view.facts.leases["bad"].handed_back == 4
    del vars(machine)["work"]
    pool.run(10 * S)
    assert pool.outcome("a") == "succeeded"
    assert pool.view.facts.leases["bad"].handed_back == 0


def test_grants_that_were_out_together_count_once() -> None:
    """Six granted at one moment and handed back at one moment say one thing."""
    pool = Pool()
    bad = refusing(pool)
    bad.dead = True
    pool.submit(*(task(name, 5 * S) for name in "abcdef"))
    bad.dead = False
    pool.run(1)
    lease = pool.view.facts.leases["bad"]
    assert (lease.state, lease.handed_back) == (LeaseState.ACTIVE, 1)


def test_its_owner_undrains_it() -> None:
    pool = Pool()
    machine = refusing(pool)
    pool.submit(task("a", 5 * S))
    pool.run(20 * S)
    del vars(machine)["work"]
    pool.do(cmd.SetState("bad", LeaseState.ACTIVE, "owner"))
    assert pool.view.facts.leases["bad"].handed_back == 0
    pool.run(40 * S)
    assert pool.outcome("a") == "succeeded"
