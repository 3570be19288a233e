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


def jobs():
    """The very request (user, time, processors), the user, all: as command, template, anywhere."""
    if not TRACE.exists():
        pytest.skip(f"shared data: {TRACE.name} is not beside this checkout")
    found = []
    with gzip.open(TRACE, "rt") as lines:
        for line in lines:
            said = line.split()
            if said[0].startswith(";"):
                continue
            at, wait, ran, requested = (int(said[place]) * 1_000 for place in (1, 2, 3, 8))
            user, alike = said[11], f"{said[11]} {said[8]} {said[4]}"
            keys = tuple(
                HistoryKey(f"{likeness.value}:{name}", likeness, name, "", "")
                for likeness, name in zip(Likeness, (alike, user, ""), strict=True)
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


def test_nine_of_ten_bounds_hold():
    facts = Facts()
    running: list[tuple[int, int, Job, Estimate | None]] = []
    given: list[Estimate | None] = []
    trace = jobs()
    for at, job in enumerate(trace):
        while running and running[0][0] <= job.asked_at:
            _, _, over, learned = heappop(running)
            for key in over.keys:
                add(facts, key, Run(over.ran_ms, over.ended_at, "sp2"), over.asked_at, learned)
        learned = asked(facts, job)
        given.append(learned)
        heappush(running, (job.ended_at, at, job, learned))
    held = [
        each is None or job.ran_ms <= min(each.bound_ms, job.requested_ms)
        for job, each in zip(trace, given, strict=True)
    ]
    assert len(trace) == 28_481
    assert 0.89 <= sum(held) / len(held) <= 0.91
    users: defaultdict[str, list[bool]] = defaultdict(list)
    for job, kept in zip(trace, held, strict=True):
        users[job.user].append(kept)
    often = [sum(each) / len(each) for each in users.values() if len(each) >= 200]
    third = len(held) * 3 // 10
    parts = (held, held[:third], held[third:])
    whole, first, rest = (sum(part) / len(part) for part in parts)
    print(
        f"held: {whole:.4f}; first 30 %: {first:.4f}, rest {rest:.4f}; worst of {len(often)} users"
        f" with 200 jobs or more: {min(often):.3f}"
    )
