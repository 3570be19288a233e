"""The tool `explain`: why a task waits, was refused or ended so; the boundary first."""

from __future__ import annotations

from typing import Any

from leaseway.core.model.outcomes import OutcomeKind
from leaseway.mcp.answer import Answer, Next, listed, told
from leaseway.mcp.asked import ExplainAsked
from leaseway.mcp.naming import outcome_of, tasks_named
from leaseway.mcp.way import Way
from leaseway.runtime import local_clock
from leaseway.wire.streams import AtWorkerInfo
from leaseway.wire.tasks import TaskInfo

_ROWS = 10
EXPLAINED = "explained"


def explain(asked: ExplainAsked, way: Way) -> Answer:
    """Of a plan the task that matters most now. LeasewayError."""
    with way.client() as pool:
        tasks = tasks_named(pool, asked.id)
        task = min(tasks, key=_matters)
        why = pool.explain(task.id)
    more: dict[str, Any] = {"task": task.id, "state": outcome_of(task), "boundary": why.boundary}
    more |= {"outcome_by": local_clock(why.by)} if why.by is not None and not task.ended else {}
    if why.workers:
        more["workers"] = [_at_worker(each) for each in why.workers[:_ROWS]]
    says = [f"{each.code}: {each.sentence}" for each in why.findings]
    more |= {"says": says} | listed(why.findings)
    hint = why.first
    if len(tasks) > 1:
        hint += f" This is {task.id}; name another as {asked.id}/TASK."
    return Answer(EXPLAINED, hint, told(why.findings), _next(task), more)


def _next(task: TaskInfo) -> Next | None:
    if not task.ended:
        return Next("wait", {"id": task.id}, "it has not ended")
    if not task.acknowledged:
        return Next("result", {"id": task.id}, "its outcome was not read")
    return None


def _matters(task: TaskInfo) -> int:
    """What did not succeed before what waits, before what runs, before what succeeded."""
    if task.outcome is not None:
        return 3 if task.outcome.kind == OutcomeKind.SUCCEEDED else 0
    return 1 if task.state == "waiting" else 2


def _at_worker(at: AtWorkerInfo) -> dict[str, Any]:
    against = [each.sentence for each in at.findings]
    chosen = {"chosen": True} if at.chosen else {}
    return {"worker": at.worker, "against": against, **chosen}
