"""One machine, first come first served with EASY backfilling, in leases that end.

Of the jobs that wait only the first one that lacks cores holds a reservation: the instant at which
what runs has freed enough by its request, or the lease's end if the job may not start so late in
the lease. Others start if they end before it by their request, or if they fit beside it. A job that
only the lease's end keeps from starting holds no cores and no place. The order is fixed; a rule
only says whether a job may start so long before the lease's end. What runs at the end is killed and
waits again in its old place; from then on its request is believed.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Protocol

from msgspec import Struct

from bench.evaluate.trace import CORES, Job


class Rule(Protocol):
    """Says which jobs may start before a lease's end, from what has ended."""

    def may_start(self, job: Job, left: int, now: int) -> bool:
        """Whether the job may start with `left` seconds to the lease's end. Asked only of jobs
        that were never killed and whose request is longer than that."""

    def started(self, job: Job, now: int) -> None:
        """The job starts."""

    def ended(self, job: Job, ran: int, now: int, *, killed: bool) -> None:
        """The job ended by itself after `ran` seconds, or was killed then."""


class Way(Struct, frozen=True):
    """How the machine is run. `lease`: length in seconds, 0: none ever ends. `holds`: a first job
    that only the lease's end keeps from starting holds its cores (reading B). `believed`: the time
    that the profile counts with. `shortest`: what fits in between is tried shortest first."""

    lease: int = 0
    holds: bool = False
    believed: Callable[[Job], int] = lambda job: job.request
    shortest: bool = False
    cores: int = CORES


class Done(Struct):
    """What became of one job. `start`: of the run that ended by itself."""

    job: Job
    start: int = 0
    broken: int = 0
    wasted: int = 0
    starts: int = 0

    @property
    def wait(self) -> int:
        """Seconds from submission to the start of the run that ended by itself."""
        return self.start - self.job.submit


class Machine:
    """One replay; `run` gives what became of each job, in order of submission."""

    def __init__(self, jobs: list[Job], way: Way, rule: Rule | None = None) -> None:
        self.jobs, self.way, self.rule = jobs, way, rule
        self.done = [Done(job) for job in jobs]
        self.free = way.cores
        self.waiting: list[int] = []  # numbers, in order
        self.running: list[tuple[int, int, int]] = []  # ends by belief, number, cores: sorted
        self.ends: list[tuple[int, int]] = []  # heap of true ends
        self.lease_end = way.lease

    def run(self) -> list[Done]:
        """Replay everything."""
        arrived, total = 0, len(self.jobs)
        while arrived < total or self.ends or self.waiting:
            now = self.jobs[arrived].submit if arrived < total else None
            if self.ends and (now is None or self.ends[0][0] <= now):
                now = self.ends[0][0]
            if self.way.lease and (now is None or self._closes(now)):
                now = self.lease_end
            assert now is not None
            while self.ends and self.ends[0][0] <= now:
                self._end(heappop(self.ends)[1], now)
            if self.way.lease and now >= self.lease_end:
                self._close(now)
            while arrived < total and self.jobs[arrived].submit <= now:
                self.waiting.append(arrived)
                arrived += 1
            self._schedule(now)
        return self.done

    def _closes(self, now: int) -> bool:
        """Whether the lease's end comes first; ends at which nothing runs or waits are passed."""
        if now >= self.lease_end and not (self.ends or self.waiting):
            self.lease_end += (now - self.lease_end) // self.way.lease * self.way.lease
        return now >= self.lease_end

    def _end(self, number: int, now: int) -> None:
        job, done = self.jobs[number], self.done[number]
        self._leave(number)
        if self.rule is not None:
            self.rule.ended(job, now - done.start, now, killed=False)

    def _leave(self, number: int) -> None:
        at = next(at for at, each in enumerate(self.running) if each[1] == number)
        self.free += self.running.pop(at)[2]

    def _close(self, now: int) -> None:
        for _, number in sorted(self.ends, key=lambda each: each[1]):
            job, done = self.jobs[number], self.done[number]
            done.broken += 1
            done.wasted += (now - done.start) * job.cores
            self._leave(number)
            insort(self.waiting, number)
            if self.rule is not None:
                self.rule.ended(job, now - done.start, now, killed=True)
        self.ends.clear()
        self.lease_end = now + self.way.lease

    def _may(self, number: int, now: int) -> bool:
        if self.rule is None:
            return True
        if not self.way.lease:
            return True
        job, left = self.jobs[number], self.lease_end - now
        if job.request <= left:
            return True
        return not self.done[number].broken and self.rule.may_start(job, left, now)

    def _schedule(self, now: int) -> None:
        head = -1
        started: set[int] = set()
        for at, number in enumerate(self.waiting):
            if not self.free:
                break
            fits = self.jobs[number].cores <= self.free
            if fits and self._may(number, now):
                self._start(number, now)
                started.add(number)
            elif not fits or self.way.holds:
                head = at
                break
        if head >= 0:
            started |= self._backfill(head, now)
        if started:
            self.waiting = [number for number in self.waiting if number not in started]

    def _start(self, number: int, now: int) -> None:
        job, done = self.jobs[number], self.done[number]
        self.free -= job.cores
        insort(self.running, (now + self.way.believed(job), number, job.cores))
        heappush(self.ends, (now + job.run, number))
        done.start = now
        done.starts += 1
        if self.rule is not None:
            self.rule.started(job, now)

    def _backfill(self, head: int, now: int) -> set[int]:
        shadow, extra = self._reservation(self.waiting[head], now)
        behind = [n for n in self.waiting[head + 1 :] if self.jobs[n].cores <= self.free]
        if self.way.shortest:
            behind.sort(key=lambda number: self.way.believed(self.jobs[number]))
        started = set()
        for number in behind:
            job = self.jobs[number]
            before = now + self.way.believed(job) <= shadow
            if job.cores > self.free or not (before or job.cores <= extra):
                continue
            if self._may(number, now):
                extra -= 0 if before else job.cores
                self._start(number, now)
                started.add(number)
                if not self.free:
                    break
        return started

    def _reservation(self, number: int, now: int) -> tuple[int, int]:
        """When the job's cores are free by belief, and how many are left beside them then."""
        cores = self.jobs[number].cores
        free, shadow = self.free, now
        for end, _, held in self.running:
            if free >= cores and end > shadow:
                break
            free += held
            shadow = max(shadow, end)
        if shadow > now and self.way.lease and not self._in_this_lease(number, shadow):
            return self.lease_end, self.way.cores - cores
        return shadow, free - cores

    def _in_this_lease(self, number: int, start: int) -> bool:
        return start <= self.lease_end and self._may(number, start)
