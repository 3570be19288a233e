"""Everything that a request may need, in one hand; and look-ups that go on where the view ends."""

from __future__ import annotations

from dataclasses import dataclass, field

from leaseway.coordinator.access import Access
from leaseway.coordinator.blobs import BlobStore
from leaseway.coordinator.declined import Declined, unknown
from leaseway.coordinator.door import Door
from leaseway.coordinator.logs import LogStore
from leaseway.coordinator.network import NOWHERE, Place
from leaseway.coordinator.refusals import Refusals
from leaseway.coordinator.rows import plan_of, task_of
from leaseway.coordinator.service import Reply
from leaseway.coordinator.syncs import Syncs
from leaseway.coordinator.wakeups import Wakeups
from leaseway.core.decisions.decision import Refused
from leaseway.core.model.commands import Command
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, Plan, Task
from leaseway.ledger.port import Reader
from leaseway.wire.problems import refusal

BODY_MOST = 16 * 1024 * 1024


@dataclass
class House:
    """The parts of a coordinator as its routes see them."""

    door: Door
    wakeups: Wakeups
    logs: LogStore
    syncs: Syncs
    access: Access
    blobs: BlobStore
    body_most: int = BODY_MOST
    place: Place = NOWHERE
    refusals: Refusals = field(default_factory=Refusals)

    @property
    def ledger(self) -> Reader:
        """For reading rows and events. Ask the door for the view first: it may be silent."""
        return self.door.service.ledger

    def now(self) -> Instant:
        """Ledger time."""
        return self.door.service.now()

    async def decided(self, command: Command) -> Reply:
        """The reply to a command. Declined: it was refused."""
        said = await self.door.ask(command)
        if isinstance(said, Refused):
            raise Declined(refusal(said.kind, said.findings, said.decision))
        return said

    async def task(self, id: str) -> tuple[Task, str]:
        """A task and its principal, from the view or its row. Declined: there is none."""
        view = await self.door.view()
        task = view.facts.tasks.get(id)
        if task is not None:
            return task, view.facts.plans[task.plan].principal
        row = self.ledger.task(id)
        if row is None:
            raise unknown("task", id, list(reversed(view.facts.tasks)))
        return task_of(row), row.principal

    async def plan(self, id: str) -> Plan:
        """A plan, from the view or its row. Declined: there is none."""
        view = await self.door.view()
        plan = view.facts.plans.get(id)
        if plan is not None:
            return plan
        row = self.ledger.plan(id)
        if row is None:
            raise unknown("plan", id, list(reversed(view.facts.plans)))
        return plan_of(row)

    async def lease(self, worker: str) -> Lease:
        """A worker's lease. Declined: there is none."""
        view = await self.door.view()
        lease = view.facts.leases.get(worker)
        if lease is None:
            raise unknown("worker", worker, list(view.facts.leases))
        return lease
