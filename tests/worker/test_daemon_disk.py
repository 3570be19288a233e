"""Goal: a disk that takes nothing ends nothing and is told. Method: real daemons, a played desk."""

from __future__ import annotations

import resource
import shutil
from functools import partial
from pathlib import Path

from leaseway.core.model.outcomes import StopReason
from leaseway.worker.processes import marked, start_of
from tests.worker.house import House
from tests.worker.waiting import until


def test_a_disk_that_is_full_for_a_while_ends_nothing(house: House):
    """Nothing more goes into its journal, and no beat is written; its keepers have room."""
    daemon = house.daemon()
    ref = house.desk.grant("t", "sleep 300", reserved_ms=4_000)
    house.started(ref)
    (house.spool.root / "beat.new").mkdir()
    limit = (house.spool.journal.size(), resource.RLIM_INFINITY)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, limit)
    until(lambda: b"the spool cannot be written" in house.said.read_bytes(), "it to be told")
    assert house.ending(ref).ending.reason is StopReason.RESERVED
    assert daemon.poll() is None
    assert house.said.read_text().count("cannot be written") == 1
    endless = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, endless)
    (house.spool.root / "beat.new").rmdir()
    until(lambda: b"can be written again" in house.said.read_bytes(), "it to be told")
    until(lambda: house.spool.fold().entry(ref).settled, "it to be settled")


def test_what_cannot_be_spooled_is_handed_back_in_no_hurry(house: House):
    """The desk grants anew the moment something is back; a full disk must not make them race."""
    daemon = house.daemon()
    until((house.spool.root / "beat").exists, "the first second")
    tight = (house.spool.journal.size() + 1_000, resource.RLIM_INFINITY)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, tight)
    for name in "abc":
        ref, before = house.desk.grant(name, "exit 0 #" + "x" * 2_000), len(house.desk.syncs)
        until(partial(house.desk.is_back, ref), "it to be handed back")
        held = [s for s in house.desk.syncs[before:] if any(h.ref == ref for h in s.held)]
        assert held, "it was not kept for a moment"
    assert house.spool.fold().entries == {}
    assert b"the spool cannot be written" in house.said.read_bytes()


def test_a_state_folder_that_cannot_be_made_is_said(house: House):
    house.state = house.said / "below-a-file"
    assert house.daemon().wait(timeout=20) == 1
    assert house.said.read_text() == f"{house.state}: Not a directory\n"


def removed(folder: Path) -> None:
    """Remove a folder in which somebody still writes."""
    gone = folder.with_name("gone")
    folder.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def test_a_spool_that_was_removed_is_not_used_on(house: House):
    """Nothing could be kept there, and nobody would find it: the daemon leaves, and so do all."""
    daemon = house.daemon()
    ref = house.desk.grant("t", "exec sleep 300", reserved_ms=2_000)
    started = house.started(ref)
    removed(house.spool.root)
    assert daemon.wait(timeout=20) == 1
    assert f"the spool {house.spool.root} was removed" in house.said.read_text()
    until(lambda: not marked(started.mark), "the task to be ended at its stop time")
    until(lambda: start_of(started.keeper_pid) != started.keeper_start, "its keeper to leave")
    house.spool.root.mkdir()  # for who clears up
