"""A scan of a large plan: CPU and memory, and how often the same graph could be sorted by
`graphlib.TopologicalSorter` in that time, measured in the same run."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from graphlib import TopologicalSorter

from leaseway.client.scanned import scanned
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Terms, Window
from leaseway.core.model.plan import PlanSpec, TaskSpec

RESOURCES = 2_000
_STEPS = (1, 7, 61)  # how far back the needs of a task lie, beside its own random-looking part


def large(tasks: int) -> PlanSpec:
    """Three needs for each task but the first, one place read, every fifth task writes one."""
    return PlanSpec("large", tuple(_task(at) for at in range(tasks)))


def _task(at: int) -> TaskSpec:
    back = {at - step - at * 7919 % 53 for step in _STEPS}
    return TaskSpec(
        f"t{at}",
        ("/bin/true",),
        needs=tuple(f"t{before}" for before in sorted(back) if before >= 0),
        reads=(f"data/r{at % RESOURCES}",),
        writes=(f"data/r{at * 13 % RESOURCES}",) if at % 5 == 0 else (),
        limit_ms=1_000 + at % 50 * 100,
    )


def pool(workers: int = 8) -> dict[str, Terms]:
    """Workers of four slots without an end."""
    capacity = Capacity(cpus_milli=4_000, slots=4)
    return {f"w{at}": Terms((Window(0),), capacity=capacity) for at in range(workers)}


def measured(tasks: int, tries: int = 3) -> tuple[float, float, int]:
    """Median seconds of CPU of a scan, of a topological sort, and edges declared."""
    plan, leases = large(tasks), pool()
    scans, sorts = [], []
    for _ in range(tries):
        started = time.process_time()
        scanned(plan, leases, 1_000_000)
        scans.append(time.process_time() - started)
        started = time.process_time()
        list(TopologicalSorter({task.name: task.needs for task in plan.tasks}).static_order())
        sorts.append(time.process_time() - started)
    edges = sum(len(task.needs) for task in plan.tasks)
    return statistics.median(scans), statistics.median(sorts), edges


def peak_mb() -> float:
    """The most memory that this process ever had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def report() -> list[str]:
    """The lines for `make bench`; each size in a process of its own, for its memory."""
    found = []
    for tasks, target in ((10_000, "0.15 s"), (100_000, "2.5 s, 200 MB")):
        asked = [sys.executable, "-m", "bench.scan", str(tasks)]
        said = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
        took, sort, edges, memory = (float(each) for each in said)
        found.append(
            f"scan of {tasks} tasks, {edges:.0f} needs, {RESOURCES} places on 8 workers:"
            f" {took:.2f} s of CPU = {took / sort:.1f} topological sorts, peak {memory:.0f} MB"
            f" (first target {target})"
        )
    return found


if __name__ == "__main__":
    print(*measured(int(sys.argv[1])), peak_mb())
