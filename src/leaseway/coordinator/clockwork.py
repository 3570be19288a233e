"""Time passes through the same door as everything else: a `Tick` every quarter of a second."""

from __future__ import annotations

import asyncio
import logging

from leaseway.coordinator.door import Door
from leaseway.coordinator.errors import Defect, NotAccepted
from leaseway.core.model.commands import Tick

TICK_MS = 250

_log = logging.getLogger(__name__)


async def tick_on(door: Door, every_ms: int = TICK_MS) -> None:
    """Issue ticks until the door closes. A tick that was not accepted is followed by the next."""
    while not door.closed.is_set():
        try:
            await door.ask(Tick())
        except (NotAccepted, Defect) as wrong:
            _log.debug("a tick was not accepted: %s", wrong)
        await asyncio.sleep(every_ms / 1000)
