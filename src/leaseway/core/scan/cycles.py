"""Cycles among needs, each as one whole path. Nothing here recurses: a path may be long."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from leaseway.core.scan.graph import Sources


def cycle_of(sources: Sources, knot: set[int]) -> list[int]:
    """One short cycle of a knot, each index followed by one that it waits for, the first again at
    the end. A knot is a set of tasks that all wait for each other."""
    return _shortest(sources, min(knot), knot)


def knots(sources: Sources, among: Iterable[int]) -> list[set[int]]:
    """Strongly connected sets of more than one task (Tarjan, with a stack of its own)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: list[set[int]] = []
    for root in among:
        if root in number:
            continue
        work = [(root, iter(sources[root]))]
        number[root] = low[root] = len(number)
        path.append(root)
        on_path.add(root)
        while work:
            at, rest = work[-1]
            for source in rest:
                if source not in number:
                    number[source] = low[source] = len(number)
                    path.append(source)
                    on_path.add(source)
                    work.append((source, iter(sources[source])))
                    break
                if source in on_path:
                    low[at] = min(low[at], number[source])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[at])
                if low[at] == number[at]:
                    found += _taken(path, on_path, at)
    return found


def _taken(path: list[int], on_path: set[int], at: int) -> list[set[int]]:
    """Takes the finished set off the path; one task alone is no knot."""
    knot = set()
    while at not in knot:
        last = path.pop()
        on_path.discard(last)
        knot.add(last)
    return [knot] if len(knot) > 1 else []


def _shortest(sources: Sources, start: int, knot: set[int]) -> list[int]:
    """The shortest way from `start` along its needs back to itself."""
    came: dict[int, int] = {}
    queue = deque([start])
    while queue:
        at = queue.popleft()
        for source in sources[at]:
            if source == start:
                path = [start]
                while at != start:
                    path.append(at)
                    at = came[at]
                return [*path, start][::-1]
            if source in knot and source not in came:
                came[source] = at
                queue.append(source)
    raise AssertionError("a knot without a cycle")
