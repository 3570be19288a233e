"""A spool with a real spawner and real keepers, and a test in the daemon's place."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard
from leaseway.core.model.outcomes import Ending
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import (
    LocalGrant,
    NoteEnded,
    NoteGranted,
    NoteStarted,
    SetCapacity,
)
from leaseway.runtime import Clock
from leaseway.worker import messages
from leaseway.worker.channel import Channel, connect_in
from leaseway.worker.processes import is_alive, marked, start_of
from leaseway.worker.spawner import DOOR
from leaseway.worker.spool import Spool
from tests.checkout import ROOT
from tests.worker.waiting import until

HOUR_MS = 3_600_000
SHORT_GUARD = Guard(stop_grace_ms=300, kill_ms=500)


class Rig:
    """Starts processes and ends exactly those (and what carries a mark of this spool)."""

    def __init__(self, root: Path, clock_file: Path, cap_bytes: int = 10_000_000) -> None:
        clock_file.write_text("{}")
        self.clock_file = clock_file
        self.clock = Clock(clock_file)
        self.spool = Spool(root)
        self.cap_bytes = cap_bytes
        self.started: list[subprocess.Popen[bytes]] = []
        self.channel: Channel | None = None
        self.heard: list[Any] = []

    def spawner(self, **environment: str) -> subprocess.Popen[bytes]:
        """Start one; it is not connected yet."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.worker.fifo", str(self.spool.root), str(self.cap_bytes)],
            cwd=ROOT,
            env={**os.environ, "LEASEWAY_CLOCK": str(self.clock_file), **environment},
            start_new_session=True,
        )
        self.started.append(process)
        return process

    def connect(self, slots: int = 4) -> messages.Hello:
        """Be its daemon. New attempts may start."""
        self.channel = Channel(until(self._knock, "the spawner's door"))
        hello = until(self._hello, "a hello")
        self.say(SetCapacity(Capacity(cpus_milli=1000 * slots, slots=slots)))
        self.say(messages.Accept(yes=True))
        return hello

    def leave(self) -> None:
        """As if the daemon were dead."""
        assert self.channel is not None
        self.channel.close()
        self.channel = None

    def say(self, message: messages.ToSpawner) -> None:
        assert self.channel is not None
        self.channel.send(messages.encode(message))

    def listen(self) -> list[Any]:
        assert self.channel is not None
        self.heard += [messages.to_daemon(line) for line in self.channel.receive()]
        return self.heard

    def grant(self, name: str, run: str | tuple[str, ...], **more: Any) -> LocalGrant:
        now = self.clock.boot_ms()
        fields: dict[str, Any] = {
            "reserved_ms": 60_000,
            "not_before_boot": 0,
            "start_by_boot": now + HOUR_MS,
            "stop_latest_boot": now + HOUR_MS,
            "guard": SHORT_GUARD,
            "order": len(self.spool.fold().entries),
        }
        return LocalGrant(ref=AttemptRef(name, 1), run=run, **{**fields, **more})

    def note_granted(self, *grants: LocalGrant) -> None:
        boot_id = self.clock.boot_id()
        self.spool.journal.append(*(NoteGranted(grant, boot_id) for grant in grants))

    def queue(self, *grants: LocalGrant) -> None:
        self.note_granted(*grants)
        self.say(messages.Queue(grants))

    def give(self, name: str, run: str | tuple[str, ...], **more: Any) -> LocalGrant:
        grant = self.grant(name, run, **more)
        self.queue(grant)
        return grant

    def run(self, name: str, run: str | tuple[str, ...], **more: Any) -> Ending:
        """One task from grant to ending."""
        return self.ended(self.give(name, run, **more)).ending

    def ended(self, grant: LocalGrant, within_s: float = 20) -> NoteEnded:
        look = lambda: self.spool.fold().entry(grant.ref).ended  # noqa: E731
        return until(look, f"an ending of {grant.ref}", within_s)

    def noted_start(self, grant: LocalGrant) -> NoteStarted:
        look = lambda: self.spool.fold().entry(grant.ref).started  # noqa: E731
        return until(look, f"a start of {grant.ref}")

    def processes(self, grant: LocalGrant) -> list[int]:
        """What an observer sees of it on this machine."""
        return [pid for pid in marked(self.spool.mark_of(grant.ref)) if is_alive(pid)]

    def output(self, grant: LocalGrant, stream: str = "stdout") -> bytes:
        path = self.spool.folder_of(grant.ref) / stream
        return path.read_bytes() if path.exists() else b""

    def shift(self, **offsets: int | str) -> None:
        """Move the clocks of every process of this rig."""
        fresh = self.clock_file.with_suffix(".new")
        fresh.write_text(json.dumps(offsets))
        fresh.replace(self.clock_file)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()

    def close(self) -> None:
        """End what this rig started, by pid and start time."""
        for process in self.started:
            self.kill(process)
        for entry in self.spool.fold().entries.values():
            note = entry.started
            if note and note.keeper_start and start_of(note.keeper_pid) == note.keeper_start:
                os.kill(note.keeper_pid, signal.SIGKILL)
            for pid in marked(note.mark) if note else []:
                os.kill(pid, signal.SIGKILL)
        if self.channel is not None:
            self.channel.close()
        self.spool.close()

    def _knock(self) -> Any:
        try:
            return connect_in(self.spool.root, DOOR)
        except OSError:
            return None

    def _hello(self) -> messages.Hello | None:
        found = [m for m in self.listen() if isinstance(m, messages.Hello)]
        self.heard = [m for m in self.heard if not isinstance(m, messages.Hello)]
        return found[-1] if found else None
