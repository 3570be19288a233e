"""Command tasks through the whole house, everything durable: rate, latency, memory."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

from msgspec import Struct

from bench import floor, memory
from leaseway.client.blocking import Client
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.demo.pool import LocalPool
from leaseway.wire.plans import SubmitRequest

LEASE = """
[worker.bench]
capacity = { cpus = 2, slots = 2 }
guard = { stop_grace = "500ms", kill = "200ms", delivery = "500ms", clock_error = "100ms" }
"""


class Measured(Struct, frozen=True):
    """What one run of the house showed."""

    tasks: int
    per_s: float
    cpu_ms: float
    latency_ms: float
    latency_p90_ms: float
    idle_mb: float
    busy_mb: float
    keeper_mb: float
    failed: int


def measure(tasks: int = 2000, single: int = 60) -> Measured:
    """One coordinator, one worker with two slots."""
    with (
        tempfile.TemporaryDirectory(prefix="leaseway-bench-") as folder,
        LocalPool(Path(folder)) as pool,
    ):
        lease = Path(folder) / "lease.toml"
        lease.write_text(LEASE)
        pool.up()
        pool.join("bench", lease)
        with pool.client() as client:
            latencies = sorted(_single(client) for _ in range(single))
            members = [*pool.pids("coordinator"), *pool.pids("bench")]
            idle = memory.pss_mb(members)
            cpu = memory.cpu_ms(members)
            took, busy, keepers, failed = _many(pool, client, tasks)
            members = [*pool.pids("coordinator"), *pool.pids("bench")]
            cpu = memory.cpu_ms(members) - cpu
    return Measured(
        tasks=tasks,
        per_s=tasks / took,
        cpu_ms=cpu / tasks,
        latency_ms=statistics.median(latencies),
        latency_p90_ms=latencies[int(len(latencies) * 0.9)],
        idle_mb=idle,
        busy_mb=busy,
        keeper_mb=keepers,
        failed=failed,
    )


def _single(client: Client) -> float:
    """Submit → outcome of one `true`, in ms."""
    started = time.perf_counter()
    reply = client.submit(SubmitRequest(_plan("one", 1)))
    task = client.task(reply.tasks[0].id, wait_ms=20_000)
    assert task.outcome is not None
    return (time.perf_counter() - started) * 1000


def _many(pool: LocalPool, client: Client, tasks: int) -> tuple[float, float, float, int]:
    """All tasks of one plan: seconds, memory while busy, memory of one keeper, tasks failed."""
    started = time.perf_counter()
    plan = client.submit(SubmitRequest(_plan("many", tasks))).plan
    busy = keepers = 0.0
    while True:
        info = client.plan(plan)
        if not info.open_tasks:
            break
        if info.open_tasks < tasks // 2 and not busy:
            pids = [*pool.pids("coordinator"), *pool.pids("bench")]
            busy = memory.pss_mb(pids)
            # forked from the spawner: same command line, so the spawner is among them
            mine = memory.named(pids, "leaseway.worker.spawner")
            keepers = memory.pss_mb(mine) / max(1, len(mine))
        time.sleep(0.05)
    took = time.perf_counter() - started
    return took, busy, keepers, tasks - info.counts.get("succeeded", 0)


def _plan(name: str, tasks: int) -> PlanSpec:
    return PlanSpec(
        name,
        tuple(
            TaskSpec(f"t{number}", ("/bin/true",), limit_ms=5_000, reads=(), writes=())
            for number in range(tasks)
        ),
    )


def report(tasks: int = 2000) -> list[str]:
    """The lines for `make bench`."""
    before = floor.measure()
    seen = measure(tasks)
    after = floor.measure()
    base = (before.per_s + after.per_s) / 2
    base_cpu = (before.cpu_ms + after.cpu_ms) / 2
    return [
        f"floor: {base:.0f} processes/s with two in flight, {base_cpu:.2f} ms CPU each",
        f"{tasks} command tasks, all durable: {seen.per_s:.0f}/s = {seen.per_s / base:.2f} of the"
        f" floor (first target 0.35); {seen.failed} failed",
        f"CPU per task: {seen.cpu_ms:.2f} ms = {seen.cpu_ms / base_cpu:.1f} of the floor's"
        " (first target 4)",
        f"submit → outcome of one `true`: median {seen.latency_ms:.1f} ms, p90"
        f" {seen.latency_p90_ms:.1f} ms (first target 15)",
        f"memory: idle {seen.idle_mb:.0f} MB, busy {seen.busy_mb:.0f} MB (first target 150);"
        f" spawner and keepers {seen.keeper_mb:.1f} MB each (first target 10)",
    ]
