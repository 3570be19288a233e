"""Pairs of tasks: how many there are, may overlap, and really conflict (`admission.md` section 5).

Sets of tasks are whole numbers, a bit for each index; a comparison of all pairs is then an `&`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import Edge, EdgeKind, PlanSpec
from leaseway.core.scan.contested import Contested, contested
from leaseway.core.scan.graph import Sources, ancestors, serial


class Pairs(Struct, frozen=True, omit_defaults=True):
    """`overlap`: not ordered by declared needs. `conflicts`: of those, touching the same thing, at
    least one writing, or holding one token; None: too many places to compare. `over`: what causes
    most of them, and how many. `beside`: pairs that nothing orders or excludes."""

    total: int
    overlap: int
    conflicts: int | None
    beside: int
    over: str = ""
    most: int = 0


def pairs(plan: PlanSpec, edges: Mapping[str, tuple[Edge, ...]]) -> Pairs:
    """Counts the pairs of an acyclic plan; `edges` as `order` gives them."""
    size = len(plan.tasks)
    total = size * (size - 1) // 2
    needs = _ordered(plan, edges, only=EdgeKind.NEEDS)
    overlap = total - sum(mask.bit_count() for mask in needs) // 2
    whole = _ordered(plan, edges, only=None)
    beside = total - sum(mask.bit_count() for mask in whole) // 2
    found = contested(plan)
    if found is None:
        return Pairs(total, overlap, None, beside)
    masks = conflict_masks(size, found)
    unordered = sum((mask & ~needs[at]).bit_count() for at, mask in enumerate(masks)) // 2
    excluded = sum((mask & ~whole[at]).bit_count() for at, mask in enumerate(masks)) // 2
    over, most = _worst(found, needs)
    return Pairs(total, overlap, unordered, beside - excluded, over, most)


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


def _ordered(
    plan: PlanSpec, edges: Mapping[str, tuple[Edge, ...]], only: EdgeKind | None
) -> list[int]:
    """For each index everybody before or behind it."""
    index = {task.name: at for at, task in enumerate(plan.tasks)}
    sources: Sources = [
        [index[edge.before] for edge in edges.get(task.name, ()) if only in (None, edge.kind)]
        for task in plan.tasks
    ]
    order = serial(sources)
    before = ancestors(sources, order)
    followers: Sources = [[] for _ in sources]
    for at, mine in enumerate(sources):
        for source in mine:
            followers[source].append(at)
    behind = ancestors(followers, order[::-1])
    return [one | two for one, two in zip(before, behind, strict=True)]


def _worst(found: Iterable[Contested], ordered: Sequence[int]) -> tuple[str, int]:
    """The thing with most conflicting pairs that no need orders; among equals the first named."""
    over, most = "", 0
    for thing in found:
        touching = thing.readers | thing.writers
        once = both = 0
        for at, others in thing.partners():
            unordered = others & ~ordered[at]
            once += unordered.bit_count()
            both += (unordered & touching).bit_count()
        count = once - both // 2
        if count > most:
            over, most = thing.name, count
    return over, most
