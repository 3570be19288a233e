"""Checkpoints from inside a task: over the socket, by the Python call, by the command; the keeper's
memory while it is asked; and what a flood costs others."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import msgspec
from msgspec import Struct

from bench import memory
from bench.tasks import LEASE
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.demo.pool import LocalPool
from leaseway.wire.plans import SubmitRequest

_INSIDE = """
import json, os, socket, statistics, subprocess, sys, time
from leaseway.task import checkpoint
def times(count, act):
    took = []
    for at in range(count):
        began = time.perf_counter()
        act(at)
        took.append((time.perf_counter() - began) * 1000)
    took.sort()
    return [statistics.median(took), took[int(len(took) * 0.95)]]
talk = socket.socket(socket.AF_UNIX)
talk.connect(os.environ["LEASEWAY_SOCKET"])
def line(at):
    talk.sendall(b"checkpoint %d/4000 next=1s\\n" % at)
    talk.recv(4096)
script = os.path.join(os.path.dirname(sys.executable), "leaseway")
whole = [script, "checkpoint", "--progress", "0.3"]
quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
python = [sys.executable, "-c", "pass"]
print(json.dumps({
    "socket": times(2000, line),
    "call": times(500, lambda at: checkpoint("step", progress=0.5)),
    "command": times(60, lambda at: subprocess.run(whole, **quiet)),
    "python": times(60, lambda at: subprocess.run(python, **quiet)),
}), flush=True)

time.sleep(1)
"""


class Asked(Struct, frozen=True):
    """Median and 95th percentile, in ms; `python`: an interpreter that does nothing."""

    socket: tuple[float, float]
    call: tuple[float, float]
    command: tuple[float, float]
    python: tuple[float, float]


def measure() -> tuple[Asked, float]:
    """What a task saw, and the proportional memory of its keeper in MB."""
    with (
        tempfile.TemporaryDirectory(prefix="leaseway-bench-") as folder,
        LocalPool(Path(folder)) as pool,
    ):
        lease = Path(folder) / "lease.toml"
        lease.write_text(LEASE)
        pool.up()
        pool.join("bench", lease)
        run = (sys.executable, "-P", "-c", _INSIDE)
        spec = TaskSpec("ask", run, limit_ms=120_000, reads=(), writes=())
        with pool.client() as client:
            task = client.submit(SubmitRequest(PlanSpec("ask", (spec,)))).tasks[0].id
            pool.wait("what it saw", lambda: client.log(task).data.endswith(b"\n"), 110)
            data = client.log(task).data
            children = [_parent(pid) for pid in memory.named(pool.pids("bench"), "socket.AF_UNIX")]
            keeper = memory.pss_mb([pid for pid in children if pid])
    return msgspec.json.decode(data, type=Asked), keeper


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def report() -> list[str]:
    """The lines of `make bench`."""
    asked, keeper_mb = measure()
    return [
        f"checkpoint: socket {asked.socket[0]:.2f} ms (p95 {asked.socket[1]:.2f})"
        f" · Python call {asked.call[0]:.2f} ms (p95 {asked.call[1]:.2f})"
        f" · command {asked.command[0]:.1f} ms (p95 {asked.command[1]:.1f});"
        f" an idle interpreter {asked.python[0]:.1f} ms · keeper {keeper_mb:.1f} MB",
    ]


if __name__ == "__main__":
    for _line in report():
        print(_line)
