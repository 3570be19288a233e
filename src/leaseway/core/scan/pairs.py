"""Pairs of tasks: how many there are, may overlap, and really conflict (`admission.md` section 5).

Sets of tasks are whole numbers, a bit for each place in an order in which predecessors come first;
so all before a task are lower bits, and a pair is counted at the later of its two. Beyond `EXACT`
tasks such sets would fill the memory, and bounds are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, structs

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.contested import Contested, contested
from leaseway.core.scan.graph import EXACT, Sources, closure, places_in
from leaseway.core.scan.order import Order
from leaseway.core.scan.pair_bounds import Bounded, conflicts_most, ordered_bounds
from leaseway.core.scan.touched import Touched, in_order, touched_by

FEW = 20


class Pairs(Struct, frozen=True, omit_defaults=True):
    """`overlap`: not ordered by declared needs. `conflicts`: of those, touching the same thing, at
    least one writing, or holding one token; None: too many places to compare. `over`: what causes
    most of them, and how many. `beside`: pairs that nothing orders or excludes. Where it is not
    `exact` each of the three is what it is at least, and `overlap_most`, `conflicts_most` and
    `beside_most` what it is at most."""

    total: int
    overlap: int
    conflicts: int | None
    beside: int
    over: str = ""
    most: int = 0
    exact: bool = True
    overlap_most: int | None = None
    conflicts_most: int | None = None
    beside_most: int | None = None


def pairs(plan: PlanSpec, ordered: Order, exact: int = EXACT, few: int = FEW) -> Pairs:
    """Counts the pairs of an acyclic plan. `exact`: up to so many tasks they are counted, not
    bounded; `few`: up to so many conflicts for each task they are looked at one by one."""
    size = len(plan.tasks)
    total = size * (size - 1) // 2
    listed = list(ordered.positions) == list(range(size))
    turned, touched = plan, ordered.touched or touched_by(plan)
    needs, whole = ordered.needs, ordered.sources
    if not listed:
        turned, touched = _turned(plan, ordered.positions), in_order(touched, ordered.positions)
        needs, whole = (_in_order(sources, ordered.positions) for sources in (needs, whole))
    if size > exact:
        return _bounded(turned, touched, total, (needs, whole))
    known = ordered.above.closed if ordered.above is not None and listed else None
    declared = closure(needs, range(size)) if known is None else known
    every = declared if ordered.sources is ordered.needs else closure(whole, range(size))
    overlap = total + size - sum(map(int.bit_count, declared))
    beside = total + size - sum(map(int.bit_count, every))
    found = contested(turned, touched)
    if found is None:
        return Pairs(total, overlap, None, beside)
    if sum(thing.weight for thing in found) <= few * size:
        return _listed(Pairs(total, overlap, 0, beside), found, declared, every)
    masks = conflict_masks(size, found)
    unordered, excluded = _later(masks, declared), _later(masks, every)
    over, most = _worst(found, declared)
    return Pairs(total, overlap, unordered, beside - excluded, over, most)


def _listed(
    counted: Pairs, found: Iterable[Contested], declared: Sequence[int], every: Sequence[int]
) -> Pairs:
    """The same where few conflict: pair by pair."""
    seen: set[tuple[int, int]] = set()
    over, most = "", 0
    for thing in found:
        here = 0
        for one, two in thing.pairs():
            if not declared[two] >> one & 1:
                here += 1
                seen.add((one, two))
        if here > most:
            over, most = thing.name, here
    excluded = sum(1 for one, two in seen if not every[two] >> one & 1)
    return structs.replace(
        counted, conflicts=len(seen), beside=counted.beside - excluded, over=over, most=most
    )


def pairs_finding(plan: PlanSpec, counted: Pairs) -> Finding | None:
    """LW210; of one task alone there is nothing to say."""
    if not counted.total:
        return None
    numbers: dict[str, int | str | list[str]] = {
        "count": len(plan.tasks),
        "pairs": counted.total,
        "overlap": counted.overlap,
        "beside": counted.beside,
    }
    if not counted.exact:
        for name in ("overlap_most", "conflicts_most", "beside_most"):
            amount = getattr(counted, name)
            if amount is not None:
                numbers[name] = amount
        return Finding("LW210", numbers=numbers, variant="bounds", severity=Severity.NOTE)
    if counted.conflicts is not None:
        numbers["conflicts"] = counted.conflicts
    if counted.most:
        numbers |= {"over": counted.over, "most": counted.most}
    return Finding("LW210", numbers=numbers, severity=Severity.NOTE)


def conflict_masks(size: int, found: Iterable[Contested]) -> list[int]:
    """For each index the tasks that it conflicts with, ordered or not."""
    masks = [0] * size
    for thing in found:
        for at, others in thing.partners():
            masks[at] |= others
    return masks


def _turned(plan: PlanSpec, positions: Sequence[int]) -> PlanSpec:
    """The plan with its tasks in this order."""
    return structs.replace(plan, tasks=tuple(plan.tasks[at] for at in positions))


def _in_order(sources: Sources, positions: Sequence[int]) -> Sources:
    """The same by place in the order."""
    place_of = places_in(positions)
    return [[place_of[source] for source in sources[at]] for at in positions]


def _later(masks: Sequence[int], before: Sequence[int]) -> int:
    """Pairs of these sets that are not ordered, each counted at its later task."""
    return sum(
        (mask & ~before[at] & ((1 << at) - 1)).bit_count() for at, mask in enumerate(masks) if mask
    )


def _worst(found: Iterable[Contested], before: Sequence[int]) -> tuple[str, int]:
    """The thing with most conflicting pairs that no need orders; among equals the first named."""
    over, most = "", 0
    for thing in found:
        touching = {*thing.readers, *thing.writers}
        count = 0
        for at, others in thing.partners():
            lower = (1 << at) - 1
            count += (others & lower & ~before[at]).bit_count()
            if len(thing.meets) > 1:  # they touch it by another name, and come later
                count += sum(
                    1
                    for two in _bits(others >> at)
                    if at + two not in touching and not before[at + two] >> at & 1
                )
        if count > most:
            over, most = thing.name, count
    return over, most


def _bounded(plan: PlanSpec, touched: Touched, total: int, edges: tuple[Sources, Sources]) -> Pairs:
    """What the three numbers are at least and at most."""
    declared, every = map(ordered_bounds, edges)
    overlap = Bounded(total - declared.most, total - declared.least)
    conflicts = conflicts_most(plan, touched)
    most = None if conflicts is None else min(conflicts, overlap.most)
    beside = Bounded(max(0, total - every.most - (most or 0)), total - every.least)
    if most is None:
        beside = Bounded(0, beside.most)
    return Pairs(
        total,
        overlap.least,
        None if most is None else 0,
        beside.least,
        exact=False,
        overlap_most=overlap.most,
        conflicts_most=most,
        beside_most=beside.most,
    )


def _bits(mask: int) -> Iterator[int]:
    """The indexes of a set, from low to high."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
