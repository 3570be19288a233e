"""Goal: one outstanding call per worker, parked while there is nothing to do (`protocol.md` §3).
Method: the whole coordinator behind an ASGI transport, a clock that stands until it is moved."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from leaseway.client import calls
from leaseway.client.errors import Conflict, Refused, Unavailable
from leaseway.coordinator.errors import NotAccepted
from leaseway.core.model.commands import Role
from leaseway.core.model.lease import TermsChange
from leaseway.core.model.sync import AttemptRef, Held, Phase
from tests.coordinator.pool import ended, registering, spec, syncing, until

LONG = 60_000


@asynccontextmanager
async def parked(pool, name="box", **more):
    """A sync that is being held."""
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(pool.sync(name, hold_ms=LONG, **more))
        seq = pool.seqs.get(name, 0) + 1
        await until(lambda: pool.house.syncs.parked(name) == seq or asking.done())
        await settled()
        assert not asking.done(), asking.result()
        yield asking


async def settled():
    """Until the parked call listens."""
    for _ in range(50):
        await asyncio.sleep(0)


async def test_without_a_hold_the_answer_comes_at_once(pool):
    await pool.join()
    assert (await pool.sync()).start == ()


async def test_parked_until_there_is_a_grant(pool):
    await pool.join()
    async with parked(pool) as asking:
        await pool.submit(spec("a"))
        said = await asking
    assert [grant.ref for grant in said.start] == [AttemptRef("nightly-1/a", 1)]
    assert said.for_seq == 2


async def test_lengths_count_from_the_arrival_however_long_it_was_held(pool):
    """Stamped at the reply, an 8 s task granted after a 5 s hold would begin with 3 s less."""
    await pool.join()
    async with parked(pool) as asking:
        pool.clock.at += 5_000
        await pool.submit(spec("a", 8_000))
        said = await asking
    (grant,) = said.start
    guard = grant.guard
    assert grant.start_by_in_ms == 5_000 + guard.delivery_ms
    assert grant.stop_latest_in_ms == 3_600_000 - guard.tail_ms - guard.clock_error_ms


async def test_the_hold_ends(pool):
    await pool.join()
    said = await pool.sync(hold_ms=30)
    assert (said.for_seq, said.start, said.superseded) == (2, (), False)


async def test_the_hold_is_shorter_than_the_patience(pool):
    """A worker that waits is not heard meanwhile; waiting must not make it absent."""
    patience = pool.service.options.settings.patience_ms
    await pool.join()
    said = await pool.sync()
    request = syncing(hold_ms=LONG)
    assert pool.house.syncs._hold_ms(request, said) <= patience // 2


async def test_newer_call_lets_the_older_go_at_once(pool):
    await pool.join()
    async with parked(pool) as older:
        newer = await pool.sync()
        said = await older
    assert (said.for_seq, said.superseded, said.start) == (2, True, ())
    assert (newer.for_seq, newer.superseded) == (3, False)


async def test_older_call_that_comes_late_does_not_count(pool):
    await pool.join()
    pool.seqs["box"] = 4
    async with parked(pool) as newer:
        late = await pool.client(Role.WORKER).send(calls.sync(syncing(seq=3)))
        assert (late.for_seq, late.superseded) == (3, True)
        assert not newer.done()
        await pool.sync()


async def test_fault_06_older_incarnation_is_fenced_and_lets_nobody_go(pool):
    """Fault 6: every message of the older daemon is fenced off."""
    await pool.join()
    await pool.register()
    async with parked(pool, incarnation=2) as newer:
        with pytest.raises(Conflict, match="newer daemon"):
            await pool.client(Role.WORKER).send(calls.sync(syncing(seq=99, hold_ms=LONG)))
        assert not newer.done()
        await pool.sync(incarnation=2)


async def test_workers_do_not_disturb_each_other(pool):
    await pool.join()
    await pool.join(registering("mini"))
    async with parked(pool) as asking:
        await pool.sync("mini")
        assert not asking.done()
        await pool.sync()


async def test_change_of_the_lease_ends_the_hold(pool):
    await pool.join()
    async with parked(pool) as asking:
        await pool.client().change_lease("box", TermsChange(max_run_ms=1_000))
        said = await asking
    assert said.terms is not None
    assert said.terms.max_run_ms == 1_000


async def test_drain_ends_the_hold(pool):
    await pool.join()
    async with parked(pool) as asking:
        await pool.client().set_state("box", "draining")
        assert (await asking).state == "draining"


async def test_cancel_reaches_a_parked_worker(pool):
    await pool.join()
    await pool.submit(spec("a"))
    (grant,) = (await pool.sync()).start
    held = (Held(grant.ref, Phase.RUNNING, started_ago_ms=1),)
    async with parked(pool, held=held) as asking:
        await pool.client().cancel("nightly-1/a")
        (stop,) = (await asking).stop
    assert stop.ref == grant.ref


async def test_client_that_went_away_is_noticed(pool):
    await pool.join()
    gone = asyncio.Event()

    async def went() -> None:
        await gone.wait()

    request = syncing(seq=7, hold_ms=LONG)
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(pool.house.syncs.answer(request, went))
        await until(lambda: pool.house.syncs.parked("box") == 7)
        await settled()
        gone.set()
    assert asking.result().superseded
    assert pool.house.syncs.parked("box") is None
    assert pool.house.wakeups.waiting("worker:box") == 0


async def test_closing_lets_parked_calls_go(pool):
    await pool.join()
    async with parked(pool) as asking:
        pool.house.wakeups.close()
        said = await asking
    assert (said.for_seq, said.superseded) == (2, False)


async def test_small_outputs_are_there_before_the_ending_counts(pool):
    await pool.join()
    await pool.submit(spec("a"))
    ref = await pool.run_one(b"hello\n")
    piece = await pool.client().log(ref.task)
    assert (piece.data, piece.complete, piece.attempt) == (b"hello\n", True, 1)


async def test_output_that_cannot_be_kept_leaves_the_ending_unsettled(pool):
    await pool.join()
    await pool.submit(spec("a"))
    (grant,) = (await pool.sync()).start
    (pool.folder / "logs").write_text("in the way")
    report = ended(grant.ref, b"hello\n")
    with pytest.raises(Unavailable, match="could not be kept"):
        await pool.sync(endings=(report,))
    assert (await pool.client().task(grant.ref.task)).outcome is None
    (pool.folder / "logs").unlink()
    assert (await pool.sync(endings=(report,))).settled == (grant.ref,)


async def test_output_of_another_workers_attempt_is_not_taken(pool):
    await pool.join()
    await pool.join(registering("mini"))
    await pool.submit(spec("a"))
    (grant,) = (await pool.sync()).start
    await pool.sync("mini", endings=(ended(grant.ref, b"not mine\n"),))
    assert (await pool.client().log(grant.ref.task, 1)).data == b""


async def test_failed_append_during_a_hold_is_a_503(pool):
    await pool.join()
    syncs, decided = pool.house.syncs, 0

    async def full(call):
        nonlocal decided
        decided += 1
        if decided == 2:
            raise NotAccepted("the disk is full")
        return await type(syncs)._decide(syncs, call)

    async def turned_away() -> None:
        with pytest.raises(Unavailable, match="the disk is full"):
            await pool.sync(hold_ms=LONG)

    syncs._decide = full
    async with asyncio.TaskGroup() as group:
        group.create_task(turned_away())
        await until(lambda: syncs.parked("box") == 2)
        await settled()
        pool.house.wakeups.ring(["worker:box"])


async def test_unregistered_worker_is_told_so(pool):
    with pytest.raises(Refused) as raised:
        await pool.sync("stranger")
    assert raised.value.problem.findings[0].code == "LW801"
