"""Goal: a disk without room gives up first what can be fetched again, then what is kept. Method:
the real parts on a temporary folder, with a disk whose free room the test reckons."""

from __future__ import annotations

import asyncio

import pytest

from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.sync import AttemptRef
from leaseway.runtime import Clock
from leaseway.worker.link import Link
from leaseway.worker.options import WorkerOptions
from leaseway.worker.spool import Spool
from leaseway.worker.trees import Trees
from leaseway.worker.views import Kept
from tests.workspace.test_cache import archive

REF = AttemptRef("p-1/a", 1)


@pytest.fixture
def disk(tmp_path, monkeypatch):
    """Trees on a disk that is full of one cached archive and one kept view of 1,000 bytes."""
    told: list[str] = []
    options = WorkerOptions(
        "box", "http://nobody", "", tmp_path, TermsOffer(), free_bytes=0, tell=told.append
    )

    async def made():
        return Trees(options, Spool(tmp_path / "spool"), Clock(), Link("http://127.0.0.1:1", ""))

    trees = asyncio.run(made())
    path, digest = archive(tmp_path, "a")
    trees._cache.put(digest, path)
    trees._kept = {REF: Kept(REF, 1_000, "it failed")}
    full = trees._cache.held_bytes() + 1_000

    def free_bytes():
        return full - trees._cache.held_bytes() - 1_000 * len(trees._kept)

    monkeypatch.setattr(trees._views, "free_bytes", free_bytes)
    monkeypatch.setattr(trees._views, "drop", lambda _ref: None)
    return trees, told


def test_what_can_be_fetched_again_goes_first(disk):
    trees, told = disk
    assert asyncio.run(trees.make_room(10))
    assert trees._cache.held_bytes() == 0
    assert REF in trees._kept
    assert told == []


def test_then_what_is_kept_and_that_is_told(disk):
    trees, told = disk
    assert asyncio.run(trees.make_room(1_050))
    assert trees._cache.held_bytes() == 0
    assert trees._kept == {}
    assert told == [f"the files of {REF} (it failed) were removed: room was needed"]


def test_with_room_nothing_goes(disk):
    trees, _ = disk
    assert not asyncio.run(trees.make_room(0))
    assert trees._cache.held_bytes() > 0
    assert REF in trees._kept
