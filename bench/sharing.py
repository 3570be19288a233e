"""What one admission costs on a worker whose cpus are shared, beside tasks that were promised a
stop time there; and a plan of many tasks over many workers, in either mode."""

from __future__ import annotations

import statistics
import time

from bench.scale import WHO, Pool, plan
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Mode, TermsOffer, WindowOffer
from leaseway.core.model.sync import RegisterRequest

_CPUS = 4_000


def joined(pool: Pool, name: str, mode: Mode) -> None:
    """Four cpus and many slots, a window without end."""
    offer = TermsOffer(
        (WindowOffer(),),
        capacity=Capacity(cpus_milli=_CPUS, slots=4 if mode is Mode.RESERVED else 128),
        mode=mode,
        stretch_percent=2_000,
    )
    pool.do(cmd.Register(RegisterRequest(name, name, name, name, offer)))
    pool.heard(name)


def decision_ms(beside: int, tries: int = 300) -> tuple[float, float]:
    """Median and p99 of admitting one task beside so many that share, in ms."""
    pool = Pool()
    joined(pool, "one", Mode.SHARED)
    pool.do(cmd.Submit(plan("before", beside), WHO))
    spent = []
    for at in range(tries):
        one = cmd.Submit(plan(f"one{at}", 1), WHO, dry=True)
        started = time.perf_counter()
        pool.do(one)
        spent.append((time.perf_counter() - started) * 1000)
    spent.sort()
    return statistics.median(spent), spent[int(tries * 0.99)]


def plan_ms(mode: Mode, tasks: int = 1_000, workers: int = 100) -> float:
    """A plan over many workers: the least of three, in ms."""
    spent = []
    for _ in range(3):
        pool = Pool()
        for at in range(workers):
            joined(pool, f"w{at}", mode)
        whole = cmd.Submit(plan("many", tasks), WHO, dry=True)
        started = time.perf_counter()
        pool.do(whole)
        spent.append((time.perf_counter() - started) * 1000)
    return min(spent)


def report() -> list[str]:
    """The lines for `make bench`."""
    lines = []
    for beside in (1, 8, 32, 64):
        median, p99 = decision_ms(beside)
        target = " (first target 1)" if beside == 32 else ""
        lines.append(
            f"admission beside {beside} tasks that share cpus: median {median:.2f} ms, p99"
            f" {p99:.2f} ms{target}"
        )
    for mode in Mode:
        took = plan_ms(mode)
        lines.append(f"a plan of 1,000 tasks over 100 {mode} workers: {took:.0f} ms (target 300)")
    return lines
