"""The demand test: work that must be done by a moment, against what a worker can do until then.

For tasks released now it is exact where work may be cut and moved between cpus (`admission.md`
§2.1, after Horn 1974): it fails if and only if no schedule meets all stop times. With releases to
come it only refuses: passing it proves nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from leaseway.core.admission.work import Milli, Work
from leaseway.core.model.units import Instant


class Shortage(Struct, frozen=True):
    """The proof of a no: between `since` and `by` so much must be done, and only so much can be,
    in thousandths of a cpu × ms. `task`: it alone asks too much; empty: all of them together."""

    since: Instant
    by: Instant
    demand: int
    supply: int
    task: str = ""

    @property
    def holds(self) -> bool:
        """Whether the inequality is as stated (invariant 12)."""
        return self.demand > self.supply


def shortage(works: Sequence[Work], cpus: Milli, now: Instant) -> Shortage | None:
    """Why these cannot all be done in time, whatever the order; None: nothing shows it."""
    for work in works:
        since = max(now, work.release)
        can = min(work.cap, cpus) * max(0, work.due - since)
        if work.left > can:
            return Shortage(since, work.due, work.left, can, work.name)
    released = [work for work in works if work.release <= now]
    found = _until(works, cpus, now, now)
    if found is not None or len(released) == len(works):
        return found
    for since in sorted({work.release for work in works if work.release > now}):
        found = _until(works, cpus, now, since)
        if found is not None:
            return found
    return None


def _until(works: Sequence[Work], cpus: Milli, now: Instant, since: Instant) -> Shortage | None:
    """The first moment by which more must be done from `since` on than can be: of each task what
    cannot be done before or after. Only stop times need looking at: demand grows steeper nowhere
    else."""
    most = [
        (work.left, work.cap, work.due, max(0, min(since, work.due) - max(now, work.release)))
        for work in works
    ]
    starts = [max(now, work.release) for work in works]
    for by in sorted({work.due for work in works if work.due > since}):
        demand = 0
        for (left, cap, due, before), start in zip(most, starts, strict=True):
            after = due - (by if by > start else start)
            must = left - cap * (before + after if after > 0 else before)
            if must > 0:
                demand += must
        supply = cpus * (by - since)
        if demand > supply:
            return Shortage(since, by, demand, supply)
    return None
