"""The real door, one command at a time, with every invariant looked at after each."""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.decide import carry_out
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.sync import RegisterRequest, SyncRequest
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

    def register(self, worker, boot="boot-1", slots=1, spool=""):
        offer = TermsOffer(capacity=Capacity(cpus_milli=slots * 1000, slots=slots), tokens=("t",))
        return self.said(
            cmd.Register(
                RegisterRequest(worker, f"{worker}-m", spool or f"{worker}-spool", boot, offer)
            )
        )

    def sync(self, worker, seq, **fields):
        lease = self.view.facts.leases[worker]
        request = SyncRequest(worker, lease.incarnation, seq, lease.spool_id, lease.boot_id)
        fields.setdefault("boot_ms", self.now - T0)
        return self.said(cmd.Sync(replace(request, **fields), self.now))

    def submit(self, *tasks, **fields):
        return self.said(cmd.Submit(PlanSpec("p", tasks, **fields), WHO))

    def tick(self, **fields):
        self.said(cmd.Tick(**fields))

    def task(self, name):
        return self.view.facts.tasks[name]


def spec(name="a", **fields):
    return TaskSpec(name, ("true",), limit_ms=5_000, reads=(), writes=(), **fields)
