"""A spawner with the plainest rule: first come, first started, while capacity is free.

python -m tests.worker.fifo SPOOL [CAP_BYTES]
"""

from __future__ import annotations

import sys
from pathlib import Path

from leaseway.core.model.capacity import fits, minus
from leaseway.core.model.worker import Book, Verdict, WorkerNow
from leaseway.worker.capture import CAP_BYTES
from leaseway.worker.spawner import run_spawner


def first_come(book: Book, now: WorkerNow) -> Verdict:
    free = book.capacity
    for _, taken in book.running:
        free = minus(free, taken)
    start, back = [], []
    for grant in book.queue if book.accepting else ():
        if now.boot_ms > grant.start_by_boot:
            back.append(grant.ref)
        elif fits(free, grant.uses.vector()):
            free = minus(free, grant.uses.vector())
            start.append(grant.ref)
    return Verdict(tuple(start), tuple(back))


if __name__ == "__main__":
    cap = int(sys.argv[2]) if len(sys.argv) > 2 else CAP_BYTES
    sys.exit(run_spawner(Path(sys.argv[1]), first_come, cap))
