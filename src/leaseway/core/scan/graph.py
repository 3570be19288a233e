"""The declared needs of a plan as numbers: positions instead of names."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from msgspec import Struct

from leaseway.core.model.plan import TaskSpec

Sources = Sequence[Sequence[int]]
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
    sources: list[Sequence[int]] = []
    needs = Needs(sources, index, [], [], twice)
    for at, task in enumerate(tasks):
        names = task.needs
        try:
            mine = tuple(map(index.__getitem__, names))
        except KeyError:
            sources.append(_sources(needs, task))
            continue
        if mine and (twice or len({at, *mine}) <= len(mine)):  # perhaps one twice, or itself
            sources.append(_sources(needs, task))
        else:
            sources.append(mine)
    return needs


def _sources(needs: Needs, task: TaskSpec) -> list[int]:
    """The same for a task that needs somebody twice, itself, or somebody unknown."""
    found = []
    for name in dict.fromkeys(task.needs):
        source = needs.index.get(name)
        if source is None:
            needs.unknown.append((task.name, name))
        elif name == task.name:
            needs.alone.append(name)
        else:
            found.append(source)
    return found


def followers_of(sources: Sources) -> list[list[int]]:
    """For each index who waits for it."""
    found: list[list[int]] = [[] for _ in sources]
    for at, mine in enumerate(sources):
        for source in mine:
            found[source].append(at)
    return found


def serial(sources: Sources) -> list[int]:
    """The order in which one person would do them from the top of the list: always the first that
    can start. What lies on or behind a cycle is missing from it."""
    if all(not mine or max(mine) < at for at, mine in enumerate(sources)):
        return list(range(len(sources)))  # nobody waits for somebody further down
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
    `closed`: by index the set of itself and all before it, None beyond. `implied`: by index those
    of its sources that another of its sources waits for."""

    __slots__ = ("_sources", "closed", "implied")

    def __init__(self, sources: Sources, order: Sequence[int]) -> None:
        self._sources = sources
        self.implied: dict[int, list[int]] = {}
        self.closed: list[int] | None = None
        if len(sources) <= EXACT:
            self.closed = closure(sources, order, self.implied)

    def has(self, after: int, before: int) -> bool:
        """Whether `before` is known to come before `after`."""
        if self.closed is None:
            return before in self._sources[after]
        return after != before and bool(self.closed[after] >> before & 1)


def closure(
    sources: Sources, order: Sequence[int], implied: dict[int, list[int]] | None = None
) -> list[int]:
    """For each index itself and all whom it waits for, directly or not, as a bitset over indexes.
    `order`: predecessors first. `implied` is filled with sources that follow from others."""
    place_of = places_in(order)
    found = [0] * len(sources)
    for at in order:
        mine = sources[at]
        if len(mine) > 1:
            mine = sorted(mine, key=place_of.__getitem__, reverse=True)
        mask = 0
        for source in mine:  # the last first: whoever waits for another of them comes before it
            if mask and mask >> source & 1:
                if implied is not None:
                    implied.setdefault(at, []).append(source)
            else:
                mask |= found[source]
        found[at] = mask | 1 << at
    return found


def places_in(order: Sequence[int]) -> list[int]:
    """By index its place in the order."""
    found = [0] * len(order)
    for place, at in enumerate(order):
        found[at] = place
    return found
