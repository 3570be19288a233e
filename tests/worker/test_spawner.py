"""Goal: whoever dies, each attempt ends once and nothing runs unguarded. Method: kill real ones."""

from __future__ import annotations

import os
import resource
import signal
from functools import partial

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.worker import (
    LocalGrant,
    MoveStop,
    NoteEnded,
    NoteReturned,
    NoteStarted,
    SetCapacity,
    StopAttempt,
)
from leaseway.worker.journal import START, notes_of
from leaseway.worker.locks import place_of
from leaseway.worker.messages import Accept
from leaseway.worker.processes import children_of, is_alive, start_of
from tests.worker.rig import Rig
from tests.worker.waiting import until


def set_slots(slots: int) -> SetCapacity:
    return SetCapacity(Capacity(cpus_milli=1000 * slots, slots=slots))


def has_printed(rig: Rig, grant: LocalGrant) -> bool:
    return rig.output(grant) != b""


def notes(rig: Rig, kind: type) -> list:
    data, _ = rig.spool.journal.read_from(START)
    return [note for note in notes_of(data) if isinstance(note, kind)]


def is_zombie_child_of(pid: int, parent: int) -> bool:
    """Read directly: the code under test has its own way."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rsplit(b")", 1)[1].split()
    except FileNotFoundError:
        return False
    return fields[0] == b"Z" and int(fields[1]) == parent


def test_fault_02_a_keeper_killed_in_the_middle(live: Rig):
    """faults.md 2 and 7"""
    grant = live.give("t", "setsid sleep 300 & echo $$; sleep 300")
    leader = int(until(lambda: live.output(grant), "its pid"))
    os.kill(live.noted_start(grant).keeper_pid, signal.SIGKILL)
    ending = live.ended(grant, within_s=5).ending
    assert (ending.kind, ending.exit_code, ending.signal) == (EndKind.KEEPER_DIED, None, None)
    assert leader in ending.left_pids
    assert live.processes(grant) == []
    assert live.run("next", "exit 4").exit_code == 4
    assert len(notes(live, NoteEnded)) == 2


def test_fault_02_a_keeper_killed_between_the_exit_and_the_note(live: Rig):
    """faults.md 2: the exit was seen, so it is told."""
    run = "echo $$; while [ ! -e go ]; do sleep 0.01; done; exit 7"
    grant = live.give("t", run, workdir=str(live.spool.root))
    leader = int(until(lambda: live.output(grant), "its pid"))
    keeper = live.noted_start(grant).keeper_pid
    os.kill(keeper, signal.SIGSTOP)
    (live.spool.root / "go").touch()
    until(lambda: is_zombie_child_of(leader, keeper), "the exit")
    assert notes(live, NoteEnded) == []
    os.kill(keeper, signal.SIGKILL)
    ending = live.ended(grant, within_s=5).ending
    assert (ending.kind, ending.exit_code) == (EndKind.KEEPER_DIED, 7)
    assert ending.left_pids == ()


def test_fault_02_all_keepers_killed_before_the_spawner_looks(rig: Rig):
    """faults.md 2: as when memory runs out. Nothing of them runs on, and each ending is written."""
    spawner = rig.spawner()
    rig.connect()
    grants = [rig.give(name, ("sleep", "300")) for name in "abc"]
    keepers = [rig.noted_start(grant).keeper_pid for grant in grants]
    until(lambda: len(leaders_of(rig, grants)) == 3, "three commands")
    leaders = leaders_of(rig, grants)
    os.kill(spawner.pid, signal.SIGSTOP)
    for pid in (*keepers, leaders[0]):
        os.kill(pid, signal.SIGKILL)
    until(lambda: all(is_zombie_child_of(pid, spawner.pid) for pid in keepers), "their death")
    until(lambda: not is_alive(leaders[0]), "the death of a command")
    os.kill(spawner.pid, signal.SIGCONT)
    endings = [rig.ended(grant, within_s=5).ending for grant in grants]
    assert {ending.kind for ending in endings} == {EndKind.KEEPER_DIED}
    assert [ending.signal for ending in endings] == [signal.SIGKILL, None, None]
    assert [rig.processes(grant) for grant in grants] == [[], [], []]


def test_a_keeper_that_was_halted_holds_its_bound_all_the_same(live: Rig):
    grant = live.give("t", ("sleep", "300"), reserved_ms=1_000)
    os.kill(live.noted_start(grant).keeper_pid, signal.SIGSTOP)
    assert live.ended(grant, within_s=6).ending.reason is StopReason.RESERVED
    assert live.processes(grant) == []


def leaders_of(rig: Rig, grants: list[LocalGrant]) -> list[int]:
    return [pid for grant in grants for pid in rig.processes(grant)]


def test_fault_26_without_a_daemon_nothing_starts_and_what_runs_is_stopped(live: Rig):
    """faults.md 26"""
    running = live.give("running", "sleep 300", reserved_ms=800)
    live.noted_start(running)
    waiting = live.grant("waiting", "exit 0")
    blocked = live.grant("blocked", "exit 0")
    live.say(Accept(yes=False))
    live.queue(waiting)
    live.say(Accept(yes=True))
    live.ended(waiting)
    live.say(Accept(yes=False))
    live.queue(blocked)
    live.leave()
    assert live.ended(running).ending.reason is StopReason.RESERVED
    assert [note.ref for note in notes(live, NoteStarted)] == [running.ref, waiting.ref]
    hello = live.connect()
    assert hello.queued == (blocked.ref,)
    assert live.ended(blocked).ending.exit_code == 0


def test_a_dead_daemon_accepts_nothing(live: Rig):
    live.say(set_slots(1))
    first = live.give("first", "sleep 0.5")
    second = live.give("second", "exit 0")
    live.noted_start(first)
    live.leave()
    live.ended(first)
    hello = live.connect()
    assert hello.queued == (second.ref,)
    assert live.ended(second).ending.exit_code == 0


def test_fault_26_keepers_go_on_without_spawner_and_daemon(rig: Rig):
    """faults.md 26"""
    spawner = rig.spawner()
    rig.connect()
    done = rig.give("done", "sleep 0.6; echo well; exit 3")
    over = rig.give("over", "trap '' TERM; while :; do sleep 0.05; done", reserved_ms=700)
    keepers = [rig.noted_start(grant).keeper_pid for grant in (done, over)]
    rig.leave()
    rig.kill(spawner)
    assert rig.ended(done).ending.exit_code == 3
    assert rig.output(done) == b"well\n"
    ending = rig.ended(over).ending
    assert (ending.reason, ending.signal) == (StopReason.RESERVED, signal.SIGKILL)
    assert rig.processes(over) == []
    until(lambda: not any(is_alive(pid) for pid in keepers), "the keepers to leave")
    assert list(rig.spool.keepers.iterdir()) == []


def test_a_new_spawner_adopts_and_can_stop(rig: Rig):
    first = rig.spawner()
    rig.connect()
    grants = [rig.give(name, "echo up; sleep 300") for name in ("a", "b")]
    for grant in grants:
        until(partial(has_printed, rig, grant), "it to run")
    rig.leave()
    rig.kill(first)
    rig.spawner()
    hello = rig.connect()
    assert set(hello.running) == {grant.ref for grant in grants}
    rig.say(StopAttempt(grants[0].ref, StopReason.CANCEL))
    ending = rig.ended(grants[0], within_s=5).ending
    assert (ending.reason, ending.signal) == (StopReason.CANCEL, signal.SIGTERM)
    os.kill(rig.noted_start(grants[1]).keeper_pid, signal.SIGKILL)
    assert rig.ended(grants[1], within_s=5).ending.kind is EndKind.KEEPER_DIED
    assert rig.processes(grants[1]) == []
    assert len(notes(rig, NoteStarted)) == 2


def test_a_new_spawner_ends_what_has_lost_its_keeper(rig: Rig):
    first = rig.spawner()
    rig.connect()
    grant = rig.give("t", "echo up; sleep 300")
    until(lambda: rig.output(grant) == b"up\n", "it to run")
    rig.leave()
    rig.kill(first)
    os.kill(rig.noted_start(grant).keeper_pid, signal.SIGKILL)
    assert rig.processes(grant) != []
    rig.spawner()
    rig.connect()
    assert rig.ended(grant, within_s=5).ending.kind is EndKind.KEEPER_DIED
    assert rig.processes(grant) == []


def test_one_spawner_per_spool(live: Rig):
    second = live.spawner()
    assert second.wait(timeout=10) == 3
    assert live.run("t", "exit 0").exit_code == 0


def test_who_has_no_lock_does_not_run_it(live: Rig, tmp_path):
    grant = live.grant("t", f"echo x >> {tmp_path}/ran")
    assert live.spool.locks.take(place_of(grant.ref))
    live.queue(grant)
    assert live.run("other", "exit 0").exit_code == 0
    assert live.spool.fold().entry(grant.ref).started is None
    live.spool.locks.free(place_of(grant.ref))
    assert live.ended(grant).ending.exit_code == 0
    assert (tmp_path / "ran").read_text() == "x\n"


def test_what_an_earlier_spawner_gave_away_is_not_started_again(rig: Rig, tmp_path):
    """Its keeper took the order, but had noted nothing when the new spawner read the journal."""
    grant = rig.grant("t", f"echo x >> {tmp_path}/ran")
    rig.note_granted(grant)
    rig.spawner()
    rig.connect()
    rig.spool.journal.append(
        NoteStarted(grant.ref, rig.clock.boot_id(), 1, 1, rig.clock.boot_ms()),
        NoteEnded(grant.ref, Ending(EndKind.EXITED, 0), rig.clock.boot_id(), rig.clock.boot_ms()),
    )
    rig.queue(grant)
    assert rig.run("other", "exit 0").exit_code == 0
    assert not (tmp_path / "ran").exists()
    assert len(notes(rig, NoteStarted)) == 2


def test_what_has_not_started_is_handed_back(live: Rig):
    live.say(set_slots(1))
    running = live.give("running", "sleep 300")
    late = live.grant("late", "exit 0", start_by_boot=live.clock.boot_ms() + 300)
    taken = live.grant("taken", "exit 0")
    live.queue(late, taken)
    live.noted_start(running)
    live.say(StopAttempt(taken.ref, StopReason.CANCEL))
    until(lambda: len(notes(live, NoteReturned)) == 1, "the one taken back")
    live.shift(boot_offset_ms=500)
    live.say(StopAttempt(running.ref, StopReason.CANCEL))
    until(lambda: len(notes(live, NoteReturned)) == 2, "both handed back")
    assert [note.ref for note in notes(live, NoteReturned)] == [taken.ref, late.ref]
    assert [note.ref for note in notes(live, NoteStarted)] == [running.ref]


def test_what_waits_hears_that_the_lease_shrank(live: Rig):
    live.say(set_slots(1))
    running = live.give("running", "sleep 300")
    waits = live.give("waits", "sleep 300")
    live.noted_start(running)
    live.say(MoveStop(waits.ref, live.clock.boot_ms() + 100, StopReason.WINDOW))
    live.say(StopAttempt(running.ref, StopReason.CANCEL))
    assert live.ended(waits).ending.reason is StopReason.WINDOW


def limit_file_size(pid: int, most: int) -> None:
    """From here on the process cannot make a file longer than this: as if the disk were full."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))


def test_a_start_that_cannot_be_noted_does_not_run(rig: Rig, tmp_path):
    spawner = rig.spawner()
    rig.connect()
    limit_file_size(spawner.pid, rig.spool.journal.size())
    rig.give("t", f"echo x >> {tmp_path}/ran")
    until(lambda: children_of(spawner.pid), "a keeper, which inherits the limit")
    limit_file_size(spawner.pid, resource.RLIM_INFINITY)
    until(lambda: notes(rig, NoteReturned), "it to be handed back")
    assert notes(rig, NoteStarted) == []
    assert not (tmp_path / "ran").exists()


def test_an_ending_waits_for_the_disk_and_output_makes_room(live: Rig):
    grant = live.give("t", "echo printed; sleep 0.3; exit 6")
    until(lambda: live.output(grant) == b"printed\n", "its output")
    keeper = live.noted_start(grant).keeper_pid
    limit_file_size(keeper, live.spool.journal.size())
    until(lambda: live.output(grant) == b"", "the output to make room")
    assert notes(live, NoteEnded) == []
    assert start_of(keeper) is not None
    limit_file_size(keeper, resource.RLIM_INFINITY)
    ending = live.ended(grant).ending
    assert (ending.exit_code, ending.stdout_bytes) == (6, 8)
    assert "the disk is full" in ending.detail
