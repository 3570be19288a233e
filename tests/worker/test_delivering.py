"""Goal: what an attempt changed reaches the coordinator before its ending, once, whoever dies
meanwhile. Method: a real daemon killed at each step, a played desk that waits or declines.
"""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from leaseway.core.model.capacity import Uses
from leaseway.core.model.outcomes import EndKind, StopReason
from leaseway.core.model.sync import Phase, Stop
from tests.worker.house import House
from tests.worker.travel import NOISE, Travel, full_disk
from tests.worker.waiting import until

RUN = "echo 1 > out; echo 2 > beside; rm a"


@pytest.fixture
def travel(house: House, tmp_path) -> Travel:
    return Travel(house, tmp_path)


def notes(travel: Travel, kind: str) -> int:
    return travel.house.spool.journal.read_from((0, 0))[0].count(f'"type":"{kind}"'.encode())


def has_both(travel: Travel, ref) -> None:
    ending = travel.ending(ref)
    assert travel.files(ending.results) == {"out": "1\n"}
    assert travel.files(ending.extra) == {"beside": "2\n"}
    assert (ending.undeclared, ending.undeclared_count) == (("a", "beside"), 2)


def runs(travel: Travel, run: str = RUN, **more):
    """Running, once it is told so."""
    ref = travel.grant("t", run, travel.tree(a="1", b="1"), **more)
    travel.house.started(ref)
    return ref


def test_while_it_is_delivered_it_is_held_as_ended_and_its_room_is_free(travel):
    travel.house.daemon()
    tree = travel.tree(a="1")
    first = travel.grant("first", "sleep 0.3; echo 1 > out", tree)
    travel.house.started(first)
    travel.shelf.open.clear()
    until(lambda: (h := travel.held(first)) and h.phase is Phase.ENDED, "it to be held as ended")
    other = travel.desk.grant("other", "exit 7", uses=Uses(slots=4))
    assert travel.ending(other).exit_code == 7
    assert first not in travel.desk.endings
    travel.desk.say(stop=(Stop(first, StopReason.CANCEL),))
    travel.shelf.open.set()
    ending = travel.ending(first)
    assert (travel.files(ending.results), ending.reason) == ({"out": "1\n"}, None)


def test_killed_while_it_runs_and_ended_before_the_next(travel):
    first = travel.house.daemon()
    ref = runs(travel, "sleep 0.5; " + RUN)
    first.kill()
    first.wait()
    until(lambda: travel.house.spool.fold().entry(ref).ended, "its ending")
    travel.house.daemon()
    has_both(travel, ref)
    travel.is_gone(ref)


def test_killed_while_collecting(travel):
    """A disk that takes no results holds it there."""
    first = travel.house.daemon()
    ref = travel.grant("t", f"sleep 1; {RUN}; cp b out", travel.tree(a="1", b=NOISE))
    travel.house.started(ref)
    until((travel.house.spool.root / "beat").exists, "the first second")
    full_disk(first, 60_000)
    travel.told("what it changed cannot be collected now")
    assert notes(travel, "collected") == 0
    first.kill()
    first.wait()
    travel.house.daemon()
    assert travel.files(travel.ending(ref).results) == {"out": NOISE}
    assert notes(travel, "collected") == notes(travel, "delivered") == 1
    travel.is_gone(ref)


def test_killed_while_uploading(travel):
    first = travel.house.daemon()
    ref = runs(travel, "sleep 0.3; " + RUN)
    travel.shelf.open.clear()
    until(lambda: travel.shelf.count("HEAD"), "it to be brought")
    assert notes(travel, "collected") == 1
    first.kill()
    first.wait()
    (travel.view(ref) / "later").write_text("no part of it")
    travel.shelf.open.set()
    travel.house.daemon()
    has_both(travel, ref)
    assert notes(travel, "collected") == notes(travel, "delivered") == 1
    assert travel.shelf.count("PUT") == 2
    travel.is_gone(ref)


def test_killed_after_all_was_delivered(travel):
    first = travel.house.daemon()
    travel.desk.settles = False
    ref = runs(travel)
    has_both(travel, ref)
    first.kill()
    first.wait()
    travel.desk.endings.clear()
    travel.desk.settles = True
    before = len(travel.shelf.asked)
    travel.house.daemon()
    has_both(travel, ref)
    assert len(travel.shelf.asked) == before, "it is noted as delivered"
    travel.is_gone(ref)


def test_told_to_leave_while_it_is_delivered(travel):
    first = travel.house.daemon()
    ref = runs(travel, "sleep 0.3; " + RUN)
    travel.shelf.open.clear()
    until(lambda: travel.shelf.count("HEAD"), "it to be brought")
    first.terminate()
    assert first.wait(timeout=15) == 0
    travel.shelf.open.set()
    travel.house.daemon()
    has_both(travel, ref)


def test_a_reboot_while_it_ran(travel):
    """What was on the disk is compared all the same; the attempt ran until the reboot."""
    first = travel.house.daemon()
    ref = runs(travel, f"{RUN}; sleep 300")
    until((travel.view(ref) / "beside").exists, "it to have written")
    until(lambda: not (travel.view(ref) / "a").exists(), "it to have removed")
    first.kill()
    first.wait()
    started = travel.house.started(ref)
    journal = travel.house.spool.root / "journal"
    os.kill(started.keeper_pid, signal.SIGKILL)
    until(lambda: travel.house.spool.fold().entry(ref).ended, "the guardian's ending")
    spawner = travel.house.spawner_pid()
    os.kill(spawner, signal.SIGKILL)
    until(lambda: travel.house.spawner_pid() == 0, "nothing to run any more")
    lines = journal.read_bytes().split(b"\n")
    kept = [line for line in lines if b'"type":"ended"' not in line]
    journal.write_bytes(b"\n".join(kept).replace(started.boot_id.encode(), b"an-older-boot"))
    travel.house.daemon()
    has_both(travel, ref)
    assert travel.ending(ref).kind is EndKind.RESTARTED


def test_the_second_guardian_s_ending_is_collected(travel):
    travel.house.daemon()
    ref = runs(travel, "echo 1 > out; echo 2 > beside; rm a; sleep 300")
    until((travel.view(ref) / "beside").exists, "it to have written")
    until(lambda: not (travel.view(ref) / "a").exists(), "it to have removed")
    os.kill(travel.house.started(ref).keeper_pid, signal.SIGKILL)
    has_both(travel, ref)
    ending = travel.ending(ref)
    assert (ending.kind, ending.partial) == (EndKind.KEEPER_DIED, ("out",))
    until(lambda: travel.desk.syncs[-1].kept == (ref,), "its view to be kept")


def test_a_coordinator_without_room_is_waited_for(travel):
    travel.house.daemon()
    travel.shelf.status["PUT"] = 507
    ref = runs(travel)
    travel.told("what it changed cannot be delivered now: 507")
    until(lambda: (h := travel.held(ref)) and h.phase is Phase.ENDED, "it to be held as ended")
    assert travel.house.said.read_text().count("cannot be delivered") == 1
    del travel.shelf.status["PUT"]
    has_both(travel, ref)


def test_declined_for_good_it_is_told_and_the_view_is_kept(travel):
    travel.house.daemon()
    travel.shelf.status["PUT"] = 413
    ref = runs(travel)
    ending = travel.ending(ref)
    assert (ending.results, ending.extra, ending.missing) == (None, None, ("out",))
    view = travel.view(ref)
    assert "does not take its results: 413: no problem document; they are kept" in ending.detail
    assert str(view) in ending.detail
    until(lambda: travel.desk.syncs[-1].kept == (ref,), "its view to be kept")
    assert (view / "out").read_text() == "1\n"


def test_kept_until_it_is_forgotten(travel):
    first = travel.house.daemon()
    ref = runs(travel, "echo half > out; exit 3")
    assert travel.ending(ref).exit_code == 3
    until(lambda: travel.desk.syncs[-1].kept == (ref,), "its view to be kept")
    first.kill()
    first.wait()
    travel.house.daemon()
    until(lambda: travel.desk.syncs[-1].incarnation == 2, "the next daemon")
    until(lambda: travel.desk.syncs[-1].kept == (ref,), "the next to know of it")
    assert (travel.view(ref) / "out").read_text() == "half\n"
    travel.desk.say(forget=(ref,))
    travel.is_gone(ref)
    until(lambda: travel.desk.syncs[-1].kept == (), "it not to be named any more")


def test_kept_until_room_is_needed(travel):
    travel.house.daemon("--no-room-for-views")
    ref = runs(travel, "echo half > out; exit 3")
    travel.told(f"the files of {ref} (it did not succeed) were removed: room was needed")
    marker = travel.view(ref).with_name(travel.view(ref).name + ".removed")
    assert str(ref) in marker.read_text()
    assert not travel.view(ref).exists()
    until(lambda: travel.desk.syncs[-1].kept == (), "it not to be named")


def test_a_command_that_removes_its_own_view(travel):
    travel.house.daemon()
    ref = runs(travel, 'rm -rf "$LEASEWAY_VIEW"; ln -s /etc "$LEASEWAY_VIEW"; exit 0')
    ending = travel.ending(ref)
    assert (ending.results, ending.extra, ending.missing) == (None, None, ("out",))
    assert "its view is gone" in ending.detail
    travel.is_gone(ref)
    assert os.path.isdir("/etc")


def test_a_missing_output_is_looked_for_in_the_view(travel):
    travel.house.daemon()
    ref = runs(travel, "exit 0", outputs=("a", "other"))
    assert travel.ending(ref).missing == ("other",)


def test_a_view_that_was_lost_while_nobody_looked(travel):
    first = travel.house.daemon()
    ref = runs(travel, "sleep 0.5; echo 1 > out")
    first.kill()
    first.wait()
    until(lambda: travel.house.spool.fold().entry(ref).ended, "its ending")
    shutil.rmtree(travel.view(ref))
    travel.house.daemon()
    ending = travel.ending(ref)
    assert (ending.results, ending.missing) == (None, ("out",))
