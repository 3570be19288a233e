"""The bounds that others use, as rules of when a job may start: the reference rows."""

from __future__ import annotations

from collections import deque
from math import ceil

from bench.evaluate.trace import Job

WINDOW = 100  # scores that a group keeps


class Unaware:
    """Leases are not looked at: everything may start at any time."""

    def may_start(self, job: Job, left: int, now: int) -> bool:
        """See `drain.Rule`; so are the others."""
        return True

    def started(self, job: Job, now: int) -> None:
        """Nothing is kept."""

    def ended(self, job: Job, ran: int, now: int, *, killed: bool) -> None:
        """Nothing is learned."""


class Request(Unaware):
    """Every job takes as long as its user said."""

    def may_start(self, job: Job, left: int, now: int) -> bool:
        return job.request <= left


class Oracle(Unaware):
    """Knows how long each job takes: no rule can, it shows what is left to win."""

    def may_start(self, job: Job, left: int, now: int) -> bool:
        return job.run <= left


class LastTwo(Unaware):
    """The mean of the user's last two runs; the request while there are not two."""

    def __init__(self) -> None:
        self.last: dict[str, deque[int]] = {}

    def may_start(self, job: Job, left: int, now: int) -> bool:
        point = self.point(job)
        return point is not None and point <= left

    def point(self, job: Job) -> float | None:
        """The mean, in seconds."""
        pair = self.last.get(job.user, ())
        return max(1, sum(pair) / 2) if len(pair) == 2 else None

    def ended(self, job: Job, ran: int, now: int, *, killed: bool) -> None:
        if not killed:
            self.last.setdefault(job.user, deque(maxlen=2)).append(ran)


class Conformal(LastTwo):
    """Split conformal on runs in parts of the last-two mean, by user, else of all. A killed run
    counts with the time that it had."""

    def __init__(self, miss: float) -> None:
        super().__init__()
        self.miss = miss
        self.scores: dict[str, deque[float]] = {}
        self.given: dict[int, float | None] = {}

    def may_start(self, job: Job, left: int, now: int) -> bool:
        point = self.point(job)
        needed = ceil(1 / self.miss) - 1
        for group in (job.user, ""):
            scores = self.scores.get(group, ())
            if point is not None and len(scores) >= needed:
                rank = ceil((len(scores) + 1) * (1 - self.miss))
                return rank <= len(scores) and point * sorted(scores)[rank - 1] <= left
        return False

    def started(self, job: Job, now: int) -> None:
        self.given[job.number] = self.point(job)

    def ended(self, job: Job, ran: int, now: int, *, killed: bool) -> None:
        point = self.given.pop(job.number)
        if point is not None:
            for group in (job.user, ""):
                self.scores.setdefault(group, deque(maxlen=WINDOW)).append(ran / point)
        super().ended(job, ran, now, killed=killed)
