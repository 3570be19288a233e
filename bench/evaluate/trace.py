"""The trace: jobs of a real machine in the Standard Workload Format."""

from __future__ import annotations

import gzip
from pathlib import Path

from msgspec import Struct

CORES = 100
TRACE = Path(__file__).resolve().parents[3] / "shared" / "data" / "kth-sp2.swf.gz"
"""KTH SP2 (Parallel Workloads Archive, D. Feitelson; log by Lars Malinowsky): beside a checkout."""


class Job(Struct, frozen=True):
    """One line of the log. Times in seconds; `number` counts from 0 in order of submission.
    `logged_end`: when it ended on the machine of the log."""

    number: int
    submit: int
    run: int
    request: int
    cores: int
    user: str
    logged_end: int


def read(path: Path = TRACE) -> list[Job]:
    """All jobs in order of submission. Raises OSError."""
    found: list[tuple[int, int, int, int, str, int]] = []
    with gzip.open(path, "rt", encoding="ascii") as lines:
        for line in lines:
            said = line.split()
            if said and not said[0].startswith(";"):
                submit, wait, run = (int(said[place]) for place in (1, 2, 3))
                end = submit + wait + run
                found.append((submit, run, int(said[8]), int(said[4]), said[11], end))
    found.sort(key=lambda each: each[0])
    return [Job(number, *each) for number, each in enumerate(found)]


def within(jobs: list[Job], longest: int) -> list[Job]:
    """The jobs that ask for no more than this, numbered anew."""
    kept = [job for job in jobs if job.request <= longest]
    return [
        Job(at, job.submit, job.run, job.request, job.cores, job.user, job.logged_end)
        for at, job in enumerate(kept)
    ]
