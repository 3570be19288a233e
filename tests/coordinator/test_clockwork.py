"""Goal: time goes on through the door, whatever becomes of one tick. Method: a door that counts."""

from __future__ import annotations

import asyncio

from leaseway.coordinator.clockwork import tick_on
from leaseway.coordinator.errors import NotAccepted
from leaseway.core.model.commands import Tick


class CountingDoor:
    def __init__(self) -> None:
        self.closed = asyncio.Event()
        self.asked: list[Tick] = []

    async def ask(self, command):
        self.asked.append(command)
        if len(self.asked) == 3:
            self.closed.set()
        if len(self.asked) == 2:
            raise NotAccepted("the disk is full")


async def test_ticks_go_on_until_the_door_closes():
    door = CountingDoor()
    await tick_on(door, every_ms=0)  # type: ignore[arg-type]
    assert door.asked == [Tick()] * 3
