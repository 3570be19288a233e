"""Which task goes first: upward ranks (HEFT; Topcuoglu, Hariri, Wu 2002) and latest finish."""

from __future__ import annotations

from collections.abc import Sequence

from leaseway.core.scan.problem import Problem


def means(problem: Problem) -> list[float]:
    """By kind, its mean length over the machines that take it."""
    found = []
    for kind in problem.kinds:
        known = [length for length in kind.lengths if length is not None]
        found.append(sum(known) / len(known) if known else 0.0)
    return found


def upward(problem: Problem, order: Sequence[int]) -> list[float]:
    """rank_u = mean length + the most of (passing on + rank) over all who wait for it: how long the
    work from here to the end takes at least. `order`: predecessors first."""
    mean, kind_of = means(problem), problem.kind_of
    behind = [0.0] * len(kind_of)
    ranks = [0.0] * len(kind_of)
    for at in reversed(order):
        rank = ranks[at] = mean[kind_of[at]] + behind[at]
        for source in problem.sources[at]:
            after = rank + problem.apart.get((source, at), 0) if problem.apart else rank
            if after > behind[source]:
                behind[source] = after
    return ranks


def latest_finish(problem: Problem, ranks: Sequence[float]) -> list[float]:
    """The work behind a task, its own left out: most first is latest finish time first."""
    mean = means(problem)
    return [rank - mean[kind] for rank, kind in zip(ranks, problem.kind_of, strict=True)]
