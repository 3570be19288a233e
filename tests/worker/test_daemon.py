"""Goal: nothing is lost between journal and coordinator. Method: a real daemon, a played desk."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest

from leaseway.core.model.findings import Finding
from leaseway.core.model.outcomes import EndKind, StopReason
from leaseway.core.model.sync import AttemptRef, Stop
from leaseway.core.model.worker import LocalGrant, NoteGranted, NoteStarted
from tests.worker.house import House
from tests.worker.waiting import until


def test_from_grant_to_settled(house: House):
    house.daemon()
    ref = house.desk.grant("plan/t", "echo out; echo err >&2; exit 3")
    report = house.ending(ref)
    assert (report.ending.kind, report.ending.exit_code) == (EndKind.EXITED, 3)
    assert (report.stdout, report.stderr) == (b"out\n", b"err\n")
    until(lambda: house.spool.fold().entry(ref).settled, "it to be settled")
    until(lambda: not house.spool.folder_of(ref).exists(), "its outputs to be deleted")
    assert len(house.desk.registered) == 1
    assert house.desk.registered[0].spool_id == house.spool.spool_id


def test_the_credential_stays_with_the_daemon(house: House):
    house.daemon()
    report = house.ending(house.desk.grant("t", "env; cat /proc/$PPID/environ | tr '\\0' '\\n'"))
    assert b"LEASEWAY_TASK=t" in report.stdout
    assert b"must-not-leak" not in report.stdout
    assert b"the-secret" not in report.stdout


def test_long_output_is_sent_while_it_is_printed(house: House):
    house.daemon()
    ref = house.desk.grant("t", "echo first; sleep 2; head -c 1000000 /dev/zero; exit 0")
    log = (ref, "stdout")
    until(lambda: bytes(house.desk.logs.get(log, b"")) == b"first\n", "the first line")
    assert ref not in house.desk.endings
    assert house.ending(ref).ending.stdout_bytes == 1_000_006
    until(lambda: log in house.desk.whole, "all of it")
    assert house.desk.logs[log] == b"first\n" + b"\0" * 1_000_000
    until(lambda: not house.spool.folder_of(ref).exists(), "its outputs to be deleted")


def test_a_stop_reaches_the_keeper(house: House):
    house.daemon()
    ref = house.desk.grant("t", "sleep 300")
    house.started(ref)
    house.desk.say(stop=(Stop(ref, StopReason.CANCEL),))
    assert house.ending(ref).ending.reason is StopReason.CANCEL


def test_daemon_killed_and_the_next_one_takes_over(house: House):
    """faults.md 26"""
    first = house.daemon()
    runs = house.desk.grant("runs", "sleep 2; exit 5")
    house.started(runs)
    first.kill()
    first.wait()
    house.daemon()
    assert house.ending(runs).ending.exit_code == 5
    assert len(house.desk.registered) == 2
    assert house.started(runs).started_boot > 0
    notes = house.spool.journal.read_from((0, 0))[0]
    assert notes.count(b'"type":"started"') == 1


def test_an_ending_is_kept_until_somebody_hears_it(house: House):
    """faults.md 10"""
    first = house.daemon()
    house.desk.settles = False
    ref = house.desk.grant("t", "echo kept; exit 0")
    house.ending(ref)
    first.kill()
    first.wait()
    house.desk.endings.clear()
    house.desk.settles = True
    house.daemon()
    assert house.ending(ref).ending.exit_code == 0
    until(lambda: bytes(house.desk.logs.get((ref, "stdout"), b"")) == b"kept\n", "its output")
    until(lambda: not house.spool.folder_of(ref).exists(), "its outputs to be deleted")


def test_spawner_killed_and_the_daemon_finds_another(house: House):
    house.daemon()
    runs = house.desk.grant("runs", "sleep 1; exit 5")
    house.started(runs)
    before = house.spawner_pid()
    os.kill(before, signal.SIGKILL)
    later = house.desk.grant("later", "exit 6")
    assert house.ending(runs).ending.exit_code == 5
    assert house.ending(later).ending.exit_code == 6
    assert house.spawner_pid() != before


def test_superseded_by_a_newer_daemon(house: House):
    """faults.md 6"""
    daemon = house.daemon()
    until(lambda: house.desk.syncs, "a sync")
    house.desk.fence = Finding("LW801", (), ("w1",), {"number": 1, "current": 2}, "incarnation")
    house.desk.say(call_by_ms=10)
    assert daemon.wait(timeout=20) == 4


def test_unknown_to_the_coordinator_it_registers_again(house: House):
    house.daemon()
    until(lambda: house.desk.syncs, "a sync")
    house.desk.fence = Finding("LW801", (), ("w1",), {"number": 1}, "worker")
    house.desk.say(call_by_ms=10)
    until(lambda: len(house.desk.registered) == 2, "it to register again")
    house.desk.fence = None
    assert house.ending(house.desk.grant("t", "exit 0")).ending.exit_code == 0


def test_a_reboot_ends_everything_that_was_granted(house: House):
    """faults.md 14"""
    ran, waited = AttemptRef("ran", 1), AttemptRef("waited", 1)
    for ref in (ran, waited):
        grant = LocalGrant(ref, "true", 60_000, 0, 10**12, 10**12)
        house.spool.journal.append(NoteGranted(grant, "an-older-boot"))
    house.spool.journal.append(NoteStarted(ran, "an-older-boot", 1, 1, 10_000, "nobody"))
    beat = {"boot_id": "an-older-boot", "boot_ms": 17_500}
    (house.spool.root / "beat").write_text(json.dumps(beat))
    house.daemon()
    ending = house.ending(ran).ending
    assert (ending.kind, ending.ran_ms) == (EndKind.RESTARTED, 7_500)
    ending = house.ending(waited).ending
    assert (ending.kind, ending.ran_ms) == (EndKind.RESTARTED, 0)
    assert house.ending(ran).started_ago_ms is None


def test_leaving_keeps_what_runs(house: House):
    daemon = house.daemon()
    ref = house.desk.grant("t", "sleep 1.5; exit 7")
    house.started(ref)
    daemon.terminate()
    assert daemon.wait(timeout=20) == 0
    ended = until(lambda: house.spool.fold().entry(ref).ended, "an ending")
    assert ended.ending.exit_code == 7


def test_leaving_stops_what_runs_if_told(house: House):
    daemon = house.daemon("--stop-running")
    ref = house.desk.grant("t", "sleep 300")
    house.started(ref)
    daemon.terminate()
    assert daemon.wait(timeout=20) == 0
    assert house.desk.endings[ref].ending.reason is StopReason.SHUTDOWN


def test_one_daemon_per_state_directory(house: House):
    house.daemon()
    until(lambda: house.desk.syncs, "a sync")
    assert house.daemon().wait(timeout=20) == 3


def test_nobody_there_is_said_once(house: House):
    daemon = house.daemon(url="http://127.0.0.1:9")
    until(lambda: b"does not answer" in house.said.read_bytes(), "it to be told")
    time_for_several_tries = 2.0
    with pytest.raises(subprocess.TimeoutExpired):
        daemon.wait(timeout=time_for_several_tries)
    assert house.said.read_text().count("http://127.0.0.1:9 does not answer") == 1
