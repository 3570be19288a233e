"""Goal: what the pool still has to do does not keep it from resting. Method: a played guardian."""

from __future__ import annotations

from pathlib import Path

from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import LocalGrant, NoteStarted, WorkerNow
from leaseway.worker.channel import Hub
from leaseway.worker.guardian import Orphaned
from leaseway.worker.pool import Pool
from leaseway.worker.spool import Spool

NOW = WorkerNow(boot_ms=1_000, awake_ms=1_000)


class Guard:
    """Writes the ending once the disk has room."""

    has_room = False

    def step(self, *_: object) -> object:
        if not self.has_room:
            raise OSError("full")
        return object()


def test_an_ending_that_the_disk_does_not_take_is_not_tried_in_a_hurry(tmp_path: Path, monkeypatch):
    spool = Spool(tmp_path / "spool")
    pool, guard, ref = Pool(spool, Hub(), {}, 1_000), Guard(), AttemptRef("t", 1)
    monkeypatch.setattr(pool, "_guardian", guard)
    monkeypatch.setattr(pool, "_reap", lambda: None)  # the children of this process are not its own
    grant = LocalGrant(ref, "true", 1, 0, 0, 0)
    pool.held[ref] = grant
    pool._orphans.append(Orphaned(grant, NoteStarted(ref, "boot", 0, 0, 0)))
    assert pool.is_busy_clearing
    pool.step(NOW)
    assert not pool.is_busy_clearing
    assert ref in pool.held
    guard.has_room = True
    pool.step(NOW)
    assert pool.held == {}
    spool.close()
