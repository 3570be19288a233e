"""What is told of one replay."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from bench.evaluate.drain import Done

FROZEN_ON = 3, 10
"""Parameters are chosen on this part of the jobs, the first ones."""


class Measures(Struct, frozen=True):
    """Shares in percent, times in seconds. `broken` is per start; `wasted` is what killed runs
    used, of all that was used; the slowdown of a job counts at least 10 s as its time."""

    broken: float
    wasted: float
    mean_wait: float
    slowdown: float
    p99_wait: int
    longest_wait: int


def slowdown(done: Sequence[Done]) -> float:
    """Average bounded slowdown."""
    each = (max(1.0, (one.wait + one.job.run) / max(one.job.run, 10)) for one in done)
    return sum(each) / len(done)


def measure(done: Sequence[Done]) -> Measures:
    """Of these jobs."""
    starts = sum(one.starts for one in done)
    wasted = sum(one.wasted for one in done)
    used = wasted + sum(one.job.run * one.job.cores for one in done)
    waits = sorted(one.wait for one in done)
    return Measures(
        100 * sum(one.broken for one in done) / starts,
        100 * wasted / max(1, used),
        sum(waits) / len(waits),
        slowdown(done),
        waits[(99 * len(waits) - 1) // 100],
        waits[-1],
    )


def first(jobs: int) -> int:
    """So many jobs belong to the part on which parameters are chosen."""
    return jobs * FROZEN_ON[0] // FROZEN_ON[1]
