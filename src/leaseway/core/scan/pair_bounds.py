"""Bounds on pairs where there are too many tasks to count them: time and memory grow with tasks and
edges, not with pairs."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.graph import Sources
from leaseway.core.scan.touched import Touched, touched_by


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


def conflicts_most(plan: PlanSpec, touched: Touched | None = None) -> int | None:
    """At most so many pairs conflict: for each place and token the pairs of which one writes. None:
    names with wildcards or one below another meet in more ways than are counted here.
    `touched`: what the plan declares, if it is known."""
    touched = touched or touched_by(plan)
    if not all(touched.lone):
        return None
    readers = [0] * len(touched.places)
    writers = [0] * len(touched.places)
    tokens: dict[str, int] = {}
    for at, task in enumerate(plan.tasks):
        wrote, read = _places(touched, touched.writes[at]), _places(touched, touched.reads[at])
        for number in wrote:
            writers[number] += 1
        for number in read:
            if number not in wrote:
                readers[number] += 1
        for token in dict.fromkeys(task.holds) if task.holds else ():
            tokens[token] = tokens.get(token, 0) + 1
    return sum(
        count * (count - 1) // 2 + count * read
        for count, read in (*zip(writers, readers, strict=True), *((n, 0) for n in tokens.values()))
    )


def _places(touched: Touched, several: Sequence[int]) -> Collection[int]:
    """Numbers of the places of several texts, each once."""
    if len(several) == 1:
        return touched.said[several[0]].places
    return {number for said in several for number in touched.said[said].places}
