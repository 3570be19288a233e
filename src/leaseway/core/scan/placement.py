"""A whole placement of a plan: who runs where from when to when, how long all takes, and how far
that is from what is possible at best.

It is what could be done with leases that nobody else uses more of; it promises nothing. Small plans
are placed several ways and the best is kept, large ones in one walk through time.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Millis
from leaseway.core.scan.bounds import bounds, strongest
from leaseway.core.scan.by_events import by_events
from leaseway.core.scan.problem import Problem
from leaseway.core.scan.ranks import latest_finish, upward
from leaseway.core.scan.serially import Board, Spots, ready_at, serially

SMALL = 2_000
"""Tasks × machines up to which several ways are tried."""
TOLD = 100
"""So many tasks without a place are told with what each worker misses."""


class PlacedAt(Struct, frozen=True, gc=False):
    """One task: on `worker`, [start, end) counted from the scan. The end is the latest at which it
    is over, with delivery, stop grace and kill."""

    task: str
    worker: str
    start_ms: Millis
    end_ms: Millis


class NotPlaced(Struct, frozen=True, omit_defaults=True):
    """One task without a place, and why: `no worker` passes its gates; `no room` in any window, and
    by how much each worker misses; `no time`: how long it takes is not known; `waits_for` one
    without a place."""

    task: str
    why: str
    waits_for: str = ""
    short_ms: dict[str, Millis] = field(default_factory=dict)


class Placement(Struct, frozen=True, omit_defaults=True):
    """`tasks` by start. `bound_ms`: no placement ends sooner; `bounds` by what says so: the longest
    path, each resource, each token, the plan's own lanes. `gap_percent`: of the makespan over the
    bound. All for the tasks that have a place."""

    tasks: tuple[PlacedAt, ...]
    makespan_ms: Millis
    bound_ms: Millis
    gap_percent: float
    bounds: dict[str, Millis]
    not_placed: tuple[NotPlaced, ...] = ()
    not_placed_count: int = 0


def best_spots(problem: Problem, order: Sequence[int]) -> Spots:
    """The best of what is tried: most tasks, then the earliest end. `order`: predecessors first."""
    if not problem.kinds or not problem.machines:
        return [None] * len(problem.kind_of)
    ranks = upward(problem, order)
    if len(problem.kind_of) * len(problem.machines) > SMALL:
        return by_events(problem, ranks)
    tries = [serially(problem, ranks), serially(problem, latest_finish(problem, ranks))]
    if not problem.apart:
        tries.append(by_events(problem, ranks))
    return min(tries, key=lambda spots: (spots.count(None), ends_at(spots)))


def ends_at(spots: Spots) -> Millis:
    """When the last one ends."""
    return max((spot.end for spot in spots if spot is not None), default=0)


def placement(plan: PlanSpec, problem: Problem, order: Sequence[int]) -> Placement:
    """Places the plan's tasks. `order`: predecessors first."""
    spots = best_spots(problem, order)
    names = [task.name for task in plan.tasks]
    found = bounds(problem, order, [spot is not None for spot in spots])
    makespan, bound = ends_at(spots), strongest(found)
    rows = sorted((spot.start, spot.end, at) for at, spot in enumerate(spots) if spot is not None)
    machines = [machine.name for machine in problem.machines]
    return Placement(
        tasks=tuple(
            PlacedAt(names[at], machines[spot.machine], start, end)
            for start, end, at in rows
            if (spot := spots[at]) is not None
        ),
        makespan_ms=makespan,
        bound_ms=bound,
        gap_percent=round((makespan - bound) * 100 / bound, 1) if bound else 0.0,
        bounds=found,
        not_placed=_not_placed(names, problem, spots),
        not_placed_count=spots.count(None),
    )


def _not_placed(names: Sequence[str], problem: Problem, spots: Spots) -> tuple[NotPlaced, ...]:
    missing = [at for at, spot in enumerate(spots) if spot is None][:TOLD]
    if not missing:
        return ()
    board = Board(problem)
    for at, spot in enumerate(spots):
        if spot is not None:
            board.put(problem.kinds[problem.kind_of[at]], spot)
    return tuple(_why(names, board, spots, at) for at in missing)


def _why(names: Sequence[str], board: Board, spots: Spots, at: int) -> NotPlaced:
    problem = board.problem
    kind = problem.kinds[problem.kind_of[at]]
    before = next((each for each in problem.sources[at] if spots[each] is None), None)
    if kind.least is None:
        return NotPlaced(names[at], "no worker" if kind.is_timed else "no time")
    if before is not None:
        return NotPlaced(names[at], "waits", names[before])
    short = {}
    for number, machine in enumerate(problem.machines):
        length, ready = kind.lengths[number], ready_at(problem, at, number, spots)
        if length is None or not machine.windows:
            continue
        misses = []
        for opens, ends in machine.windows:
            start = board.soonest_in(kind, number, max(ready, opens))
            if start >= 0:
                misses.append(start + length - ends)
        if misses:
            short[machine.name] = max(0, min(misses))
    return NotPlaced(names[at], "no room", "", short)
