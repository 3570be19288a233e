"""Goal: nothing is lost between journal and coordinator. Method: a real daemon, a played desk."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from leaseway.core.model.findings import Finding
from leaseway.core.model.outcomes import EndKind, StopReason
from leaseway.core.model.sync import AttemptRef, Stop
from leaseway.core.model.worker import LocalGrant, NoteGranted, NoteStarted
from leaseway.worker.processes import is_alive, marked, start_of
from leaseway.worker.spool import Spool
from tests.checkout import ROOT
from tests.worker.desk import Desk
from tests.worker.waiting import until


def is_gone(pid: int) -> bool:
    return not is_alive(pid)


class House:
    """A desk, and daemons of one state directory."""

    def __init__(self, folder: Path) -> None:
        self.desk = Desk()
        self.state = folder / "state"
        self.clock_file = folder / "clock.json"
        self.clock_file.write_text("{}")
        self.spool = Spool(self.state / "spool")
        self.said = folder / "said"
        self.daemons: list[subprocess.Popen[bytes]] = []

    def daemon(self, *more: str, url: str = "") -> subprocess.Popen[bytes]:
        with self.said.open("ab") as said:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "tests.worker.one_worker"),
                    *(url or self.desk.url, str(self.state), *more),
                ],
                cwd=ROOT,
                stdout=said,
                env={
                    **os.environ,
                    "LEASEWAY_CLOCK": str(self.clock_file),
                    "LEASEWAY_CREDENTIAL": "must-not-leak",
                },
            )
        self.daemons.append(process)
        return process

    def ending(self, ref: AttemptRef):
        return until(lambda: self.desk.endings.get(ref), f"the ending of {ref}")

    def started(self, ref: AttemptRef) -> NoteStarted:
        return until(lambda: self.spool.fold().entry(ref).started, f"a start of {ref}")

    def spawner_pid(self) -> int:
        """Whoever holds the door: found by its command line."""
        root = str(self.spool.root).encode()
        for name in os.listdir("/proc"):
            if name.isdigit():
                try:
                    words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
                    parent = int(Path(f"/proc/{name}/stat").read_text().rsplit(")")[1].split()[1])
                    above = Path(f"/proc/{parent}/cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if b"leaseway.worker.spawner" in words and root in words and above != words:
                    return int(name)
        return 0

    def close(self) -> None:
        for process in self.daemons:
            process.kill()
            process.wait()
        while spawner := self.spawner_pid():
            os.kill(spawner, signal.SIGKILL)
            until(partial(is_gone, spawner), "the spawner to be gone")
        for entry in self.spool.fold().entries.values():
            note = entry.started
            if note and note.keeper_start and start_of(note.keeper_pid) == note.keeper_start:
                os.kill(note.keeper_pid, signal.SIGKILL)
            for pid in marked(note.mark) if note else []:
                os.kill(pid, signal.SIGKILL)
        self.spool.close()
        self.desk.close()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.close()


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
