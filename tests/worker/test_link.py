"""Goal: the link says what happened and reuses connections. Method: a played desk, sockets."""

from __future__ import annotations

import asyncio
import socket

import pytest

from leaseway.core.agent import Agent
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.sync import AttemptRef, RegisterRequest, SyncRequest
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_infos
from leaseway.wire.problems import Kind, problem
from leaseway.worker.calls import Calls, back_off_ms
from leaseway.worker.carrier import Carrier
from leaseway.worker.daemon import run_worker
from leaseway.worker.link import Declined, Link, Unreachable
from leaseway.worker.options import WorkerOptions
from leaseway.worker.spawner_hand import SpawnerHand
from leaseway.worker.spool import Spool
from leaseway.worker.trees import Trees
from leaseway.worker.uploads import Uploads
from tests.worker.desk import Desk
from tests.worker.waiting import until


@pytest.fixture
def desk():
    made = Desk()
    yield made
    made.close()


def request(seq: int) -> SyncRequest:
    return SyncRequest("w1", 1, seq, "spool", "boot", hold_ms=2_000)


async def test_one_connection_for_one_call_after_the_other(desk: Desk):
    link = Link(desk.url, "the-secret")
    hello = RegisterRequest("w1", "m", "spool", "boot", TermsOffer())
    assert (await link.register(hello)).incarnation == 1
    for seq in range(1, 4):
        desk.say(call_by_ms=seq)
        assert (await link.sync(request(seq))).call_by_ms == seq
    assert len(desk.connections) == 1
    link.close()


async def test_a_newer_call_lets_the_parked_one_go(desk: Desk):
    link = Link(desk.url, "the-secret")
    parked = asyncio.create_task(link.sync(request(1)))
    await asyncio.to_thread(until, lambda: len(desk.syncs) == 1, "the first call")
    desk.say(call_by_ms=77)
    first = await parked
    assert first.call_by_ms == 77
    parked = asyncio.create_task(link.sync(request(2)))
    await asyncio.to_thread(until, lambda: len(desk.syncs) == 2, "the second call")
    newer = asyncio.create_task(link.sync(request(3)))
    assert (await parked).superseded
    desk.say(call_by_ms=5)
    assert (await newer).for_seq == 3
    link.close()


async def test_output_goes_by_offset(desk: Desk):
    link, ref = Link(desk.url, "the-secret"), AttemptRef("plan/a b?", 2)
    assert await link.send_output("w1", ref, ("stdout", 0, b"abc"), is_last=False) == 3
    assert await link.send_output("w1", ref, ("stdout", 1, b"bcde"), is_last=True) == 5
    assert desk.logs == {(ref, "stdout"): b"abcde"}
    assert desk.whole == {(ref, "stdout")}
    link.close()


async def test_a_no_carries_its_problem(desk: Desk):
    with pytest.raises(Declined) as caught:
        await Link(desk.url, "wrong").sync(request(1))
    assert caught.value.status == 401
    assert caught.value.fence(1) == ""


@pytest.mark.parametrize(
    ("variant", "current", "spool", "fence"),
    [
        ("incarnation", 2, "spool-2", "superseded"),
        ("incarnation", 2, "spool-1", "unknown"),
        ("incarnation", 0, "spool-2", "unknown"),
        ("worker", 1, "", "unknown"),
    ],
)
async def test_fences(desk: Desk, variant, current, spool, fence):
    """faults.md 6"""
    numbers = {"number": 1, "current": current, "spool": spool}
    desk.fence = Finding("LW801", (), ("w1",), numbers, variant)
    link = Link(desk.url, "the-secret")
    with pytest.raises(Declined) as caught:
        await link.sync(request(1))
    assert caught.value.fence(1, "spool-1") == fence
    link.close()


async def test_nobody_there():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(Unreachable, match="Connect"):
        await Link(f"http://127.0.0.1:{port}", "s").sync(request(1))


async def answering(data: bytes, times: int = 1) -> tuple[asyncio.Server, str]:
    """A server that says `data` to each of the first calls and closes the connection."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100_000)
        writer.write(data)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    return server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
async def test_an_answer_that_is_none(data):
    server, url = await answering(data)
    with pytest.raises(Unreachable):
        await Link(url, "s").sync(request(1))
    server.close()


async def test_a_bare_status_is_a_no_as_well():
    server, url = await answering(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
    with pytest.raises(Declined, match="502"):
        await Link(url, "s").sync(request(1))
    server.close()


async def test_an_idle_connection_that_was_closed_is_replaced(desk: Desk):
    link = Link(desk.url, "the-secret")
    desk.say(call_by_ms=1)
    await link.sync(request(1))
    for connection in link._idle:
        connection.close()
    desk.say(call_by_ms=2)
    assert (await link.sync(request(2))).call_by_ms == 2
    link.close()


def test_back_off_doubles_up_to_a_bound_and_never_hurries():
    assert [back_off_ms(n, 255) for n in (1, 2, 3, 4)] == [200, 400, 800, 1600]
    assert back_off_ms(1, 0) == 100
    assert back_off_ms(500, 255) == 10_000
    assert back_off_ms(500, 255, 1_000) == 1_000


async def test_nobody_is_silent_for_longer_than_the_patience_with_it(desk: Desk, tmp_path):
    """A coordinator that was away for long judges anew after its patience."""
    desk.patience_ms = 2_000
    spool, link = Spool(tmp_path / "spool"), Link(desk.url, "the-secret")
    agent = Agent(worker="w1", spool_id=spool.spool_id, boot_id="boot")
    options = WorkerOptions("w1", desk.url, "", tmp_path, TermsOffer())
    hands = (Uploads(spool, link, "w1"), Trees(options, spool, Clock.of_environment(), link))
    carrier = Carrier(agent, spool, SpawnerHand(spool), hands, print)
    calls = Calls(options, carrier, link)
    await calls._register()
    for _ in range(20):
        calls._failed(Unreachable("away"))
    assert calls._not_before_boot - carrier.clock.boot_ms() <= 1_000
    link.close()
    spool.close()


def test_a_worker_that_is_refused_says_why_and_ends(desk: Desk, tmp_path):
    said: list[str] = []
    options = WorkerOptions("w1", desk.url, "wrong", tmp_path, TermsOffer(), tell=said.append)
    assert run_worker(options) == 3
    told = "\n".join(said)
    assert "does not take this worker" in told
    assert "no answer" not in told
    assert "trying on" not in told


def test_a_refusal_is_told_with_its_mend():
    no = problem(
        Kind.REFUSED,
        "no",
        finding_infos((Finding("LW901", (), ("w1",), {"key": "slots"}, "zero-terms"),)),
    )
    wrong, mend = Declined(422, no).told()
    assert wrong.startswith("slots of w1 is zero")
    assert mend.startswith("  → Give slots a value")
