"""Handing plans in, listing them, cancelling."""

from __future__ import annotations

import hashlib
from collections import Counter

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.auth import check_own
from leaseway.coordinator.declined import Declined
from leaseway.coordinator.house import House
from leaseway.coordinator.routes.blobs import no_archive
from leaseway.coordinator.rows import plan_of, task_of
from leaseway.coordinator.showing import submit_reply
from leaseway.core.decisions.placing import Submitted
from leaseway.core.model.commands import Cancel, Submit
from leaseway.core.model.view import Plan, Task
from leaseway.ledger.encoding import canonical
from leaseway.ledger.rows import PlanQuery, TaskQuery
from leaseway.wire.plans import CancelRequest, Changed, PlanList, SubmitRequest, plan_info


async def submit(asked: Asked) -> Response:
    """Hand in a plan, or with `dry` learn what would be said."""
    request = await asked.body(SubmitRequest)
    tree = request.plan.workspace
    if tree is not None and not request.dry and asked.house.blobs.size(tree.archive.digest) is None:
        raise no_archive(tree.archive.digest)
    said: Submitted = await asked.house.decided(
        Submit(
            plan=request.plan,
            principal=asked.who,
            key=request.key,
            digest=digest_of(request),
            partial=request.partial,
            strict=request.strict,
            dry=request.dry,
        )
    )
    gone = await _gone(asked.house, said) if said.repeated else []
    view = await asked.house.door.view()
    return reply(submit_reply(said, gone, view, asked.house.now()))


def digest_of(request: SubmitRequest) -> str:
    """What a key is bound to: the plan with its workspace, and how it is to be taken."""
    bound = (request.plan, request.partial, request.strict)
    return hashlib.sha256(canonical(bound)).hexdigest()


async def plans(asked: Asked) -> Response:
    """Plans, newest first."""
    await asked.house.door.view()
    limit = asked.limit()
    query = PlanQuery(principal=asked.text("principal"), before=asked.text("before"), limit=limit)
    rows = asked.house.ledger.plans(query)
    now = asked.house.now()
    infos = tuple(plan_info(plan_of(row), now) for row in rows)
    return reply(PlanList(infos, now, infos[-1].id if len(infos) == limit and limit else None))


async def plan(asked: Asked) -> Response:
    """One plan with counts of its tasks."""
    found = await asked.house.plan(asked.part("plan"))
    counts = Counter(_standing(task) for task in await _tasks_of(asked.house, found))
    return reply(plan_info(found, asked.house.now(), dict(sorted(counts.items()))))


async def cancel(asked: Asked) -> Response:
    """Cancel a task or a whole plan: one's own, or any for an owner."""
    request = await asked.body(CancelRequest)
    principal, in_view = await _principal_of(asked.house, request.target)
    check_own(asked.who, principal, "cancel")
    if not in_view:
        return reply(Changed((), asked.house.now()))  # ended, seen and gone: nothing to cancel
    touched = await asked.house.decided(Cancel(request.target, asked.who.name))
    return reply(Changed(tuple(touched), asked.house.now()))


async def _principal_of(house: House, target: str) -> tuple[str, bool]:
    """Whose plan or task this is, and whether it is still in the view."""
    view = await house.door.view()
    if target in view.facts.plans:
        return view.facts.plans[target].principal, True
    try:
        task, principal = await house.task(target)
    except Declined:
        row = house.ledger.plan(target)
        if row is None:
            raise
        return row.principal, False
    return principal, task.id in view.facts.tasks


async def _gone(house: House, said: Submitted) -> list[Task]:
    """Tasks of a plan that have left the view."""
    there = {each.task for each in said.tasks}
    found = await house.plan(said.plan)
    if len(there) == len(found.tasks):
        return []
    return [task for task in await _tasks_of(house, found) if task.id not in there]


async def _tasks_of(house: House, found: Plan) -> list[Task]:
    """All tasks of a plan, those that have left the view from their rows."""
    view = await house.door.view()
    tasks = [view.facts.tasks[name] for name in found.tasks if name in view.facts.tasks]
    if len(tasks) < len(found.tasks):
        query = TaskQuery(plan=found.id, ended=True, limit=len(found.tasks))
        rows = house.ledger.tasks(query)
        tasks += [task_of(row) for row in rows if row.id not in view.facts.tasks]
    return tasks


def _standing(task: Task) -> str:
    return task.state.value if task.outcome is None else task.outcome.kind.value
