"""Goal: on a real machine's log a bound meant for nine of ten holds for nine of ten. Method: 28,481
jobs of an IBM SP2 at KTH (Parallel Workloads Archive, log by Lars Malinowsky), each bounded when it
was submitted, from what had ended by then, through the real folds of histories."""

from __future__ import annotations

import gzip
from collections import defaultdict
from heapq import heappop, heappush

import pytest
from msgspec import Struct

from leaseway.core.estimates.keys import HistoryKey
from leaseway.core.estimates.learning import add, estimate_of
from leaseway.core.model.estimate import Estimate, Likeness, Run
from leaseway.core.model.view import Facts
from tests.conftest import SHARED_DATA

TRACE = SHARED_DATA / "data" / "kth-sp2.swf.gz"


class Job(Struct, frozen=True):
    asked_at: int
    ended_at: int
    ran_ms: int
    requested_ms: int
    keys: tuple[HistoryKey, ...]
    user: str


CHAINS = {
    "user, all": (Likeness.TEMPLATE, Likeness.ANYWHERE),
    "request, user, all": (Likeness.COMMAND, Likeness.TEMPLATE, Likeness.ANYWHERE),
}
"""Which histories a job has, nearest first. A request: user, time and processors."""


def jobs(chain):
    if not TRACE.exists():
        pytest.skip(f"shared data: {TRACE.name} is not beside this checkout")
    found = []
    with gzip.open(TRACE, "rt") as lines:
        for line in lines:
            said = line.split()
            if said[0].startswith(";"):
                continue
            at, wait, ran, requested = (int(said[place]) * 1_000 for place in (1, 2, 3, 8))
            user = said[11]
            names = {
                Likeness.COMMAND: f"{user} {said[8]} {said[4]}",
                Likeness.TEMPLATE: user,
                Likeness.ANYWHERE: "",
            }
            keys = tuple(
                HistoryKey(f"{each.value}:{names[each]}", each, names[each], "", "")
                for each in CHAINS[chain]
            )
            found.append(Job(at, at + wait + ran, ran, requested, keys, user))
    return sorted(found, key=lambda job: job.asked_at)


def asked(facts, job) -> Estimate | None:
    for key in job.keys:
        past = facts.histories.get(key.id)
        found = None if past is None else estimate_of(key.id, past)
        if found is not None:
            return found
    return None


def held_of(trace):
    """Of each job, whether its bound held; what has no bound runs by its request, which holds."""
    facts = Facts()
    running: list[tuple[int, int, Job, Estimate | None]] = []
    held = []
    for at, job in enumerate(trace):
        while running and running[0][0] <= job.asked_at:
            _, _, over, learned = heappop(running)
            for key in over.keys:
                add(facts, key, Run(over.ran_ms, over.ended_at, "sp2"), over.asked_at, learned)
        learned = asked(facts, job)
        held.append(learned is None or job.ran_ms <= min(learned.bound_ms, job.requested_ms))
        heappush(running, (job.ended_at, at, job, learned))
    return held


@pytest.mark.parametrize(("chain", "worst"), [("user, all", 0.87), ("request, user, all", 0.84)])
def test_nine_of_ten_bounds_hold(chain, worst):
    """Within a point in all, and for nobody with 200 jobs much less often: for users 0.87, which is
    what is known to be reached on this log with these histories (0.879). Finer ones bound tighter,
    and hold a little less often for who hands in bursts."""
    trace = jobs(chain)
    held = held_of(trace)
    assert len(trace) == 28_481
    assert 0.89 <= sum(held) / len(held) <= 0.91
    users: defaultdict[str, list[bool]] = defaultdict(list)
    for job, kept in zip(trace, held, strict=True):
        users[job.user].append(kept)
    often = [sum(each) / len(each) for each in users.values() if len(each) >= 200]
    assert len(often) == 44
    assert min(often) >= worst
