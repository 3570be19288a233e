"""The inbox: outcomes that nobody has acknowledged yet, and saying seen."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.kept import left_out
from leaseway.coordinator.rows import task_of
from leaseway.core.model.commands import Acknowledge
from leaseway.ledger.rows import inbox_of
from leaseway.wire.plans import AcknowledgeRequest, Changed
from leaseway.wire.tasks import InboxInfo, task_info


async def inbox(asked: Asked) -> Response:
    """What has ended and was not acknowledged; of who asks, if nobody is named."""
    await asked.house.door.view()
    principal = asked.text("principal") or asked.who.name
    limit, now = asked.limit(), asked.house.now()
    logs = asked.house.logs
    rows = asked.house.ledger.tasks(inbox_of(principal, limit + 1))
    infos = tuple(
        task_info(told, row.principal, now, left_out(logs, told))
        for row in rows[:limit]
        for told in (task_of(row),)
    )
    return reply(InboxInfo(principal, infos, now, more=len(rows) > limit))


async def acknowledge(asked: Asked) -> Response:
    """Say seen; saying it again changes nothing."""
    request = await asked.body(AcknowledgeRequest)
    view = await asked.house.door.view()
    names = tuple(
        name
        for name in request.tasks
        if name in view.facts.tasks or not _seen_and_gone(asked, name)
    )
    if request.tasks and not names:
        return reply(Changed((), asked.house.now()))
    done = await asked.house.decided(Acknowledge(names, asked.who))
    return reply(Changed(tuple(done), asked.house.now()))


def _seen_and_gone(asked: Asked, name: str) -> bool:
    row = asked.house.ledger.task(name)
    return row is not None and row.acknowledged
