"""What the pool has promised, as a scan takes it: what it places around, and is pinned to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from leaseway.client.blocking import Client
from leaseway.client.calls import TaskFilter
from leaseway.core.model.capacity import Uses
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.pin import LeaseSeen, PromiseSeen, Seen
from leaseway.core.scan.problem import Taken
from leaseway.core.scan.report import allowed
from leaseway.wire.tasks import TaskInfo
from leaseway.wire.workers import WorkerInfo

PAGE = 500
MOST = 20_000
"""So many open tasks are asked for, newest first."""


def open_tasks(pool: Client) -> list[TaskInfo]:
    """Every task that has not ended, at most `MOST`. LeasewayError."""
    found: list[TaskInfo] = []
    before: str | None = None
    while len(found) < MOST:
        page = pool.tasks(TaskFilter(ended=False, before=before, limit=PAGE))
        found += page.tasks
        before = page.next
        if before is None:
            break
    return found


def taken_of(tasks: Iterable[TaskInfo]) -> Iterator[Taken]:
    """What is set aside for them."""
    known = Uses.__struct_fields__
    for task in tasks:
        if task.reservation is not None:
            where = task.reservation
            uses = Uses(**{name: task.uses[name] for name in known if name in task.uses})
            yield Taken(where.worker, where.start, where.end, uses.vector(), task.holds)


def seen_of(
    plan: PlanSpec,
    leases: Mapping[str, Terms],
    workers: Iterable[WorkerInfo],
    tasks: Iterable[TaskInfo],
    text: bytes = b"",
) -> Seen:
    """What a scan of this plan rests on: the leases that it allows, and what is promised there."""
    asked = allowed(plan, leases)
    by_name = {each.name: each for each in workers}
    return Seen(
        plan,
        tuple(
            LeaseSeen(name, by_name[name].incarnation, by_name[name].terms_version, terms)
            for name, terms in asked.items()
        ),
        tuple(
            PromiseSeen(task.id, where.worker, where.start, where.end, task.promise)
            for task in tasks
            if (where := task.reservation) is not None and where.worker in asked
        ),
        text,
    )
