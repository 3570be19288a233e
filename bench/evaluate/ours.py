"""What Leaseway says of a start: the estimator of the core, and the risk of the start itself."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from bench.evaluate.bounds import Unaware
from bench.evaluate.risk import KEPT, Everybody, Past, risk_ppm, share_ppm, worth_ppm
from bench.evaluate.trace import Job
from leaseway.core.estimates.keys import HistoryKey
from leaseway.core.estimates.learning import add, estimate_of
from leaseway.core.model.estimate import LEVEL_PPM, Estimate, Likeness, Run
from leaseway.core.model.view import Facts

Keys = Callable[[Job], tuple[HistoryKey, ...]]
EVERYBODY = 500  # runs of all users that are kept


def by_request(job: Job) -> tuple[HistoryKey, ...]:
    """The very request (user, time, cores), the user, all: as command, template, anywhere."""
    same = f"{job.user} {job.request} {job.cores}"
    return (HistoryKey(f"command:{same}", Likeness.COMMAND, same, "", ""), *by_user(job))


def by_user(job: Job) -> tuple[HistoryKey, ...]:
    """The user, all: as template, anywhere."""
    return (
        HistoryKey(f"template:{job.user}", Likeness.TEMPLATE, job.user, "", ""),
        HistoryKey("anywhere:", Likeness.ANYWHERE, "", "", ""),
    )


class Shipped(Unaware):
    """The estimator as it is, through the folds of the coordinator. `keys`: the histories of a job,
    nearest first."""

    def __init__(self, keys: Keys = by_request, level_ppm: int = LEVEL_PPM) -> None:
        self.keys, self.level_ppm = keys, level_ppm
        self.facts = Facts()
        self.given: dict[int, Estimate | None] = {}

    def estimate(self, job: Job) -> Estimate | None:
        """What is said of the job now."""
        for key in self.keys(job):
            past = self.facts.histories.get(key.id)
            found = None if past is None else estimate_of(key.id, past, self.level_ppm)
            if found is not None:
                return found
        return None

    def may_start(self, job: Job, left: int, now: int) -> bool:
        found = self.estimate(job)
        return found is not None and found.bound_ms <= left * 1_000

    def started(self, job: Job, now: int) -> None:
        self.given[job.number] = self.estimate(job)

    def ended(self, job: Job, ran: int, now: int, *, killed: bool) -> None:
        limit_ms, given = job.request * 1_000, self.given.pop(job.number)
        run = Run(ran * 1_000, now * 1_000, "sp2", ended=not killed, limit_ms=limit_ms)
        for key in self.keys(job):
            add(self.facts, key, run, self.asked_at(job, now - ran) * 1_000, given)

    def asked_at(self, job: Job, started: int) -> int:
        """When the bound was given."""
        return started


class Risk(Unaware):
    """Each start by its own risk. `allowed_ppm`: how much is worth taking with so many ms left."""

    def __init__(self, allowed_ppm: Callable[[int], int] = worth_ppm) -> None:
        self.allowed_ppm = allowed_ppm
        self.everybody = Everybody(EVERYBODY)
        self.groups: dict[tuple[object, ...], deque[Past]] = {}

    def may_start(self, job: Job, left: int, now: int) -> bool:
        near = [self.groups.get(key, ()) for key in _groups(job)]
        left_share = share_ppm(left, job.request)
        prior = self.everybody.risk_ppm(left_share)
        return risk_ppm(left_share, prior, near) <= self.allowed_ppm(left * 1_000)

    def ended(self, job: Job, ran: int, now: int, *, killed: bool) -> None:
        past = Past(share_ppm(ran, job.request), not killed)
        for key in _groups(job):
            self.groups.setdefault(key, deque(maxlen=KEPT)).appendleft(past)
        if not killed:
            self.everybody.add(past.share_ppm)


def _groups(job: Job) -> tuple[tuple[object, ...], ...]:
    return (job.user,), (job.user, job.request), (job.user, job.request, job.cores)
