"""Goal: output is sent once, whole, and deleted when sent and settled. Method: a link played."""

from __future__ import annotations

import pytest

from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef
from leaseway.wire.problems import Kind, Problem, problem
from leaseway.worker.link import Declined, Unreachable
from leaseway.worker.spool import Spool
from leaseway.worker.uploads import PIECE_BYTES, Uploads

REF = AttemptRef("t", 1)


class Far:
    """The other side: keeps what it is sent; refuses as told."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.last: set[str] = set()
        self.pieces = 0
        self.no: Problem | None = None
        self.away = False

    async def send_output(self, worker, ref, piece, *, is_last):
        stream, offset, data = piece
        if self.away:
            raise Unreachable("away")
        if self.no is not None:
            raise Declined(self.no.status, self.no)
        have = self.kept.get(stream, b"")
        if offset > len(have):
            gap = problem(Kind.CONFLICT, "a gap")
            raise Declined(gap.status, gap)
        self.pieces += bool(data)
        self.kept[stream] = have + data[len(have) - offset :]
        if is_last:
            self.last.add(stream)
        return len(self.kept[stream])


@pytest.fixture
def far() -> Far:
    return Far()


@pytest.fixture
def spool(tmp_path):
    made = Spool(tmp_path / "spool")
    made.folder_of(REF).mkdir()
    yield made
    made.close()


def uploads(spool: Spool, far: Far) -> Uploads:
    return Uploads(spool, far, "w1")  # type: ignore[arg-type]


def prints(spool: Spool, data: bytes, stream: str = "stdout") -> None:
    with (spool.folder_of(REF) / stream).open("ab") as file:
        file.write(data)


def ending(out: int, err: int = 0) -> Ending:
    return Ending(EndKind.EXITED, 0, stdout_bytes=out, stderr_bytes=err)


async def test_as_it_grows_each_byte_once(spool, far):
    made = uploads(spool, far)
    made.began(REF)
    prints(spool, b"a" * (PIECE_BYTES + 5))
    assert await made.send() == []
    assert await made.send() == []
    assert far.pieces == 2
    prints(spool, b"b" * 5000)
    assert made.ended(REF, ending(PIECE_BYTES + 5005)) == (b"", b"")
    assert await made.send() == [REF]
    assert far.kept == {"stdout": b"a" * (PIECE_BYTES + 5) + b"b" * 5000}
    assert far.last == {"stdout"}
    assert spool.folder_of(REF).exists()
    made.settled(REF)
    assert not spool.folder_of(REF).exists()


async def test_small_output_travels_with_its_ending(spool, far):
    prints(spool, b"out")
    prints(spool, b"err", "stderr")
    made = uploads(spool, far)
    made.began(REF)
    assert made.ended(REF, ending(3, 3)) == (b"out", b"err")
    assert await made.send() == []
    assert far.kept == {}
    made.settled(REF)
    assert not spool.folder_of(REF).exists()


async def test_what_was_not_kept_is_closed_and_not_called_whole(spool, far):
    made = uploads(spool, far)
    assert made.ended(REF, ending(3)) == (b"", b"")
    assert await made.send() == [REF]
    assert far.last == {"stdout"}


async def test_settled_first_sent_later(spool, far):
    prints(spool, b"x" * 5000)
    made = uploads(spool, far)
    made.ended(REF, ending(5000))
    far.away = True
    made.settled(REF)
    with pytest.raises(Unreachable):
        await made.send()
    assert spool.folder_of(REF).exists()
    far.away = False
    assert await made.send() == [REF]
    assert far.kept["stdout"] == b"x" * 5000
    assert not spool.folder_of(REF).exists()


async def test_an_earlier_daemon_had_sent_some(spool, far):
    prints(spool, b"abc" * 3000)
    far.kept["stdout"] = b"abc" * 1000
    made = uploads(spool, far)
    made.resume(REF, ending(9000))
    assert await made.send() == [REF]
    assert far.kept["stdout"] == b"abc" * 3000


async def test_a_copy_that_has_less_gets_the_rest(spool, far):
    made = uploads(spool, far)
    made.began(REF)
    prints(spool, b"0123456789")
    await made.send()
    far.kept["stdout"] = b"01"
    prints(spool, b"x" * 5000)
    made.ended(REF, ending(5010))
    for _ in range(3):
        await made.send()
    assert far.kept["stdout"] == b"0123456789" + b"x" * 5000


async def test_what_the_coordinator_cannot_take_now_is_sent_again(spool, far):
    prints(spool, b"x" * 5000)
    made = uploads(spool, far)
    made.ended(REF, ending(5000))
    far.no = problem(Kind.UNAVAILABLE, "disk full")
    assert await made.send() == []
    far.no = None
    assert await made.send() == [REF]
    assert far.kept["stdout"] == b"x" * 5000


async def test_a_no_ends_the_sending(spool, far):
    prints(spool, b"x" * 5000)
    made = uploads(spool, far)
    made.ended(REF, ending(5000))
    far.no = problem(Kind.UNKNOWN, "no such task")
    assert await made.send() == [REF]
