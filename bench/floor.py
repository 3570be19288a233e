"""The floor: what this machine does with bare processes, a true two in flight."""

from __future__ import annotations

import os
import resource
import time

from msgspec import Struct


class Floor(Struct, frozen=True):
    """Rate of `/bin/true` and the CPU that one costs."""

    per_s: float
    cpu_ms: float


def measure(tasks: int = 1000, in_flight: int = 2) -> Floor:
    """posix_spawn + wait, whichever child ends first."""
    before = _cpu_s()
    started = time.perf_counter()
    running = 0
    for _ in range(tasks):
        os.posix_spawn("/bin/true", ["/bin/true"], os.environ)
        running += 1
        if running == in_flight:
            os.waitid(os.P_ALL, 0, os.WEXITED)
            running -= 1
    while running:
        os.waitid(os.P_ALL, 0, os.WEXITED)
        running -= 1
    took = time.perf_counter() - started
    return Floor(tasks / took, (_cpu_s() - before) * 1000 / tasks)


def _cpu_s() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
