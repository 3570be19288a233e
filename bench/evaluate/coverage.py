"""How often bounds of the estimator hold that are given when a job is handed in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from heapq import heappop, heappush

from msgspec import Struct

from bench.evaluate.ours import Keys, Shipped
from bench.evaluate.trace import Job

OFTEN = 200  # jobs of a user that is looked at alone


class Coverage(Struct, frozen=True):
    """Shares of the bounds that held. `worst`: of the `users` with many jobs."""

    all: float
    worst: float
    users: int


class _AtSubmission(Shipped):
    def asked_at(self, job: Job, started: int) -> int:
        return job.submit


def held(jobs: Sequence[Job], keys: Keys) -> list[bool]:
    """Whether each job ran no longer than its bound, at most its request, from what had ended in
    the log when it was submitted. What has no bound runs by its request, which holds."""
    rule = _AtSubmission(keys)
    running: list[tuple[int, int]] = []
    found = []
    for job in jobs:
        while running and running[0][0] <= job.submit:
            over = jobs[heappop(running)[1]]
            rule.ended(over, over.run, over.logged_end, killed=False)
        rule.started(job, job.submit)
        given = rule.given[job.number]
        found.append(given is None or job.run * 1_000 <= min(given.bound_ms, job.request * 1_000))
        heappush(running, (job.logged_end, job.number))
    return found


def coverage(jobs: Sequence[Job], keys: Keys) -> Coverage:
    """Of these jobs, numbered from 0."""
    kept = held(jobs, keys)
    users: defaultdict[str, list[bool]] = defaultdict(list)
    for job, one in zip(jobs, kept, strict=True):
        users[job.user].append(one)
    often = [sum(each) / len(each) for each in users.values() if len(each) >= OFTEN]
    return Coverage(sum(kept) / len(kept), min(often, default=1.0), len(often))
