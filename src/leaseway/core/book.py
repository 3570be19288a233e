"""`may_start(book, now)`: what the spawner may start without asking anybody.

The queue never overtakes in a way that takes room from what stands before it: a grant starts only
if it fits beside everything that runs *and* everything queued before it, or is itself the head.
What is still receiving its files keeps its place, and the room it will need.
"""

from __future__ import annotations

from leaseway.core.local_time import shortened
from leaseway.core.model.capacity import fits, minus
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import Book, LocalGrant, Verdict, WorkerNow


def may_start(book: Book, now: WorkerNow) -> Verdict:
    """Start these, hand these back, look again after so long. Checked again here: what can no
    longer finish is not started."""
    free = book.capacity
    for _, used in book.running:
        free = minus(free, used)
    start: list[AttemptRef] = []
    back: list[AttemptRef] = []
    again: list[Millis] = []
    for grant in book.queue:
        if _too_late(grant, now):
            back.append(grant.ref)
            continue
        again.append(grant.start_by_boot + 1 - now.boot_ms)
        asked = grant.taken
        early = grant.not_before_boot - now.boot_ms
        if early > 0:
            again.append(early)
        elif book.accepting and grant.ref not in book.receiving and fits(free, asked):
            start.append(grant.ref)
        free = minus(free, asked)
    return Verdict(tuple(start), tuple(back), min(again, default=None))


def _too_late(grant: LocalGrant, now: WorkerNow) -> bool:
    """Past its start-by, or its reserved time no longer fits before the window's end. What is left
    of the window here is shortened by what clocks may err; the reserved time is shortened likewise,
    or else what the coordinator may promise up to the end could never start."""
    if now.boot_ms > grant.start_by_boot:
        return True
    if grant.shared:
        return False  # what it reserved runs from when it was granted, and it was admitted then
    return now.boot_ms + shortened(grant.reserved_ms) > grant.stop_latest_boot
