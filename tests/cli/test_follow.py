"""Goal: nothing that changed is missed, and a silent coordinator is waited for, not for ever.
Method: a pool that answers from a script."""

from __future__ import annotations

import pytest

from leaseway.cli import follow
from leaseway.cli.follow import Followed
from leaseway.cli.output import Reader
from leaseway.client.errors import Unreachable
from leaseway.wire.streams import LogChunk
from tests.cli.fake_pool import FakePool
from tests.cli.samples import running, succeeded, task

GONE = Unreachable("http://fake", "refused")


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(follow, "sleep", lambda _s: None)


def followed(*names, **steps):
    pool = FakePool(steps={f"nightly-3/{name}": list(steps[name]) for name in names})
    return Followed(pool, "nightly-3", list(pool.steps))  # type: ignore[arg-type]


def test_every_change_once():
    three = followed(
        "a",
        "b",
        "c",
        a=[task("a"), running("a"), succeeded("a")],
        b=[task("b", 2), task("b", 2), running("b", 2), succeeded("b", 2)],
        c=[succeeded("c", 3)],
    )
    seen = [[(each.name, each.state) for each in changed] for changed in three.watch(1)]
    flat = [change for batch in seen for change in batch]
    assert len(flat) == len(set(flat))
    assert flat[-1] == ("b", "ended")
    assert [each.name for each in three.tasks] == ["a", "b", "c"]


def test_silence_is_outlived():
    one = followed("a", a=[task("a"), GONE, GONE, succeeded("a")])
    assert [len(changed) for changed in one.watch(1)] == [1, 0, 0, 1]


def test_silence_ends_after_a_minute(monkeypatch):
    monkeypatch.setattr(follow, "PATIENCE_MS", -1)
    one = followed("a", a=[task("a"), GONE])
    with pytest.raises(Unreachable):
        list(one.watch(1))


class Log:
    """Two attempts, the second seen from the second piece on."""

    def __init__(self):
        self.pieces = [
            LogChunk(b"one", 3, attempt=1),
            LogChunk(b"", 3, attempt=2),
            LogChunk(b"two", 3, attempt=2, ended=True, complete=True),
        ]
        self.offsets = []

    def log(self, task, attempt, stream, offset, wait_ms):
        self.offsets.append(offset)
        return self.pieces.pop(0)


def test_another_attempt_is_read_from_its_own_start():
    log = Log()
    reader = Reader(log, "a/b", "stdout")  # type: ignore[arg-type]
    assert reader.piece().data == b"one"
    assert reader.piece().data == b"two"
    assert log.offsets == [0, 3, 0]
