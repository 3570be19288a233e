"""Goal: events, inbox and logs are read as they grow, and logs say when they are whole. Method: the
application over a ledger in memory."""

from __future__ import annotations

import asyncio

import pytest

from leaseway.client.calls import LogPiece, write_log
from leaseway.client.errors import Conflict, Malformed, NotFound
from leaseway.core.model.commands import Role, Tick
from leaseway.core.model.sync import AttemptRef, Held, Phase
from tests.coordinator.pool import ended, registering, spec, until

LONG = 60_000


async def granted(pool) -> AttemptRef:
    await pool.join()
    await pool.submit(spec("a"))
    (grant,) = (await pool.sync()).start
    return grant.ref


async def put(pool, ref, offset, data, *, worker="box", stream="stdout", end=False):
    piece = LogPiece(worker, ref.task, ref.number, stream, offset, data, end)
    return (await pool.client(Role.WORKER).send(write_log(piece))).size


async def test_a_log_is_followed_while_it_grows(pool):
    ref = await granted(pool)
    client = pool.client()
    async with asyncio.TaskGroup() as group:
        following = group.create_task(client.log(ref.task, wait_ms=LONG))
        await until(lambda: pool.house.wakeups.waiting(f"log:{ref.task}") == 1)
        await put(pool, ref, 0, b"one\n")
    first = following.result()
    assert (first.data, first.next_offset, first.complete, first.ended) == (
        b"one\n",
        4,
        False,
        False,
    )
    async with asyncio.TaskGroup() as group:
        following = group.create_task(client.log(ref.task, offset=4, wait_ms=LONG))
        await until(lambda: pool.house.wakeups.waiting(f"log:{ref.task}") == 1)
        await pool.sync(endings=(ended(ref, b"one\n"),))
    last = following.result()
    assert (last.data, last.complete, last.ended, last.expected) == (b"", True, True, 4)


async def test_a_log_that_is_not_all_there_says_so(pool):
    ref = await granted(pool)
    await put(pool, ref, 0, b"one\n")
    await pool.sync(endings=(ended(ref, stdout_bytes=8),))
    piece = await pool.client().log(ref.task)
    assert (piece.ended, piece.complete, piece.expected) == (True, False, 8)
    await put(pool, ref, 4, b"two\n")
    assert (await pool.client().log(ref.task)).complete


async def test_a_long_output_is_whole_when_its_worker_says_so(pool):
    ref = await granted(pool)
    await put(pool, ref, 0, b"head and tail", end=True)
    await pool.sync(endings=(ended(ref, stdout_bytes=10**9),))
    piece = await pool.client().log(ref.task)
    assert (piece.complete, piece.expected) == (True, 10**9)


async def test_a_log_of_nothing_is_whole(pool):
    ref = await granted(pool)
    await pool.sync(endings=(ended(ref),))
    piece = await pool.client().log(ref.task, wait_ms=LONG)
    assert (piece.data, piece.complete) == (b"", True)


async def test_the_log_of_a_lost_attempt_does_not_pretend_to_be_whole(pool):
    ref = await granted(pool)
    await pool.sync(held=(Held(ref, Phase.RUNNING, started_ago_ms=0),))
    await put(pool, ref, 0, b"so far\n")
    for _ in range(30):
        pool.clock.at += 2_000
        await pool.house.door.ask(Tick())
    assert (await pool.client().task(ref.task)).outcome.kind == "lost"
    piece = await pool.client().log(ref.task)
    assert (piece.ended, piece.complete, piece.expected) == (True, False, None)
    assert not (await pool.client().log(ref.task, offset=7, wait_ms=LONG)).complete
    await pool.sync(endings=(ended(ref, b"so far\nand the rest\n"),))
    late = await pool.client().log(ref.task)
    assert (late.data, late.complete) == (b"so far\nand the rest\n", True)


async def test_a_task_that_never_ran_has_no_log(pool):
    await pool.join()
    await pool.submit(spec("a"), spec("b", needs=("a",)))
    await pool.client().cancel("nightly-1/b")
    piece = await pool.client().log("nightly-1/b", wait_ms=LONG)
    assert (piece.data, piece.attempt, piece.ended) == (b"", 0, True)


async def test_only_the_worker_that_holds_the_attempt_may_write(pool):
    ref = await granted(pool)
    await pool.join(registering("mini"))
    for worker, number in (("mini", 1), ("box", 2), ("", 1), ("box", 0)):
        with pytest.raises(Conflict) as raised:
            await put(pool, AttemptRef(ref.task, number), 0, b"x", worker=worker)
        assert raised.value.problem.findings[0].code == "LW801"
    with pytest.raises(NotFound):
        await put(pool, AttemptRef("nightly-1/x", 1), 0, b"x")
    assert (await pool.client().log(ref.task)).data == b""


async def test_output_may_come_after_the_ending(pool):
    ref = await granted(pool)
    await pool.sync(endings=(ended(ref, stdout_bytes=4),))
    assert await put(pool, ref, 0, b"one\n") == 4


async def test_gaps_and_odd_streams_are_refused(pool):
    ref = await granted(pool)
    with pytest.raises(Conflict, match="0 bytes are there, the piece begins at 4"):
        await put(pool, ref, 4, b"x")
    with pytest.raises(Malformed, match="expected one of stdout, stderr"):
        await put(pool, ref, 0, b"x", stream="stdin")


async def test_any_bytes_come_back_as_they_were(pool):
    """Fault 16, the coordinator's part: NUL, invalid UTF-8 and lone surrogates."""
    ref = await granted(pool)
    odd = b"\x00\xff\xed\xa0\x80\r\n" * 1_000
    await pool.sync(endings=(ended(ref, odd),))
    piece = await pool.client().log(ref.task)
    assert (piece.data, piece.complete) == (odd, True)


async def test_each_stream_is_read_by_itself(pool):
    ref = await granted(pool)
    await put(pool, ref, 0, b"out")
    await put(pool, ref, 0, b"err", stream="stderr")
    assert (await pool.client().log(ref.task, stream="stderr")).data == b"err"
    assert (await pool.client().log(ref.task, 1, offset=1)).data == b"ut"


async def test_events_in_order_and_as_they_come(pool):
    await pool.join()
    client = pool.client()
    first = await client.events(limit=2)
    assert [(each.position, each.tag) for each in first.events] == [
        (1, "LedgerOpened"),
        (2, "WorkerRegistered"),
    ]
    assert first.events[1].doc["worker"] == "box"
    rest = await client.events(after=first.head)
    assert (rest.events, rest.next) == ((), first.head)
    async with asyncio.TaskGroup() as group:
        following = group.create_task(client.events(after=first.head, wait_ms=LONG))
        await until(lambda: pool.house.wakeups.waiting("events") == 1)
        await pool.submit(spec("a"))
    assert "PlanSubmitted" in [each.tag for each in following.result().events]


async def test_events_wait_no_longer_than_asked(pool):
    await pool.join()
    head = (await pool.client().about()).head
    assert (await pool.client().events(after=head, wait_ms=10)).events == ()


async def test_the_inbox_of_somebody(pool):
    await pool.join()
    await pool.submit(spec("a"), role=Role.AGENT)
    await pool.submit(spec("b"))
    for _ in range(2):
        await pool.run_one()
    assert [task.name for task in (await pool.client().inbox()).tasks] == ["b"]
    assert [task.name for task in (await pool.client().inbox("agent")).tasks] == ["a"]
    assert (await pool.client().inbox("agent", limit=0)).more
    assert (await pool.client().acknowledge()).tasks == ("nightly-2/b",)
    assert (await pool.client().acknowledge()).tasks == ()


async def test_acknowledging_what_is_not_there(pool):
    await pool.join()
    with pytest.raises(NotFound):
        await pool.client().acknowledge(["nightly-1/a"])
    await pool.submit(spec("a"))
    with pytest.raises(Conflict):
        await pool.client().acknowledge(["nightly-1/a"])


async def test_about(pool):
    about = await pool.client(Role.VIEWER).about()
    assert (about.versions, about.principal, about.role) == ((1,), "viewer", "viewer")


async def test_an_output_that_was_cut_says_so_everywhere(pool, monkeypatch):
    monkeypatch.setattr("leaseway.coordinator.kept.NEVER_CUT_BELOW", 1)
    ref = await granted(pool)
    line = b"\n[leaseway: 9000 bytes left out here]\n"
    await put(pool, ref, 0, b"head" + line + b"tail", end=True)
    await pool.sync(endings=(ended(ref, stdout_bytes=9008),))
    client = pool.client()
    piece = await client.log(ref.task)
    assert (piece.complete, piece.left_out_bytes) == (True, 9000)
    assert (await client.task(ref.task)).left_out_bytes == {"stdout": 9000}
    assert (await client.inbox()).tasks[0].left_out_bytes == {"stdout": 9000}
    told = (await client.explain(ref.task)).findings[-1]
    assert (told.code, told.numbers["left_out_bytes"]) == ("LW733", 9000)
