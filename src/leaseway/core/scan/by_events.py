"""Placing from ending to ending: whenever something is over, the first in rank that can start does
(parallel schedule generation). One pass over time, so that many tasks cost little.

Nothing is set aside ahead, so what is free now stays free of this plan; only what others were
promised lies ahead, and counts as taken through the whole of a task that meets it.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence
from heapq import heapify, heappop, heappush, heapreplace

from leaseway.core.model.capacity import UNLIMITED
from leaseway.core.model.profile import Profile
from leaseway.core.model.units import Millis
from leaseway.core.scan.problem import Kind, Machine, Problem
from leaseway.core.scan.serially import Spot, Spots

_OPENS, _MOVES = -1, -2  # beside numbers of tasks, in the heap of events
_GROUPS = 64
_FIELD = 64
_TOP = 1 << _FIELD - 1


class Floor:
    """What is free at the moment, machine by machine. Only resources that somebody asks for and
    somebody bounds are looked at: all of them in one whole number, `_FIELD` bits each, the highest
    bit of each field set. What is taken leaves that bit as long as there is enough, so one
    subtraction compares all."""

    def __init__(self, problem: Problem) -> None:
        columns = _columns(problem)
        self.enough = _packed([_TOP] * len(columns))
        self.uses = [_packed([kind.uses[each] for each in columns]) for kind in problem.kinds]
        self.free = [
            self.enough + _packed([machine.capacity[each] for each in columns])
            for machine in problem.machines
        ]
        self.closing = [-1 for _ in problem.machines]  # latest end in the window that is open
        self.ahead = [
            Ahead(machine, columns) if machine.taken else None for machine in problem.machines
        ]
        least = [min(kind.uses[each] for kind in problem.kinds) for each in columns]
        self.least = _packed(least)
        self.roomy = list(range(len(problem.machines)))  # where the least asked for has room
        self.shortest = [kind.least for kind in problem.kinds]

    def take(self, kind: int, number: int) -> None:
        """Set aside what a task uses."""
        left = self.free[number] = self.free[number] - self.uses[kind]
        if (left - self.least) & self.enough != self.enough and number in self.roomy:
            self.roomy.remove(number)

    def give(self, kind: int, number: int) -> None:
        """Give back what a task used."""
        left = self.free[number] = self.free[number] + self.uses[kind]
        if number not in self.roomy and (left - self.least) & self.enough == self.enough:
            insort(self.roomy, number)

    def soonest(self, kind: int, lengths: Sequence[Millis | None], now: Millis) -> Spot | None:
        """Where it can start now, and ends first."""
        best, best_end = -1, UNLIMITED
        uses, enough, free, shortest = self.uses[kind], self.enough, self.free, self.shortest[kind]
        for number in self.roomy:
            length = lengths[number]
            if length is None or now + length > self.closing[number]:
                continue
            if now + length < best_end and (free[number] - uses) & enough == enough:
                ahead = self.ahead[number]
                if ahead is None or ahead.leaves(free[number] - uses - enough, now, length):
                    best, best_end = number, now + length
                    if length == shortest:
                        break  # nowhere would it end before
        return None if best < 0 else Spot(best, now, best_end)


def _packed(amounts: Sequence[int]) -> int:
    """Amounts side by side in one number."""
    return sum(min(amount, _TOP) << _FIELD * at for at, amount in enumerate(amounts))


class Ahead:
    """What others were promised on one machine, step by step."""

    def __init__(self, machine: Machine, columns: Sequence[int]) -> None:
        profile = Profile(len(machine.capacity))
        for start, end, amount in machine.taken:
            profile.add(start, end, amount)
        steps = profile.steps()
        self.times = [moment for moment, _ in steps]
        self.used = [_packed([used[at] for at in columns]) for _, used in steps]
        self.enough = _packed([_TOP] * len(columns))

    def leaves(self, left: int, start: Millis, length: Millis) -> bool:
        """Whether what a task leaves is enough for them through [start, start + length)."""
        at = bisect_right(self.times, start) - 1
        ends = start + max(length, 1)
        while at < len(self.times) and self.times[at] < ends:
            if (left + self.enough - self.used[at]) & self.enough != self.enough:
                return False
            at += 1
        return True


def _columns(problem: Problem) -> list[int]:
    """Resources that some task asks for and some machine bounds."""
    return [
        at
        for at in range(len(problem.kinds[0].uses) if problem.kinds else 0)
        if any(kind.uses[at] for kind in problem.kinds)
        and any(machine.capacity[at] < UNLIMITED for machine in problem.machines)
    ]


class Pass:
    """One walk through time."""

    def __init__(self, problem: Problem, priority: Sequence[float]) -> None:
        self.problem = problem
        self.priority = priority
        self.floor = Floor(problem)
        self.spots: Spots = [None] * len(problem.kind_of)
        self.waiting = [len(mine) for mine in problem.sources]
        self.followers = problem.followers
        self.held: set[str] = set()
        self.running = 0
        self.group_of = _groups(problem.kinds)
        self.ready: list[list[tuple[float, int]]] = [[] for _ in problem.kinds]
        self.awake: set[int] = set()  # groups with somebody in them, whose tokens are free
        self.parked: dict[str, list[int]] = {}  # token that this plan holds → groups that want it
        self.events: list[tuple[Millis, int, int]] = _outside(problem)
        heapify(self.events)

    def run(self) -> Spots:
        """Every task that finds a place."""
        for at, count in enumerate(self.waiting):
            if not count:
                self._wake(at)
        while self.events:
            now = self.events[0][0]
            while self.events and self.events[0][0] == now:
                _, what, number = heappop(self.events)
                if what >= 0:
                    self._ended(what, number)
                elif what == _OPENS:
                    machine = self.problem.machines[number]
                    self.floor.closing[number] = max(e for o, e in machine.windows if o <= now)
            self._start(now)
        return self.spots

    def _wake(self, at: int) -> None:
        group = self.group_of[self.problem.kind_of[at]]
        heap = self.ready[group]
        if not heap:
            self.awake.add(group)
        heappush(heap, (-self.priority[at], at))

    def _ended(self, at: int, machine: int) -> None:
        kind = self.problem.kind_of[at]
        self.floor.give(kind, machine)
        self.running -= 1
        for token in self.problem.kinds[kind].holds:
            self.held.discard(token)
            self.awake.update(self.parked.pop(token, ()))
        waiting = self.waiting
        for follower in self.followers[at]:
            left = waiting[follower] = waiting[follower] - 1
            if not left:
                self._wake(follower)

    def _start(self, now: Millis) -> None:
        """Whatever can start now, first in rank first; of tasks alike the first speaks for all."""
        roomy, ready = self.floor.roomy, self.ready
        if not roomy or not self.awake:
            return
        kind_of, kinds = self.problem.kind_of, self.problem.kinds
        heads = [(ready[group][0], group) for group in self.awake]
        heapify(heads)
        while heads and roomy:
            (_, at), group = heads[0]
            kind = kind_of[at]
            spot = self._spot(kind, kinds[kind], now)
            if spot is None:
                heappop(heads)
                self._park(group, kinds[kind])
                continue
            heap = ready[group]
            heappop(heap)
            self._put(at, kind, spot)
            if heap:
                heapreplace(heads, (heap[0], group))
            else:
                heappop(heads)
                self.awake.discard(group)

    def _park(self, group: int, kind: Kind) -> None:
        """Nobody of this group is looked at before a token that is held comes back."""
        for token in kind.holds:
            if token in self.held:
                self.parked.setdefault(token, []).append(group)
                self.awake.discard(group)
                return

    def _spot(self, number: int, kind: Kind, now: Millis) -> Spot | None:
        if self.problem.most is not None and self.running >= self.problem.most:
            return None
        if kind.holds and not self._are_free(kind, now):
            return None
        return self.floor.soonest(number, kind.lengths, now)

    def _are_free(self, kind: Kind, now: Millis) -> bool:
        """Whether none of its tokens is held, or promised to others before it could end."""
        longest = max((length for length in kind.lengths if length is not None), default=0)
        return not any(
            token in self.held
            or any(
                start < now + max(longest, 1) and now < end
                for start, end in self.problem.tokens.get(token, ())
            )
            for token in kind.holds
        )

    def _put(self, at: int, kind: int, spot: Spot) -> None:
        self.spots[at] = spot
        self.floor.take(kind, spot.machine)
        self.running += 1
        if holds := self.problem.kinds[kind].holds:
            self.held.update(holds)
        heappush(self.events, (spot.end, at, spot.machine))


def _groups(kinds: Sequence[Kind]) -> list[int]:
    """By kind the number of its group: tasks that find room at the same moments, so that the first
    of them speaks for all. Lengths, and amounts where there are many, stand as powers of two."""
    coarse = len({kind.uses for kind in kinds}) > _GROUPS
    groups: dict[tuple[object, ...], int] = {}
    found = []
    for kind in kinds:
        uses = tuple(amount.bit_length() for amount in kind.uses) if coarse else kind.uses
        allowed = tuple(length is not None for length in kind.lengths)
        key = (uses, kind.holds, allowed, (kind.least or 0).bit_length())
        found.append(groups.setdefault(key, len(groups)))
    return found


def _outside(problem: Problem) -> list[tuple[Millis, int, int]]:
    """Moments at which something changes without a task of this plan."""
    found = [
        (opens, _OPENS, number)
        for number, machine in enumerate(problem.machines)
        for opens, _ in machine.windows
    ]
    found += [
        (end, _MOVES, number)
        for number, machine in enumerate(problem.machines)
        for _, end, _ in machine.taken
    ]
    found += [(end, _MOVES, 0) for taken in problem.tokens.values() for _, end in taken]
    return found


def by_events(problem: Problem, priority: Sequence[float]) -> Spots:
    """A place for every task that has one. What passing on costs is not looked at here."""
    assert not problem.apart, "only serially"
    return Pass(problem, priority).run()
