"""Placing task by task, the first in rank first, each where it ends soonest, also before what is
placed already (serial schedule generation with insertion). Exact and slow: for small plans."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from msgspec import Struct

from leaseway.core.model.capacity import Vector
from leaseway.core.model.profile import Profile
from leaseway.core.model.units import Millis
from leaseway.core.scan.problem import Kind, Machine, Problem

ONE: Vector = (1,)


class Spot(Struct, frozen=True, gc=False):
    """Where one task goes: [start, end) on the machine with this number."""

    machine: int
    start: Millis
    end: Millis


Spots = list[Spot | None]
"""By task; None: no place was found."""


class Board:
    """What is set aside on every machine, of every token and of the plan's own lanes."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.machines = [_held(machine) for machine in problem.machines]
        self.lanes = None if problem.most is None else Profile(1)
        self.tokens: dict[str, Profile] = {}
        for token, taken in problem.tokens.items():
            for start, end in taken:
                self._token(token).add(start, end, ONE)

    def _token(self, token: str) -> Profile:
        return self.tokens.setdefault(token, Profile(1))

    def soonest(self, kind: Kind, number: int, ready: Millis) -> Millis:
        """The first start on this machine; -1: none in any window."""
        length = kind.lengths[number]
        if length is None:
            return -1
        for opens, ends in self.problem.machines[number].windows:
            if max(ready, opens) + length <= ends:
                start = self.soonest_in(kind, number, max(ready, opens))
                if start >= 0 and start + length <= ends:
                    return start
        return -1

    def soonest_in(self, kind: Kind, number: int, ready: Millis) -> Millis:
        """The first moment at which the machine and everything shared are free together, whatever
        the windows; -1: there is less than it asks for."""
        length = kind.lengths[number] or 0
        shared = [(self._token(token), ONE) for token in kind.holds]
        if self.lanes is not None:
            shared.append((self.lanes, (self.problem.most or 0,)))
        profile, capacity = self.machines[number], self.problem.machines[number].capacity
        moment = ready
        while True:
            start = profile.earliest(moment, length, kind.uses, capacity)
            for other, most in shared:
                start = None if start is None else other.earliest(start, length, ONE, most)
            if start is None:
                return -1
            if start == moment or not shared:
                return start
            moment = start

    def put(self, kind: Kind, spot: Spot) -> None:
        """Set a place aside."""
        self.machines[spot.machine].add(spot.start, spot.end, kind.uses)
        for token in kind.holds:
            self._token(token).add(spot.start, spot.end, ONE)
        if self.lanes is not None:
            self.lanes.add(spot.start, spot.end, ONE)


def _held(machine: Machine) -> Profile:
    profile = Profile(len(machine.capacity))
    for start, end, amount in machine.taken:
        profile.add(start, end, amount)
    return profile


def serially(problem: Problem, priority: Sequence[float]) -> Spots:
    """A place for every task that has one; what waits for a task without a place has none."""
    board = Board(problem)
    waiting = [len(mine) for mine in problem.sources]
    followers = problem.followers
    spots: Spots = [None] * len(waiting)
    ready = [(-priority[at], at) for at, count in enumerate(waiting) if not count]
    ready.sort()
    while ready:
        _, at = heappop(ready)
        spot = spots[at] = _best(board, at, spots)
        if spot is None:
            continue
        board.put(problem.kinds[problem.kind_of[at]], spot)
        for follower in followers[at]:
            waiting[follower] -= 1
            if not waiting[follower]:
                heappush(ready, (-priority[follower], follower))
    return spots


def ready_at(problem: Problem, at: int, number: int, spots: Spots) -> Millis:
    """When all its predecessors have ended and have passed on what they made."""
    moment = 0
    for source in problem.sources[at]:
        spot = spots[source]
        assert spot is not None, "predecessors come first"
        away = problem.apart.get((source, at), 0) if spot.machine != number else 0
        moment = max(moment, spot.end + away)
    return moment


def _best(board: Board, at: int, spots: Spots) -> Spot | None:
    problem = board.problem
    kind = problem.kinds[problem.kind_of[at]]
    best: Spot | None = None
    for number, length in enumerate(kind.lengths):
        if length is None:
            continue
        start = board.soonest(kind, number, ready_at(problem, at, number, spots))
        if start >= 0 and (best is None or start + length < best.end):
            best = Spot(number, start, start + length)
    return best
