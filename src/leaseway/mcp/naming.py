"""What an id means: one task, or every task of a plan."""

from __future__ import annotations

from leaseway.client.blocking import Client
from leaseway.client.calls import TaskFilter
from leaseway.wire.tasks import TaskInfo

_PAGE = 500


def tasks_named(pool: Client, id: str) -> list[TaskInfo]:
    """The task, or the tasks of the plan in the order written. NotFound."""
    if "/" in id:
        return [pool.task(id)]
    plan = pool.plan(id)
    found: dict[str, TaskInfo] = {}
    before = None
    while True:
        page = pool.tasks(TaskFilter(plan=plan.id, limit=_PAGE, before=before))
        found |= {task.id: task for task in page.tasks}
        before = page.next
        if before is None:
            return [found[task] for task in plan.tasks if task in found]


def outcome_of(task: TaskInfo) -> str:
    """Its outcome, or where it is."""
    return task.outcome.kind if task.outcome is not None else task.state
