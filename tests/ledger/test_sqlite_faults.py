"""Goal: a batch is durable when it is acknowledged, and not there at all when it failed.
Method: a disk that fails at each of its operations in turn, and copies of what had been synced."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from leaseway.core.model.events import Stamped
from leaseway.ledger.errors import LedgerUnavailable
from leaseway.ledger.port import Batch
from leaseway.ledger.sqlite import FILE_NAME, SqliteLedger
from tests.ledger.batches import anchor, batch, plan, slept, task, worker
from tests.ledger.conformance import contents
from tests.ledger.faulty_disk import FaultyDisk, faulty_disk
from tests.ledger.samples import SAMPLES
from tests.ledger.sqlite_store import SqliteStore

BIG = Batch(
    tuple(Stamped(2, event) for event in SAMPLES),
    (task("t1", state="ended", ended_at=2, doc=b"x" * 20_000), plan("p1"), worker("anna")),
    anchor(2),
)


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    with faulty_disk() as registered:
        yield registered


@pytest.fixture
def store(tmp_path: Path, disk: FaultyDisk) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path, disk)
    yield opened
    opened.close()


@pytest.fixture
def ledger(store: SqliteStore) -> SqliteLedger:
    opened = store.open()
    opened.take_term("first")
    opened.append(batch(*slept(1), rows=(task("t1"),), at=1))
    return opened


def after_a_crash(folder: Path, image: Path) -> dict[str, Any]:
    """What a start finds on the files as they lie there now (without the shared memory)."""
    image.mkdir()
    for name in (FILE_NAME, f"{FILE_NAME}-wal"):
        if (folder / name).exists():
            shutil.copy(folder / name, image / name)
    return found_in(image)


def found_in(folder: Path) -> dict[str, Any]:
    ledger = SqliteLedger(folder / FILE_NAME, ExitStack())
    found = contents(ledger)
    ledger.close()
    return found


@pytest.mark.parametrize("once", [True, False], ids=["once", "until-healed"])
def test_every_fault_leaves_nothing_and_the_next_append_works(ledger, disk, store, tmp_path, once):
    """Fault 5 at the store: it raises at operation k of n of a batch, for every k."""
    for k in range(1, 1_000):
        before = contents(ledger)
        disk.arm(k, once=once)
        with suppress(LedgerUnavailable):
            ledger.append(BIG)
        disk.heal()
        if not disk.failed:
            break
        assert contents(ledger) == before
        assert contents(store.open()) == before
        lengths = slept(k)
        assert ledger.append(batch(*lengths, at=k)) == before["head"] + 1
        assert ledger.read(before["head"], 9)[0].event == lengths[0]
        assert after_a_crash(tmp_path, tmp_path / f"image-{k}") == contents(ledger)
    assert k > 10, "the batch is one write only: nothing was tried"
    assert contents(ledger)["head"] == before["head"] + len(SAMPLES)


def test_a_batch_whose_sync_failed_does_not_come_back_after_a_crash(ledger, disk, tmp_path):
    """All of it was written, only the sync failed: a recovery would take it for committed."""
    before = contents(ledger)
    disk.only_syncs = True
    disk.arm(1, once=True)
    with pytest.raises(LedgerUnavailable, match="did not answer"):
        ledger.append(BIG)
    assert disk.failed == 1
    assert after_a_crash(tmp_path, tmp_path / "image") == before


def test_one_append_is_one_sync(ledger, disk):
    before = disk.log_syncs
    for n in range(1, 20):
        ledger.append(batch(*slept(*range(n)), rows=(task("t1"), task(f"t{n}"), worker("anna"))))
        assert disk.log_syncs == before + n


def test_what_was_acknowledged_survives_a_loss_of_power(ledger, disk, tmp_path):
    """Only what a sync had seen is kept; the log is emptied into the file on the way."""
    for n in range(60):
        ledger.append(batch(*slept(n), rows=(task(f"t{n}", doc=b"x" * 100_000),), at=n))
        if n % 6 == 0:
            image = tmp_path / f"image-{n}"
            image.mkdir()
            for name, synced in disk.synced.items():
                if name.startswith(FILE_NAME) and not name.endswith("-journal"):
                    (image / name).write_bytes(synced)
            assert found_in(image) == contents(ledger)
    assert len(disk.synced[FILE_NAME]) > 1_000_000


def test_a_snapshot_that_does_not_fit_leaves_the_older_ones(ledger, disk):
    ledger.save_snapshot(0, b"zero")
    for k in (1, 30):
        disk.arm(k, once=False)
        with pytest.raises(LedgerUnavailable):
            ledger.save_snapshot(1, b"x" * 1_000_000)
        disk.heal()
        assert ledger.latest_snapshot().position == 0
    ledger.save_snapshot(1, b"one")
    assert ledger.latest_snapshot().data == b"one"


def test_a_fault_while_opening_is_an_error_and_no_ruin(tmp_path, disk):
    """At operation k of n of making the file, for every k; the folder is free again each time."""
    disk.only_log = False
    for k in range(1, 1_000):
        folder = tmp_path / f"{k}"
        disk.arm(k, once=True)
        with suppress(LedgerUnavailable):
            SqliteLedger.open(folder).close()
        disk.heal()
        if not disk.failed:
            break
        ledger = SqliteLedger.open(folder)
        assert ledger.take_term("first") == 1
        assert ledger.append(batch(*slept(1))) == 1
        ledger.close()
    assert k > 5, "nothing was tried"
