"""How many tasks all workers together can finish, each task only where its gates let it."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapreplace

from msgspec import Struct

from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant, Millis
from leaseway.core.scan.fit import Stretch, slots_for, stretches
from leaseway.core.scan.lengths import expected_ms
from leaseway.core.scan.verdicts import Verdicts


class Bin(Struct):
    """One window of one worker, and when each of its slots is free, counted from its opening."""

    worker: int
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
    bins = _bins(plan, leases, now, verdicts)
    endless = {one.worker for one in bins if one.stretch.room_ms is None}
    count = whole = 0
    timed: list[tuple[Millis, int]] = []
    for kind, told in enumerate(verdicts.judged):
        length = expected_ms(verdicts.samples[kind])
        if length is None or all(told):
            continue
        whole += verdicts.counts[kind]
        if any(not told[worker] for worker in endless):
            count += verdicts.counts[kind]  # there is room without end
        else:
            timed.append((length, kind))
    bounded = [one for one in bins if one.stretch.room_ms is not None]
    for length, kind in sorted(timed):
        told = verdicts.judged[kind]
        allowed = [one for one in bounded if not told[one.worker]]
        count += _filled(allowed, length, verdicts.counts[kind])
    return count, whole


def _filled(bins: list[Bin], length: Millis, many: int) -> int:
    """How many tasks of one length find room."""
    for count in range(many):
        bins = [one for one in bins if one.holds(length)]
        if not bins:
            return count
        first = min(bins, key=lambda one: one.stretch.opens_ms + one.free[0])
        heapreplace(first.free, first.free[0] + length + first.stretch.gap_ms)
    return many


def _bins(
    plan: PlanSpec, leases: Mapping[str, Terms], now: Instant, verdicts: Verdicts
) -> list[Bin]:
    found = []
    for number, terms in enumerate(leases.values()):
        kinds = verdicts.kinds_on(number)
        passing = [(verdicts.samples[kind], verdicts.counts[kind]) for kind in kinds]
        slots = min(slots_for(plan, terms, passing), sum(count for _, count in passing))
        if slots > 0:
            found += [Bin(number, one, [0] * slots) for one in stretches(plan, terms, now)]
    return found
