"""Tasks: looking, waiting, explaining, giving up."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.auth import check_own
from leaseway.coordinator.kept import left_out
from leaseway.coordinator.rows import task_of
from leaseway.coordinator.wakeups import deadline_in
from leaseway.core.at_workers import AtWorker
from leaseway.core.checkpoint.telling import with_last_told
from leaseway.core.explain import cut_output
from leaseway.core.explain import explain as explanation_of
from leaseway.core.model.commands import GiveUp
from leaseway.ledger.rows import TaskQuery
from leaseway.wire.findings import finding_infos
from leaseway.wire.plans import Changed, GiveUpRequest
from leaseway.wire.streams import AmountInfo, AtWorkerInfo, ExplainInfo
from leaseway.wire.tasks import TaskList, task_info


async def tasks(asked: Asked) -> Response:
    """Tasks, newest first."""
    view = await asked.house.door.view()
    limit = asked.limit()
    query = TaskQuery(
        plan=asked.text("plan"),
        state=asked.text("state"),
        principal=asked.text("principal"),
        ended=asked.flag("ended"),
        before=asked.text("before"),
        limit=limit,
    )
    now = asked.house.now()
    logs = asked.house.logs
    rows = asked.house.ledger.tasks(query)
    infos = tuple(
        task_info(told, row.principal, now, left_out(logs, told))
        for row in rows
        for told in (with_last_told(view, task_of(row)),)
    )
    return reply(TaskList(infos, now, infos[-1].id if len(infos) == limit and limit else None))


async def task(asked: Asked) -> Response:
    """One task; with `wait` when it has ended, or the time is over. Nobody's going away matters to
    the task."""
    id = asked.part("task")
    deadline = deadline_in(asked.wait_ms())
    with asked.house.wakeups.listen(f"task:{id}") as bell:
        while True:
            found, principal = await asked.house.task(id)
            if found.outcome is not None or not await bell.until(deadline):
                break
    found, principal = await asked.house.task(id)
    found = with_last_told(await asked.house.door.view(), found)
    return reply(task_info(found, principal, asked.house.now(), left_out(asked.house.logs, found)))


async def explain(asked: Asked) -> Response:
    """Why it waits, was refused, or ended so."""
    found, _ = await asked.house.task(asked.part("task"))
    now = asked.house.now()
    why = explanation_of(await asked.house.door.view(), found, now)
    cut = tuple(
        cut_output(found, stream, missing)
        for stream, missing in left_out(asked.house.logs, found).items()
    )
    findings = finding_infos((why.headline, *why.reasons, *cut))
    told = ExplainInfo(
        task=found.id,
        first=findings[0].sentence,
        findings=findings,
        boundary=why.boundary,
        by=why.by,
        now=now,
        open_ended=why.open_ended,
        workers=tuple(_at_worker(each) for each in why.workers),
    )
    return reply(told)


def _at_worker(found: AtWorker) -> AtWorkerInfo:
    return AtWorkerInfo(
        worker=found.worker,
        findings=finding_infos(found.reasons),
        amounts=tuple(
            AmountInfo(each.resource, each.asked, each.free, each.total) for each in found.amounts
        ),
        asked_ms=found.asked_ms,
        left_ms=found.left_ms,
        chosen=found.chosen,
    )


async def give_up(asked: Asked) -> Response:
    """End a task now instead of at its give-up time: one's own, or any for an owner."""
    request = await asked.body(GiveUpRequest)
    found, principal = await asked.house.task(request.task)
    check_own(asked.who, principal, "give up")
    if found.outcome is not None:
        return reply(Changed((), asked.house.now()))
    await asked.house.decided(GiveUp(request.task, asked.who.name))
    return reply(Changed((request.task,), asked.house.now()))
