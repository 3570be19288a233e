"""A played desk, and real daemons of one state directory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import NoteStarted
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
