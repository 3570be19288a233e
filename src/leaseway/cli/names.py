"""What a person names: task ids as they are, plan ids as their tasks that can be acknowledged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leaseway.client.blocking import Client
from leaseway.client.calls import TaskFilter
from leaseway.wire.tasks import TaskInfo

PAGE = 500


def to_acknowledge(pool: Client, ids: Iterable[str]) -> list[str]:
    """Task ids; a plan's id stands for its ended tasks that nobody has acknowledged."""
    named: list[str] = []
    for id in ids:
        if "/" in id:
            named.append(id)
        else:
            pool.plan(id)  # an unknown name is answered with the nearest ones
            found = every_task(pool, TaskFilter(plan=id, ended=True, limit=PAGE))
            named += [task.id for task in found if not task.acknowledged]
    return named


def every_task(pool: Client, wanted: TaskFilter) -> Iterator[TaskInfo]:
    """All pages of a list of tasks, newest first."""
    from msgspec.structs import replace

    while True:
        page = pool.tasks(wanted)
        yield from page.tasks
        if page.next is None:
            return
        wanted = replace(wanted, before=page.next)
