"""Goal: an attempt ends as it really ended, by itself. Method: real commands through a spawner."""

from __future__ import annotations

import os
import signal

import pytest

from leaseway.core.model.outcomes import EndKind, StopReason
from leaseway.core.model.worker import MoveStop, StopAttempt
from leaseway.worker.messages import Heard
from leaseway.worker.processes import descendants, start_of
from tests.worker.rig import Rig
from tests.worker.waiting import until


@pytest.mark.parametrize("code", [0, 1, 7, 127, 255])
def test_exit_codes(live: Rig, code):
    ending = live.run("t", f"exit {code}")
    assert (ending.kind, ending.exit_code, ending.signal) == (EndKind.EXITED, code, None)
    assert ending.reason is None
    assert ending.left_pids == ()


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM])
def test_a_signal_is_not_an_exit_code(live: Rig, number):
    """faults.md 11"""
    ending = live.run("t", f"kill -{int(number)} $$")
    assert (ending.kind, ending.exit_code, ending.signal) == (EndKind.SIGNALED, None, number)
    assert ending.reason is None


@pytest.mark.parametrize(
    ("run", "workdir", "says"),
    [
        (("/no/such/command",), None, "/no/such/command: No such file"),
        (("no-such-command-anywhere",), None, "not found in PATH"),
        (("/etc/passwd",), None, "Permission denied"),
        (("/bin/true",), "/no/such/folder", "workdir /no/such/folder: No such file"),
        (("/bin/echo", "a\0b"), None, "null byte"),
    ],
)
def test_what_cannot_be_executed_says_why(live: Rig, run, workdir, says):
    ending = live.run("t", run, workdir=workdir)
    assert ending.kind is EndKind.SPAWN_FAILED
    assert says in ending.detail
    assert os.environ["PATH"] not in ending.detail, "nobody reads that"
    assert live.run("next", "exit 0").exit_code == 0


def test_environment_folder_and_argv(live: Rig, tmp_path):
    run = 'echo "$LEASEWAY_TASK $LEASEWAY_ATTEMPT_NUMBER $COLOUR $PWD"; env | grep -c ^LEASEWAY_'
    grant = live.give("plan/a b", run, env={"COLOUR": "blue"}, workdir=str(tmp_path))
    live.ended(grant)
    assert live.output(grant).decode() == f"plan/a b 1 blue {tmp_path}\n4\n"
    grant = live.give("argv", ("echo", "$HOME", "a b"))
    live.ended(grant)
    assert live.output(grant) == b"$HOME a b\n"


def test_no_descriptor_but_its_own_three(live: Rig):
    grant = live.give("t", ("ls", "-l", "/proc/self/fd"))
    live.ended(grant)
    lines = [line for line in live.output(grant).decode().splitlines() if "->" in line]
    numbers = [line.split(" -> ")[0].split()[-1] for line in lines]
    assert numbers == ["0", "1", "2", "3"]  # 3 is the folder that ls reads
    assert lines[0].endswith("/dev/null")
    assert lines[3].endswith("/fd")


def test_signals_are_as_a_shell_finds_them(live: Rig):
    grant = live.give("t", ("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"))
    live.ended(grant)
    kept_by_libc = 1 << 31 | 1 << 32  # 32 and 33; nobody else can set or reset them
    masks = [int(line.split()[1], 16) for line in live.output(grant).splitlines()]
    assert [mask & ~kept_by_libc for mask in masks] == [0, 0]


def test_the_start_is_noted_before_it_executes(live: Rig):
    journal = live.spool.journal.path
    grant = live.give("t", f'grep -c \'"type":"started"\' {journal}')
    live.ended(grant)
    assert live.output(grant) == b"1\n"
    note = live.noted_start(grant)
    assert note.mark == live.spool.mark_of(grant.ref)
    assert note.boot_id == live.clock.boot_id()


def test_measures(live: Rig):
    ending = live.run(
        "t", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo five; echo x >&2"
    )
    assert ending.cpu_ms > 20
    assert ending.ran_ms >= ending.cpu_ms // 2
    assert ending.held_ms >= ending.ran_ms
    assert ending.max_rss_bytes > 500_000
    assert (ending.stdout_bytes, ending.stderr_bytes) == (5, 2)


def test_declared_outputs(live: Rig, tmp_path):
    (tmp_path / "deep").mkdir()
    outputs = ("a.txt", "deep/*.csv", "gone.*")
    touch = "touch a.txt deep/x.csv"
    ending = live.run("well", touch, outputs=outputs, workdir=str(tmp_path))
    assert (ending.missing, ending.partial) == (("gone.*",), ())
    ending = live.run("bad", f"{touch}; exit 3", outputs=outputs, workdir=str(tmp_path))
    assert (ending.missing, ending.partial) == ((), ("a.txt", "deep/*.csv"))


def test_own_reserved_time(live: Rig):
    ending = live.run("t", "sleep 100", reserved_ms=300)
    assert (ending.kind, ending.signal) == (EndKind.SIGNALED, signal.SIGTERM)
    assert ending.reason is StopReason.RESERVED
    # Reserved time counts from the note that it starts, a moment before the command runs.
    assert 200 <= ending.ran_ms < 3_000
    assert ending.held_ms >= 300


def test_the_window_closes_first(live: Rig):
    latest = live.clock.boot_ms() + 400
    ending = live.run("t", "sleep 100", stop_latest_boot=latest)
    assert ending.reason is StopReason.WINDOW
    assert ending.signal == signal.SIGTERM


def test_term_ignored_then_kill(live: Rig):
    """faults.md 25"""
    grant = live.give(
        "t", "trap '' TERM; echo ready; while :; do sleep 0.05; done", reserved_ms=500
    )
    note = live.ended(grant)
    assert (note.ending.kind, note.ending.signal) == (EndKind.SIGNALED, signal.SIGKILL)
    assert note.ending.reason is StopReason.RESERVED
    assert note.ending.held_ms >= 500 + grant.guard.stop_grace_ms
    assert live.processes(grant) == []


def test_term_can_be_answered(live: Rig):
    """faults.md 35: the last lines before a stop are kept."""
    run = "trap 'echo saved; exit 5' TERM; echo ready; while :; do sleep 0.02; done"
    grant = live.give("t", run)
    until(lambda: live.output(grant) == b"ready\n", "the task to be ready")
    live.say(StopAttempt(grant.ref, StopReason.CANCEL))
    ending = live.ended(grant).ending
    assert (ending.kind, ending.exit_code) == (EndKind.EXITED, 5)
    assert ending.reason is StopReason.CANCEL
    assert live.output(grant) == b"ready\nsaved\n"


def test_a_halted_task_is_stopped_too(live: Rig):
    grant = live.give("t", "kill -STOP $$; echo never", reserved_ms=300)
    assert live.ended(grant).ending.signal == signal.SIGTERM


def test_what_left_its_session_is_found(live: Rig):
    """faults.md 24"""
    grant = live.give("t", "setsid sh -c 'echo out; exec sleep 300' & sleep 300")
    until(lambda: live.output(grant) == b"out\n", "one to be out of the session")
    live.say(StopAttempt(grant.ref, StopReason.CANCEL))
    ending = live.ended(grant, within_s=5).ending
    assert live.processes(grant) == []
    assert ending.reason is StopReason.CANCEL
    assert len(ending.left_pids) >= 1  # exactly the one, or the other sleep too


def test_what_hid_its_mark_is_found_below_the_keeper(live: Rig):
    run = "setsid env -i /bin/sleep 287 & echo $!; wait"
    grant = live.give("t", run, reserved_ms=500)
    escaped = int(until(lambda: live.output(grant), "its pid"))
    assert live.ended(grant).ending.reason is StopReason.RESERVED
    assert start_of(escaped) is None


def test_a_child_left_running_is_named(live: Rig):
    """faults.md 12"""
    grant = live.give("t", "sleep 300 & echo $!; exit 0")
    ending = live.ended(grant, within_s=5).ending
    left = int(live.output(grant))
    assert (ending.kind, ending.exit_code, ending.reason) == (EndKind.EXITED, 0, None)
    assert ending.left_pids == (left,)
    assert start_of(left) is None


def test_a_child_that_is_soon_done_is_waited_for(live: Rig):
    ending = live.run("t", "(sleep 0.1; echo late) & exit 0")
    assert (ending.exit_code, ending.left_pids, ending.stdout_bytes) == (0, (), 5)


def test_a_keeper_is_used_again_only_after_a_clean_end(live: Rig):
    def keeper_of(name: str, run: str) -> int:
        grant = live.give(name, run)
        live.ended(grant)
        return live.noted_start(grant).keeper_pid

    first = keeper_of("a", "true")
    assert keeper_of("b", "exit 9") == first
    assert keeper_of("c", "sleep 300 & exit 0") == first  # which was not clean
    assert keeper_of("d", "true") != first


def test_an_attempt_runs_once_however_often_it_is_ordered(live: Rig, tmp_path):
    run = f"echo x >> {tmp_path}/ran; sleep 0.2"
    grant = live.give("t", run)
    for _ in range(5):
        live.queue(grant)
    live.ended(grant)
    assert live.run("next", "true").exit_code == 0
    assert (tmp_path / "ran").read_text() == "x\n"


def test_stop_time_moves_both_ways(live: Rig):
    later = live.give("later", "sleep 1; echo done", reserved_ms=400)
    note = live.noted_start(later)
    live.say(MoveStop(later.ref, note.started_boot + 30_000, StopReason.RESERVED))
    assert live.ended(later).ending.exit_code == 0
    sooner = live.give("sooner", "sleep 100")
    live.noted_start(sooner)
    live.say(MoveStop(sooner.ref, live.clock.boot_ms(), StopReason.WINDOW))
    assert live.ended(sooner).ending.reason is StopReason.WINDOW


def test_slept_through_the_stop_time(live: Rig):
    grant = live.give("t", "sleep 100", reserved_ms=600_000)
    live.noted_start(grant)
    live.shift(boot_offset_ms=3_600_000)
    ending = live.ended(grant).ending
    assert ending.reason is StopReason.SLEPT
    assert ending.ran_ms < 60_000 < 3_600_000 <= ending.held_ms


def test_sleep_does_not_count_as_run_time(live: Rig):
    """faults.md 28"""
    far = live.clock.boot_ms() + 10 * 3_600_000
    grant = live.give("t", "sleep 0.5", reserved_ms=2 * 3_600_000, stop_latest_boot=far)
    live.noted_start(grant)
    live.shift(boot_offset_ms=3_600_000)
    ending = live.ended(grant).ending
    assert (ending.exit_code, ending.reason) == (0, None)
    assert ending.ran_ms < 60_000
    assert ending.held_ms >= 3_600_000


def test_cut_off_counts_from_the_last_word(live: Rig):
    ending = live.run("t", "sleep 100", cut_off_ms=400)
    assert ending.reason is StopReason.CUT_OFF
    assert 400 <= ending.ran_ms < 5_000


def test_who_is_heard_is_not_cut_off(live: Rig):
    grant = live.give("t", "sleep 2.5", cut_off_ms=1_000)

    def ended_while_heard() -> bool:
        live.say(Heard(live.clock.boot_ms()))
        return live.spool.fold().entry(grant.ref).ended is not None

    until(ended_while_heard, "its own end")
    ending = live.ended(grant).ending
    assert (ending.exit_code, ending.reason) == (0, None)


def test_nothing_of_the_keeper_hangs_below_after_an_end(live: Rig):
    grant = live.give("t", "true")
    live.ended(grant)
    keeper = live.noted_start(grant).keeper_pid
    assert until(lambda: descendants(keeper) == [], "no children")
    assert os.readlink(f"/proc/{keeper}/cwd") == "/"
