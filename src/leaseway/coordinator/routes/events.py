"""The ledger's events, as they come."""

from __future__ import annotations

from msgspec import to_builtins
from starlette.responses import Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.wakeups import deadline_in
from leaseway.ledger.port import Stored
from leaseway.wire.streams import EventInfo, EventList


async def events(asked: Asked) -> Response:
    """Events after a position; with `wait` when there is one, or the time is over."""
    after, limit = asked.number("after", 0), asked.limit(500)
    deadline = deadline_in(asked.wait_ms())
    with asked.house.wakeups.listen("events") as bell:
        while True:
            await asked.house.door.view()
            found = asked.house.ledger.read(after, limit)
            if found or not await bell.until(deadline):
                break
    view = await asked.house.door.view()
    infos = tuple(_info(stored) for stored in found)
    last = infos[-1].position if infos else after
    return reply(EventList(infos, last, view.facts.position, asked.house.now()))


def _info(stored: Stored) -> EventInfo:
    doc = to_builtins(stored.event)
    tag = doc.pop("type")
    return EventInfo(position=stored.position, at=stored.at, tag=tag, doc=doc)
