"""What worker daemons say: register, and sync."""

from __future__ import annotations

from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.auth import check_speaks_for
from leaseway.coordinator.declined import Declined
from leaseway.core.decisions.decision import Refused
from leaseway.core.model.commands import Register
from leaseway.core.model.sync import RegisterRequest, SyncRequest
from leaseway.wire.problems import refusal

SYNC_MOST = 64 * 1024 * 1024
"""A worker that was cut off for long has many endings to tell, small outputs with them."""


async def register(asked: Asked) -> Response:
    """A worker daemon joins, or comes back."""
    request = await asked.body(RegisterRequest)
    check_speaks_for(asked.who, request.name, "register")
    return reply(await asked.house.decided(Register(request)))


async def sync(asked: Asked) -> Response:
    """What a worker holds and what ended; answered with what to start, stop and forget."""
    request = await asked.body(SyncRequest, SYNC_MOST)
    check_speaks_for(asked.who, request.worker, "sync")

    async def gone() -> None:
        while (await asked.http.receive())["type"] != "http.disconnect":
            pass

    said = await asked.house.syncs.answer(request, gone)
    if isinstance(said, Refused):
        raise Declined(refusal(said.kind, said.findings))
    return reply(said)
