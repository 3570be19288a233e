"""The declared needs of a plan as numbers: positions instead of names."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from msgspec import Struct

from leaseway.core.model.plan import TaskSpec

Sources = list[list[int]]
"""For each index whom it waits for."""


class Needs(Struct, frozen=True):
    """Needs by index into the plan's list. `unknown` and `alone` (a need of oneself) are by name;
    `twice` are indexes of tasks whose name an earlier one has."""

    sources: Sources
    index: dict[str, int]
    unknown: list[tuple[str, str]]
    alone: list[str]
    twice: list[int]


def needs_of(tasks: Sequence[TaskSpec]) -> Needs:
    """What is declared, each pair once."""
    index: dict[str, int] = {}
    twice = []
    for at, task in enumerate(tasks):
        if index.setdefault(task.name, at) != at:
            twice.append(at)
    needs = Needs([[] for _ in tasks], index, [], [], twice)
    for at, task in enumerate(tasks):
        for name in dict.fromkeys(task.needs):
            source = index.get(name)
            if source is None:
                needs.unknown.append((task.name, name))
            elif name == task.name:
                needs.alone.append(name)
            else:
                needs.sources[at].append(source)
    return needs


def followers_of(sources: Sources) -> Sources:
    """For each index who waits for it."""
    found: Sources = [[] for _ in sources]
    for at, mine in enumerate(sources):
        for source in mine:
            found[source].append(at)
    return found


def serial(sources: Sources) -> list[int]:
    """The order in which one person would do them from the top of the list: always the first that
    can start. What lies on or behind a cycle is missing from it."""
    waiting = [len(mine) for mine in sources]
    followers = followers_of(sources)
    ready = [at for at, count in enumerate(waiting) if not count]
    found = []
    while ready:
        at = heapq.heappop(ready)
        found.append(at)
        for follower in followers[at]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heapq.heappush(ready, follower)
    return found


EXACT = 20_000
"""Up to so many tasks everybody before a task is known as a set of bits; beyond that the memory for
it would grow with the square."""


class Above:
    """Who comes before whom by declared needs: however far, and beyond `EXACT` tasks only directly.
    `masks`: by index the set of all before it, None beyond."""

    __slots__ = ("_sources", "masks")

    def __init__(self, sources: Sources, order: Sequence[int]) -> None:
        self._sources = sources
        self.masks = ancestors(sources, order) if len(sources) <= EXACT else None

    def has(self, after: int, before: int) -> bool:
        """Whether `before` is known to come before `after`."""
        if self.masks is None:
            return before in self._sources[after]
        return bool(self.masks[after] >> before & 1)


def ancestors(sources: Sources, order: Sequence[int]) -> list[int]:
    """For each index all whom it waits for, directly or not, as a bitset over indexes."""
    found = [0] * len(sources)
    for at in order:
        mask = 0
        for source in sources[at]:
            mask |= found[source] | 1 << source
        found[at] = mask
    return found
