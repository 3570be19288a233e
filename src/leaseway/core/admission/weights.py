"""Weights that meet every stop time, where a worker can give each task a share of its own: work
left over time left (`admission.md` §2.1, mode W; after Libra, Sherwani and others 2004).

Sufficient, not necessary: with shares that add up to no more than the cpus, and none above what its
task can use, everybody always has at least its share, and so ends in time.
"""

from __future__ import annotations

from collections.abc import Sequence

from leaseway.core.admission.work import Milli, Work
from leaseway.core.model.units import Instant

PARTS = 1_000
"""A share is told in so many parts of a thousandth of a cpu."""


def shares(works: Sequence[Work], cpus: Milli, now: Instant) -> list[int] | None:
    """By index the share that each needs from now on, rounded up, in millionths of a cpu; None:
    there are not enough cpus for all of them, or one needs more than it can use."""
    found = []
    for work in works:
        time = work.due - max(now, work.release) - work.late_ms
        if not work.left:
            found.append(0)
            continue
        if time <= 0:
            return None
        share = -(-work.left * PARTS // time)
        if share > work.cap * PARTS:
            return None
        found.append(share)
    return found if sum(found) <= cpus * PARTS else None
