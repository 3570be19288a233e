"""Goal: no ring falls between looking and waiting. Method: bells alone."""

from __future__ import annotations

import asyncio

from leaseway.coordinator.wakeups import Wakeups, deadline_in

LONG = 60_000


async def test_a_ring_between_looking_and_waiting_is_kept():
    wakeups = Wakeups()
    with wakeups.listen("task:a") as bell:
        wakeups.ring(["task:a"])
        assert await bell.until(deadline_in(LONG))


async def test_each_name_wakes_its_own():
    wakeups = Wakeups()
    with wakeups.listen("task:a", "log:a") as mine, wakeups.listen("task:b") as other:
        wakeups.ring(["log:a"])
        assert await mine.until(deadline_in(LONG))
        assert not await other.until(deadline_in(0))


async def test_the_deadline_ends_the_wait():
    with Wakeups().listen("task:a") as bell:
        assert not await bell.until(deadline_in(1))


async def test_one_ring_wakes_once():
    wakeups = Wakeups()
    with wakeups.listen("task:a") as bell:
        wakeups.ring(["task:a", "task:a"])
        assert await bell.until(deadline_in(LONG))
        assert not await bell.until(deadline_in(0))


async def test_closing_wakes_everybody_for_good():
    wakeups = Wakeups()
    with wakeups.listen("task:a") as bell:
        async with asyncio.TaskGroup() as group:
            waiting = group.create_task(bell.until(deadline_in(LONG)))
            await asyncio.sleep(0)
            wakeups.close()
        assert waiting.result() is False
        assert not await bell.until(deadline_in(LONG))


def test_nothing_is_left_of_who_went():
    wakeups = Wakeups()
    with wakeups.listen("task:a"), wakeups.listen("task:a"):
        assert wakeups.waiting("task:a") == 2
    assert wakeups.waiting("task:a") == 0
    assert wakeups._bells == {}
