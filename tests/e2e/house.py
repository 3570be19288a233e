"""What an e2e test does with a pool: join, submit, wait for a state, look at real processes."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from leaseway.client.blocking import Client
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.demo.pool import LocalPool
from leaseway.wire.plans import SubmitReply, SubmitRequest
from leaseway.wire.tasks import TaskInfo

GUARD = '{ stop_grace = "500ms", kill = "300ms", delivery = "500ms", clock_error = "200ms" }'
GUARD_MS = 1_500


@dataclass
class House:
    """A running pool, its owner's client, and a folder for what tasks write."""

    pool: LocalPool
    client: Client
    folder: Path

    def join(self, name: str, **terms: str) -> None:
        """A worker with two slots and the small guard; `terms` are lines of its lease."""
        lines = {"guard": GUARD, "capacity": "{ cpus = 2, slots = 2 }", **terms}
        lease = self.folder / f"{name}.toml"
        text = "\n".join(f"{key} = {value}" for key, value in lines.items())
        lease.write_text(f"[worker.{name}]\n{text}\n")
        self.pool.join(name, lease)

    def submit(self, *tasks: TaskSpec, name: str = "plan", key: str = "") -> SubmitReply:
        """Hand in a plan of these tasks."""
        return self.client.submit(SubmitRequest(PlanSpec(name, tasks), key=key))

    def traced(self, name: str, then: str, limit_ms: int = 8_000) -> TaskSpec:
        """A shell task that leaves a line in its trace for every start, then does `then`."""
        trace = self.folder / f"{name}.trace"
        run = f"echo start $$ >> {trace}; {then}"
        return TaskSpec(name, run, limit_ms=limit_ms, reads=(), writes=())

    def starts(self, name: str) -> list[int]:
        """Pids of every start of this traced task."""
        trace = self.folder / f"{name}.trace"
        if not trace.exists():
            return []
        return [int(line.split()[1]) for line in trace.read_text().splitlines()]

    def wait_started(self, name: str) -> int:
        """Wait until the traced task runs; its pid."""
        self.pool.wait(f"the start of {name}", lambda: bool(self.starts(name)))
        return self.starts(name)[0]

    def wait_ended(self, task: str, within_s: float = 20) -> TaskInfo:
        """Wait for the outcome of a task."""
        found: list[TaskInfo] = []

        def ended() -> bool:
            info = self.client.task(task)
            if info.outcome is not None:
                found.append(info)
            return bool(found)

        self.pool.wait(f"the outcome of {task}", ended, within_s)
        return found[0]

    def wait(self, what: str, until: Callable[[], bool], within_s: float = 20) -> None:
        """Wait for a condition."""
        self.pool.wait(what, until, within_s)

    def pids(self, member: str, words: str = "") -> list[int]:
        """Processes of a member whose command line holds these words."""
        return [pid for pid in self.pool.pids(member) if words in command_line(pid)]

    def kill(self, pid: int) -> None:
        """SIGKILL one process that this test's pool started, and wait until it is gone."""
        os.kill(pid, signal.SIGKILL)
        self.pool.wait(f"the end of {pid}", lambda: not is_alive(pid))


def command_line(pid: int) -> str:
    """The command line of a process; empty when it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def is_alive(pid: int) -> bool:
    """Whether it runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def parent_of(pid: int) -> int:
    """The parent of a process."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
