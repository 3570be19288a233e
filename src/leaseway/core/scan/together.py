"""How many tasks all workers together can finish, each task only where its gates let it."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapreplace

from msgspec import Struct

from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant, Millis
from leaseway.core.scan.fit import Stretch, expected_ms, slots_for, stretches
from leaseway.core.scan.verdicts import Verdicts


class Bin(Struct):
    """One window of one worker, and when each of its slots is free, counted from its opening."""

    worker: str
    stretch: Stretch
    free: list[Millis]

    def holds(self, length: Millis) -> bool:
        """Whether a task of this length still ends in time."""
        room = self.stretch.room_ms
        return room is None or self.free[0] + length <= room


def together(
    plan: PlanSpec, leases: Mapping[str, Terms], now: Instant, verdicts: Verdicts
) -> tuple[int, int]:
    """How many of how many: tasks whose time is known and that pass somewhere, shortest first, each
    where it can start first. Order and tokens are left out, so it is what is possible at best."""
    timed = sorted(
        (length, at)
        for at, task in enumerate(plan.tasks)
        if (length := expected_ms(task)) is not None and verdicts.anywhere(task.name)
    )
    bins = _bins(plan, leases, now, verdicts)
    count = 0
    for length, at in timed:
        bins = [one for one in bins if one.holds(length)]
        name = plan.tasks[at].name
        open_bins = [one for one in bins if verdicts.passes(name, one.worker)]
        if open_bins:
            first = min(open_bins, key=lambda one: one.stretch.opens_ms + one.free[0])
            heapreplace(first.free, first.free[0] + length + first.stretch.gap_ms)
            count += 1
    return count, len(timed)


def _bins(
    plan: PlanSpec, leases: Mapping[str, Terms], now: Instant, verdicts: Verdicts
) -> list[Bin]:
    found = []
    for worker, terms in leases.items():
        passing = [task for task in plan.tasks if verdicts.passes(task.name, worker)]
        slots = min(slots_for(plan, terms, passing), len(passing))
        if slots > 0:
            windows = stretches(plan, terms, now)
            found += [Bin(worker, stretch, [0] * slots) for stretch in windows]
    return found
