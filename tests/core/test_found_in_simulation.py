"""Goal: what simulation found stays found. Method: the smallest story of each, by the real door."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.core.decide import carry_out
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.plan import PlanSpec, Repeat, TaskSpec
from leaseway.core.model.states import TaskState
from leaseway.core.model.sync import (
    AttemptRef,
    EndingReport,
    Held,
    Phase,
    RegisterRequest,
    SyncRequest,
)
from leaseway.core.model.view import View

WHO = cmd.Principal("ann", cmd.Role.OWNER)
T0 = 1_000_000


class House:
    """A view, and the commands that this page needs, at `now`."""

    def __init__(self) -> None:
        self.view = View()
        self.now = T0
        self.said(cmd.Open("ledger-1"))

    def said(self, command):
        done = carry_out(self.view, command, self.now)
        assert done.refused is None, done.refused
        assert violations(self.view, self.now) == []
        assert index_differences(self.view, self.now) == []
        return done.reply

    def register(self, worker, boot="boot-1", slots=1):
        offer = TermsOffer(capacity=Capacity(cpus_milli=slots * 1000, slots=slots), tokens=("t",))
        return self.said(
            cmd.Register(RegisterRequest(worker, f"{worker}-m", f"{worker}-spool", boot, offer))
        )

    def sync(self, worker, seq, **fields):
        lease = self.view.facts.leases[worker]
        request = SyncRequest(worker, lease.incarnation, seq, lease.spool_id, lease.boot_id)
        return self.said(cmd.Sync(replace(request, **fields), self.now))

    def submit(self, *tasks, **fields):
        return self.said(cmd.Submit(PlanSpec("p", tasks, **fields), WHO))

    def tick(self, **fields):
        self.said(cmd.Tick(**fields))

    def task(self, name):
        return self.view.facts.tasks[name]


@pytest.fixture
def house():
    return House()


def spec(name="a", **fields):
    return TaskSpec(name, ("true",), limit_ms=5_000, reads=(), writes=(), **fields)


def test_two_workers_do_not_get_one_token_in_one_round(house):
    """Its holder ends early, and two others could start on two workers at once."""
    for worker in ("w1", "w2"):
        house.register(worker, slots=2)
        house.tick()
        house.sync(worker, 1)
    for worker in ("w1", "w1", "w2"):
        house.submit(spec(holds=("t",)), workers=(worker,))
    done = EndingReport(AttemptRef("p-1/a", 1), Ending(EndKind.EXITED, exit_code=0))
    house.sync("w1", 2, endings=(done,))
    states = {house.task(name).state for name in ("p-2/a", "p-3/a")}
    assert states == {TaskState.GRANTED, TaskState.WAITING}


def test_a_grant_that_never_arrived_is_not_called_lost_after_a_restart(house):
    """The next daemon counts its syncs from one again; the grant was made after sync 40."""
    house.register("w1")
    house.tick()
    house.sync("w1", 40)
    house.submit(spec())
    assert house.task("p-1/a").state is TaskState.GRANTED
    house.register("w1", boot="boot-2")
    house.now += 3_000
    house.tick()
    house.sync("w1", 1)
    assert house.task("p-1/a").attempt.number == 2, "taken back and granted anew"


def test_a_grant_to_a_daemon_that_has_just_registered_counts_its_own_syncs(house):
    house.register("w1")
    house.tick()
    house.sync("w1", 40)
    house.register("w1", boot="boot-2")
    house.submit(spec())
    assert house.task("p-1/a").attempt.seq == 0


def test_an_index_made_anew_knows_kept_results_of_running_tasks(house):
    """A late result of attempt 1 is kept while attempt 2 runs."""
    for worker in ("w1", "w2"):
        house.register(worker)
        house.tick()
    house.sync("w1", 1)
    house.submit(spec(repeat=Repeat.SAFE))
    ref = AttemptRef("p-1/a", 1)
    house.sync("w1", 2, held=(Held(ref, Phase.RUNNING, 10),))
    while house.task("p-1/a").numbers == 1:
        house.now += 2_000
        house.tick()
        house.sync("w2", house.now)
    late = EndingReport(ref, Ending(EndKind.EXITED, exit_code=0))
    house.sync("w1", 3, endings=(late,))
    assert house.task("p-1/a").kept_numbers == (1,)
