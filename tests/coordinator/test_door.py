"""Goal: what each failure means for who waits, as the table in `coordinator.door` says. Method: a
door over a ledger that fails on demand."""

from __future__ import annotations

import asyncio
import threading
from contextlib import asynccontextmanager

import pytest

from leaseway.coordinator import service as service_module
from leaseway.coordinator.door import DEFECTS_MOST, Door, Pace
from leaseway.coordinator.errors import Defect, NotAccepted
from leaseway.coordinator.wakeups import Wakeups
from leaseway.core.decide import carry_out
from leaseway.core.model.commands import GiveUp, Principal, Register, Role, Submit, Tick
from leaseway.ledger.encoding import canonical
from leaseway.ledger.errors import LedgerUnavailable
from leaseway.ledger.memory import Disk, MemoryLedger
from tests.coordinator.pool import SetClock, lead, plan, registering, spec, until

OWNER = Principal("owner", Role.OWNER)


def submit(name: str) -> Submit:
    return Submit(plan(spec(name)), OWNER)


@asynccontextmanager
async def serving(ledger, clock=None):
    door = Door(lead(ledger, clock or SetClock()), Wakeups())
    async with asyncio.TaskGroup() as group:
        group.create_task(door.run())
        try:
            await door.ask(Register(registering()))
            yield door
        finally:
            door.close()


async def test_what_waits_is_one_batch():
    appended = []

    class Counting(MemoryLedger):
        def append(self, batch):
            appended.append(len(batch.stamped))
            return super().append(batch)

    async with serving(Counting(Disk())) as door:
        appended.clear()
        said = await asyncio.gather(*(door.ask(submit(f"t{at}")) for at in range(20)))
    assert len({each.plan for each in said}) == 20
    assert len(appended) == 1


async def test_within_a_batch_a_tick_comes_last(monkeypatch):
    async with serving(MemoryLedger(Disk())) as door:
        decided = []
        draft = door.service.draft

        def noted(commands):
            decided.extend(commands)
            return draft(commands)

        monkeypatch.setattr(door.service, "draft", noted)
        await asyncio.gather(door.ask(Tick()), door.ask(submit("a")), door.ask(submit("b")))
    assert [type(command) for command in decided] == [Submit, Submit, Tick]


async def test_failed_append_answers_the_whole_batch():
    disk = Disk()
    async with serving(MemoryLedger(disk)) as door:
        before = canonical(door.service.view.facts)
        disk.broken = "the disk is full"
        asks = (door.ask(submit("a")), door.ask(GiveUp("nope", "owner")), door.ask(submit("b")))
        said = await asyncio.gather(*asks, return_exceptions=True)
        assert [type(each) for each in said] == [NotAccepted] * 3
        assert "the disk is full" in str(said[0])
        assert canonical(door.service.view.facts) == before
        disk.broken = ""
        assert (await door.ask(submit("a"))).plan == "nightly-1"


async def test_nothing_is_said_or_rung_before_it_is_stored():
    disk = Disk()
    async with serving(MemoryLedger(disk)) as door:
        with door._wakeups.listen("events", "task:nightly-1/a") as bell:
            disk.broken = "the disk is full"
            with pytest.raises(NotAccepted):
                await door.ask(submit("a"))
            assert not bell._rung.is_set()
            disk.broken = ""
            await door.ask(submit("a"))
            assert bell._rung.is_set()


async def test_a_view_that_cannot_be_read_is_not_shown():
    class Unreadable(MemoryLedger):
        unreadable = False

        def read(self, after, limit):
            if self.unreadable:
                raise LedgerUnavailable("the disk is away")
            return super().read(after, limit)

    disk = Disk()
    ledger = Unreadable(disk)
    async with serving(ledger) as door:
        disk.broken, ledger.unreadable = "the disk is away", True
        with pytest.raises(NotAccepted):
            await door.ask(submit("a"))
        with pytest.raises(NotAccepted, match="cannot be read"):
            await door.view()
        disk.broken, ledger.unreadable = "", False
        await door.ask(Tick())
        assert not (await door.view()).facts.tasks


async def test_lost_term_is_silence():
    disk = Disk()
    async with serving(MemoryLedger(disk)) as door:
        MemoryLedger(disk).take_term("another")
        with pytest.raises(NotAccepted, match="'another' holds term 2"):
            await door.ask(submit("a"))
        await door.closed.wait()
        with pytest.raises(NotAccepted):
            await door.ask(Tick())
        with pytest.raises(NotAccepted):
            await door.view()


def breaking(kind: type):
    def carried(view, command, now):
        done = carry_out(view, command, now)
        if isinstance(command, kind):
            raise AssertionError("broken on purpose")
        return done

    return carried


async def test_a_defect_is_answered_to_its_own_and_the_others_are_decided(monkeypatch, caplog):
    async with serving(MemoryLedger(Disk())) as door:
        monkeypatch.setattr(service_module, "carry_out", breaking(GiveUp))
        asks = (door.ask(submit("a")), door.ask(GiveUp("x", "owner")), door.ask(submit("b")))
        said = await asyncio.gather(*asks, return_exceptions=True)
        assert isinstance(said[1], Defect)
        assert [getattr(said[at], "plan", None) for at in (0, 2)] == ["nightly-1", "nightly-2"]
    assert "broken on purpose" in caplog.text


async def test_ticks_that_always_break_stop_the_process(monkeypatch):
    async with serving(MemoryLedger(Disk())) as door:
        broken = breaking(Tick)
        monkeypatch.setattr(
            service_module,
            "carry_out",
            lambda view, command, now: (
                carry_out(view, command, now)
                if isinstance(command, Tick) and command.resumed
                else broken(view, command, now)
            ),
        )
        kinds = []
        for _ in range(DEFECTS_MOST):
            try:
                await door.ask(Tick())
            except (Defect, NotAccepted) as wrong:
                kinds.append(type(wrong))
        assert kinds == [Defect] * (DEFECTS_MOST - 1) + [NotAccepted]
        await door.closed.wait()
        assert "time cannot go on" in door.silent


async def test_fault_13_giving_up_waiting_takes_nothing_back():
    """Fault 13, the coordinator's part."""
    async with serving(MemoryLedger(Disk())) as door:
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(door.ask(submit("a")))
            await until(lambda: bool(door._asks))
            asking.cancel()
        await door.ask(Tick())
        assert "nightly-1/a" in (await door.view()).facts.tasks


async def test_closing_answers_who_still_waits():
    door = Door(lead(MemoryLedger(Disk()), SetClock()), Wakeups())

    async def turned_away() -> None:
        with pytest.raises(NotAccepted, match="stopping"):
            await door.ask(Tick())

    async with asyncio.TaskGroup() as group:
        group.create_task(turned_away())
        await until(lambda: bool(door._asks))
        door.close()
        group.create_task(door.run())


class Slow(MemoryLedger):
    """An append that takes 9 ms on the clock, and waits for a gate when in another thread."""

    def __init__(self, disk, clock):
        super().__init__(disk)
        self.clock = clock
        self.gate = threading.Event()
        self.in_thread = False

    def append(self, batch):
        self.clock.at += 9
        if threading.current_thread() is not threading.main_thread():
            self.in_thread = True
            assert self.gate.wait(10)
        return super().append(batch)


async def test_slow_commits_go_to_a_thread_and_reads_wait_for_them():
    clock = SetClock()
    ledger = Slow(Disk(), clock)
    async with serving(ledger, clock) as door:
        for at in range(4):
            await door.ask(submit(f"t{at}"))
        assert door.pace.slow
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(door.ask(submit("late")))
            await until(lambda: ledger.in_thread)
            looking = group.create_task(door.view())
            for _ in range(20):
                await asyncio.sleep(0)
            assert not looking.done()
            assert not asking.done()
            ledger.gate.set()
        assert "nightly-5/late" in looking.result().facts.tasks


async def test_reads_are_not_starved_by_slow_commits():
    clock = SetClock()
    ledger = Slow(Disk(), clock)
    ledger.gate.set()
    async with serving(ledger, clock) as door:
        for at in range(4):
            await door.ask(submit(f"t{at}"))
        assert door.pace.slow
        read = asyncio.Event()

        async def asking() -> None:
            while not read.is_set():
                await door.ask(submit("more"))

        async with asyncio.timeout(10), asyncio.TaskGroup() as group:
            group.create_task(asking())
            group.create_task(asking())
            await until(lambda: ledger.in_thread)
            await door.view()
            read.set()


def test_one_slow_commit_does_not_make_a_slow_disk():
    pace = Pace()
    for length in (1, 1, 90, 1, 1, 1):
        pace.took(length)
    assert not pace.slow
    for _ in range(9):
        pace.took(7)
    assert pace.slow
