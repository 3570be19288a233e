"""Bounds on pairs where there are too many tasks to count them: time and memory grow with tasks and
edges, not with pairs."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.accesses import places_of
from leaseway.core.model.paths import Place
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.derived import written
from leaseway.core.scan.graph import Sources


class Bounded(Struct, frozen=True):
    """A number that is not known: at least, at most."""

    least: int
    most: int


def ordered_bounds(sources: Sources) -> Bounded:
    """How many pairs are ordered, by sources with lower numbers only.

    Whoever waits has before it at least its own sources, and at least one source with all that has;
    at most all that its sources have, and at most all that stand on a level above.
    """
    levels = [0] * len(sources)
    for at, mine in enumerate(sources):
        if mine:
            levels[at] = 1 + max(levels[source] for source in mine)
    above = _above(levels)
    least = [0] * len(sources)
    most = [0] * len(sources)
    for at, mine in enumerate(sources):
        if mine:
            mine = list(dict.fromkeys(mine))
            least[at] = max(len(mine), 1 + max(least[source] for source in mine))
            most[at] = min(above[levels[at]], at, sum(most[source] + 1 for source in mine))
    return Bounded(sum(least), sum(most))


def _above(levels: list[int]) -> list[int]:
    """By level, how many tasks are on a level above it."""
    counts = [0] * (max(levels, default=0) + 2)
    for level in levels:
        counts[level + 1] += 1
    for level in range(1, len(counts)):
        counts[level] += counts[level - 1]
    return counts


def conflicts_most(plan: PlanSpec) -> int | None:
    """At most so many pairs conflict: for each place and token the pairs of which one writes. None:
    names with wildcards or one below another meet in more ways than are counted here."""
    readers: dict[tuple[str, ...], int] = {}
    writers: dict[tuple[str, ...], int] = {}
    known: dict[tuple[str | None, str, str | None], tuple[Place, ...]] = {}
    for task in plan.tasks:
        base = task.workdir or plan.workdir
        touched: list[set[Place]] = []
        for texts in (written(task), task.reads or ()):
            touched.append(set())
            for text in texts:
                key = (base, text, task.same_as.get(text) if task.same_as else None)
                if key not in known:
                    known[key] = places_of(task, text, base)
                touched[-1].update(known[key])
        wrote, read = touched
        if any(not where.exact for where in wrote | read):
            return None
        for where in wrote:
            writers[where.parts] = writers.get(where.parts, 0) + 1
        for where in read - wrote:
            readers[where.parts] = readers.get(where.parts, 0) + 1
        for token in dict.fromkeys(task.holds):
            writers["token", token] = writers.get(("token", token), 0) + 1
    every = readers.keys() | writers.keys()
    if any(parts[:size] in every for parts in every for size in range(1, len(parts))):
        return None
    return sum(
        count * (count - 1) // 2 + count * readers.get(parts, 0) for parts, count in writers.items()
    )
