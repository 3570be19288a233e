"""Goal: an attempt starts in a whole view of its own, or is told why not and leaves nothing.
Method: a real daemon, a played desk whose archives break, lack and wait as told.
"""

from __future__ import annotations

import os
import signal

import pytest

from leaseway.core.model.capacity import Uses
from leaseway.core.model.outcomes import EndKind, StopReason
from leaseway.core.model.sync import Phase, Stop
from tests.worker.house import House
from tests.worker.travel import NOISE, Travel, full_disk
from tests.worker.waiting import until


@pytest.fixture
def travel(house: House, tmp_path) -> Travel:
    return Travel(house, tmp_path)


def test_two_attempts_of_one_tree_see_their_own(travel):
    travel.house.daemon()
    tree = travel.tree(a="tree\n")
    run = "cat a; echo {0} >> a; echo {0} > out; ls; pwd; echo $LEASEWAY_VIEW"
    one = travel.grant("one", run.format("one"), tree)
    travel.ending(one)
    refs = [one, travel.grant("two", run.format("two"), tree)]
    for ref in refs:
        ending = travel.ending(ref)
        assert (ending.kind, ending.exit_code, ending.missing) == (EndKind.EXITED, 0, ())
        view = str(travel.view(ref))
        said = travel.house.ending(ref).stdout.decode()
        assert said == f"tree\na\nout\n{view}\n{view}\n"
        assert travel.files(ending.results) == {"out": f"{ref.task}\n"}
        assert travel.files(ending.extra) == {"a": f"tree\n{ref.task}\n"}
        assert ending.undeclared == ("a",)
        assert ending.received_ms > 0
    assert travel.shelf.count("GET") == 1, "the second took it from the cache"
    for ref in refs:
        travel.is_gone(ref)


@pytest.mark.parametrize("workdir", ["..", "/tmp", "sub/../.."])
def test_a_workdir_outside_of_the_view_is_refused(travel, workdir):
    travel.house.daemon()
    ref = travel.grant("t", "touch out", travel.tree(**{"sub/a": "1"}), workdir=workdir)
    ending = travel.ending(ref)
    assert ending.kind is EndKind.SPAWN_FAILED
    assert ending.detail == f"workdir {workdir}: it leads out of the tree that the plan brought"


def test_a_workdir_in_the_view(travel):
    travel.house.daemon()
    ref = travel.grant("t", "cat a; echo 2 > out", travel.tree(**{"sub/a": "1\n"}), workdir="sub")
    assert travel.files(travel.ending(ref).results) == {"sub/out": "2\n"}
    assert travel.house.ending(ref).stdout == b"1\n"


def test_receiving_is_told_and_holds_its_place(travel):
    travel.house.daemon()
    travel.shelf.open.clear()
    ref = travel.grant("t", "echo 1 > out", travel.tree(a="1"))
    until(lambda: (held := travel.held(ref)) and held.receiving, "it to be held as receiving")
    assert travel.held(ref).phase is Phase.GRANTED
    travel.shelf.open.set()
    assert travel.files(travel.ending(ref).results) == {"out": "1\n"}


def test_a_link_that_breaks_is_gone_on_with(travel):
    travel.house.daemon()
    tree = travel.tree(a=NOISE)
    travel.shelf.cut = [30_000, 20_000]
    ref = travel.grant("t", "wc -c < a; echo 1 > out", tree)
    assert travel.ending(ref).exit_code == 0
    assert travel.house.ending(ref).stdout == b"320000\n"
    firsts = [first for method, _, first in travel.shelf.asked if method == "GET"]
    assert firsts == [0, 30_000, 50_000]


def test_an_archive_that_is_gone_ends_it(travel):
    travel.house.daemon()
    tree = travel.tree(a="1")
    travel.shelf.kept.clear()
    ref = travel.grant("t", "echo 1 > out", tree)
    ending = travel.ending(ref)
    assert ending.kind is EndKind.SPAWN_FAILED
    assert ending.detail.startswith(f"the coordinator no longer has {tree.digest}")
    travel.is_gone(ref)


def test_an_archive_that_is_another_ends_it(travel):
    travel.house.daemon()
    tree, other = travel.tree(a="1"), travel.tree(b="2")
    travel.shelf.kept[tree.digest] = travel.shelf.kept[other.digest]
    ref = travel.grant("t", "echo 1 > out", tree)
    ending = travel.ending(ref)
    assert ending.kind is EndKind.SPAWN_FAILED
    assert other.digest in ending.detail
    assert travel.shelf.count("GET") == 3
    travel.is_gone(ref)


def test_an_archive_that_this_disk_spoiled_is_fetched_again(travel):
    travel.house.daemon()
    tree = travel.tree(a="1")
    travel.ending(travel.grant("one", "echo 1 > out", tree))
    (kept,) = (travel.house.state / "cache").glob("*.tar.gz")
    kept.write_bytes(kept.read_bytes()[:-9])
    assert travel.files(travel.ending(travel.grant("two", "cp a out", tree)).results) == {
        "out": "1"
    }
    assert travel.shelf.count("GET") == 2


def test_many_of_one_tree_fetch_it_once(travel):
    travel.house.daemon()
    tree = travel.tree(a="1")
    travel.shelf.open.clear()
    refs = []
    for number in range(8):
        refs.append(travel.grant(f"t{number}", f"echo {number} > out", tree))
        until(lambda: travel.house.spool.fold().entry(refs[-1]).granted, "it to be held")
    travel.shelf.open.set()
    for number, ref in enumerate(refs):
        assert travel.files(travel.ending(ref).results) == {"out": f"{number}\n"}
    assert travel.shelf.count("GET") == 1


def test_what_this_worker_may_not_have_is_handed_back(travel):
    travel.house.daemon()
    travel.shelf.status["GET"] = 403
    ref = travel.grant("t", "echo 1 > out", travel.tree(a="1"))
    travel.is_back(ref)
    travel.told("it is handed back")
    travel.is_gone(ref)


def test_past_its_start_by_it_is_handed_back(travel):
    travel.house.daemon()
    travel.shelf.open.clear()
    ref = travel.grant("t", "echo 1 > out", travel.tree(a="1"), start_by_in_ms=400)
    travel.is_back(ref)
    travel.shelf.open.set()
    travel.is_gone(ref)
    assert travel.house.spool.fold().entry(ref).started is None


def test_stopped_while_it_receives(travel):
    travel.house.daemon()
    travel.shelf.open.clear()
    ref = travel.grant("t", "echo 1 > out", travel.tree(a="1"))
    until(lambda: travel.shelf.asked, "it to be fetched")
    travel.desk.say(stop=(Stop(ref, StopReason.CANCEL),))
    travel.is_back(ref)
    travel.shelf.open.set()
    travel.is_gone(ref)


def test_a_full_disk_hands_back_and_leaves_nothing(travel):
    daemon = travel.house.daemon()
    until((travel.house.spool.root / "beat").exists, "the first second")
    full_disk(daemon, 60_000)
    tree = travel.tree(a=NOISE)
    ref = travel.grant("t", "echo 1 > out", tree)
    travel.is_back(ref)
    travel.told("cannot be received now: File too large; it is handed back")
    travel.is_gone(ref)
    full_disk(daemon, -1)
    again = travel.grant("again", "echo 1 > out", tree)
    assert travel.ending(again).exit_code == 0


def test_a_disk_that_fills_while_the_view_is_made_leaves_nothing(travel):
    """The archive fits where its largest file does not."""
    daemon = travel.house.daemon()
    until((travel.house.spool.root / "beat").exists, "the first second")
    tree = travel.tree(a="x" * 400_000, b="1")
    assert tree.bytes < 60_000
    full_disk(daemon, 60_000)
    ref = travel.grant("t", "echo 1 > out", tree)
    travel.is_back(ref)
    travel.is_gone(ref)


def test_killed_while_receiving(travel):
    first = travel.house.daemon()
    travel.shelf.open.clear()
    ref = travel.grant("t", "echo 1 > out", travel.tree(a="1"))
    until(lambda: travel.shelf.asked, "it to be fetched")
    first.kill()
    first.wait()
    travel.shelf.open.set()
    travel.house.daemon()
    assert travel.files(travel.ending(ref).results) == {"out": "1\n"}
    notes = travel.house.spool.journal.read_from((0, 0))[0]
    assert notes.count(b'"type":"started"') == 1


def waits_received(travel, go):
    """Its view is made, and it waits for room until `go` is there."""
    other = travel.desk.grant(
        "other", f"until test -e {go}; do sleep 0.05; done", uses=Uses(slots=4)
    )
    travel.house.started(other)
    ref = travel.grant("t", "echo 1 > out", travel.tree(a="1"), uses=Uses(slots=1), order=1)
    until(lambda: travel.house.spool.fold().entry(ref).received, "its view to be made")
    return ref


def test_received_stays_received_for_the_next_spawner(travel, tmp_path):
    travel.house.daemon()
    ref = waits_received(travel, tmp_path / "go")
    before = travel.house.spawner_pid()
    os.kill(before, signal.SIGKILL)
    until(lambda: travel.house.spawner_pid() not in (0, before), "another spawner")
    (tmp_path / "go").touch()
    assert travel.files(travel.ending(ref).results) == {"out": "1\n"}
    assert travel.shelf.count("GET") == 1


def test_received_stays_received_for_the_next_daemon(travel, tmp_path):
    first = travel.house.daemon()
    ref = waits_received(travel, tmp_path / "go")
    inode = travel.view(ref).stat().st_ino
    first.kill()
    first.wait()
    travel.house.daemon()
    until(
        lambda: len(travel.desk.registered) == 2 and (h := travel.held(ref)) and not h.receiving,
        "the next daemon to hold it as received",
    )
    assert travel.view(ref).stat().st_ino == inode, "made once"
    (tmp_path / "go").touch()
    assert travel.files(travel.ending(ref).results) == {"out": "1\n"}


def test_stopped_after_it_has_received(travel, tmp_path):
    travel.house.daemon()
    ref = waits_received(travel, tmp_path / "go")
    travel.desk.say(stop=(Stop(ref, StopReason.CANCEL),))
    travel.is_back(ref)
    travel.is_gone(ref)


def test_who_stands_behind_does_not_take_the_room_of_who_receives(travel):
    travel.house.daemon()
    travel.shelf.open.clear()
    ref = travel.grant("t", "echo 1 > out", travel.tree(a="1"), uses=Uses(slots=3), order=1)
    until(lambda: travel.shelf.asked, "it to be fetched")
    large = travel.desk.grant("large", "exit 0", uses=Uses(slots=2), order=2)
    until(lambda: travel.house.spool.fold().entry(large).granted, "the first to be held")
    small = travel.desk.grant("small", "exit 0", uses=Uses(slots=1), order=3)
    until(lambda: travel.house.spool.fold().entry(small).granted, "both to be held")
    travel.shelf.open.set()
    travel.ending(ref)
    for each in (large, small):
        assert travel.ending(each).exit_code == 0
    entries = travel.house.spool.fold().entries
    assert entries[ref].started.started_boot <= entries[large].started.started_boot
