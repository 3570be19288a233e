"""A pool on this machine: one coordinator and its workers as real processes, ended by pid.

Every process of a member carries a mark in its environment, so that all of them can be found and
ended together, as when the power of a machine goes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from leaseway.client.blocking import Client
from leaseway.client.errors import LeasewayError
from leaseway.runtime import Clock

MARK = "POOL_MEMBER"  # not LEASEWAY_…: that is kept from tasks
_PAUSE_S = 0.02


class PoolBroken(Exception):
    """A process of the pool did not come up, or something awaited did not come."""


class LocalPool:
    """Coordinator and workers under one folder. Use as a context: leaving it ends them all."""

    def __init__(self, folder: Path, environment: dict[str, str] | None = None) -> None:
        self.folder = folder
        self.state = folder / "coordinator"
        self.members: dict[str, subprocess.Popen[bytes]] = {}
        # Its workers are on this machine: what is run need not travel unless that is asked for.
        self._environment = {**os.environ, "LEASEWAY_IN_PLACE": "1", **(environment or {})}
        for name in ("LEASEWAY_URL", "LEASEWAY_CREDENTIAL", "LEASEWAY_STATE"):
            self._environment.pop(name, None)
        self._clock = Clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def command(self, *words: str) -> list[str]:
        """The argv of a `leaseway` command."""
        return [sys.executable, "-m", "leaseway", *words]

    def environment(self, member: str = "") -> dict[str, str]:
        """The environment for a process of this pool."""
        mine = dict(self._environment, LEASEWAY_STATE=str(self.state))
        if member:
            mine[MARK] = f"{self.folder}/{member}"
        return mine

    def up(self, *options: str) -> None:
        """Start the coordinator and wait until it answers."""
        if not (self.state / "url").exists() or "coordinator" in self.members:
            (self.state / "url").unlink(missing_ok=True)
        self.start("coordinator", "up", "--state", str(self.state), *options)
        self.wait("the coordinator", self._answers)

    def join(self, name: str, lease: Path, *options: str) -> None:
        """Start a worker with its lease file and wait until it is registered."""
        self.start(
            name,
            "worker",
            "join",
            "--name",
            name,
            "--lease",
            str(lease),
            "--state",
            str(self.folder / name),
            "--credential",
            str(self.state / "worker.credential"),
            *options,
        )
        with self.client() as client:
            self.wait(f"worker {name}", lambda: self._joined(client, name))

    def start(self, member: str, *words: str) -> subprocess.Popen[bytes]:
        """Start a member; what it prints goes to a file beside its state."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / f"{member}.out").open("ab") as out:
            process = subprocess.Popen(
                self.command(*words),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=self.environment(member),
                start_new_session=True,
            )
        self.members[member] = process
        return process

    def client(self) -> Client:
        """A client with the owner's credential."""
        return Client.find(state=self.state)

    def wait(self, what: str, until: Callable[[], bool], within_s: float = 20) -> None:
        """Wait for a condition; PoolBroken names it when it does not come."""
        end = self._clock.boot_ms() + round(within_s * 1000)
        while not until():
            if self._clock.boot_ms() > end:
                raise PoolBroken(f"waited {within_s:g} s for {what}\n{self.printed()}")
            dead = [name for name, each in self.members.items() if each.poll() not in (None, 0)]
            if dead and what.rsplit(maxsplit=1)[-1] in dead:
                raise PoolBroken(f"{dead[0]} ended\n{self.printed()}")
            _pause()

    def printed(self) -> str:
        """The last lines that each member printed."""
        parts = []
        for path in sorted(self.folder.glob("*.out")):
            lines = path.read_text(errors="replace").splitlines()[-15:]
            parts.append(f"--- {path.stem}\n" + "\n".join(lines))
        return "\n".join(parts)

    def pids(self, member: str) -> list[int]:
        """All processes of a member: itself, and what it started, tasks included."""
        wanted = f"{MARK}={self.folder}/{member}".encode()
        return [pid for pid, marks in _environments() if wanted in marks]

    def kill(self, member: str) -> list[int]:
        """SIGKILL all processes of a member, as when its power goes. The pids that were ended."""
        ended: list[int] = []
        while pids := self.pids(member):
            for pid in pids:
                _send(pid, signal.SIGKILL)
            ended += [pid for pid in pids if pid not in ended]
            process = self.members.get(member)
            if process is not None:
                process.poll()
        process = self.members.pop(member, None)
        if process is not None:
            process.wait()
        return ended

    def close(self) -> None:
        """End everything that this pool started."""
        for process in self.members.values():
            _send(process.pid, signal.SIGTERM)
        for name, process in list(self.members.items()):
            try:
                process.wait(timeout=3)
            except subprocess.TimeoutExpired:
                _send(process.pid, signal.SIGKILL)
            self.kill(name)

    def _answers(self) -> bool:
        if not (self.state / "url").exists():
            return False
        try:
            with self.client() as client:
                client.about()
        except LeasewayError:
            return False
        return True

    def _joined(self, client: Client, name: str) -> bool:
        found = [worker for worker in client.workers().workers if worker.name == name]
        return bool(found) and found[0].heard_ago_ms is not None


def _environments() -> Iterator[tuple[int, list[bytes]]]:
    """Every process whose environment may be read, and that environment."""
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            stat = Path(entry.path, "stat").read_bytes()
            marks = Path(entry.path, "environ").read_bytes().split(b"\0")
        except OSError:
            continue  # ended meanwhile, or somebody else's
        if stat.rpartition(b")")[2].split()[0] != b"Z":
            yield int(entry.name), marks


def _send(pid: int, number: signal.Signals) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _pause() -> None:
    time.sleep(_PAUSE_S)
