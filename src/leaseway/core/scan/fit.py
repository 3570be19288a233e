"""How many tasks fit into the time that is left.

On one slot n = floor((E - t + gap) / (mu + gap)) tasks of length mu (`admission.md` section 6):
E is the window's end less the guard, the gap what a reservation holds beside the reserved time.
What is counted is what can be expected, not what is promised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heapreplace

from msgspec import Struct

from leaseway.core.admission.gates import is_open, longest_left, reserved_ms, usable_windows
from leaseway.core.model.capacity import UNLIMITED
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.units import Instant, Millis
from leaseway.core.scan.lengths import expected_ms, latest_end
from leaseway.core.scan.sure import CONFIDENCE, Law, how_many_sure, worst


class WorkerFit(Struct, frozen=True, omit_defaults=True):
    """What one worker alone could finish of the plan. `left_ms`: the longest stretch left, None: no
    end was set. `slots`: how many of these tasks at once, None: any number. `fit` of `count` tasks
    that pass its gates and whose time is known; `expected`: some of the times are estimates, else
    all are limits. `untimed` tasks pass too, but nobody knows how long they take. `sure`: how many
    finish with 95 % confidence, by how long they took before; None: no history says so."""

    worker: str
    open_now: bool
    left_ms: Millis | None
    slots: int | None
    fit: int
    count: int
    expected: bool = False
    untimed: int = 0
    guard_ms: Millis = 0
    max_run_ms: Millis | None = None
    sure: int | None = None


Many = Sequence[tuple[TaskSpec, int]]
"""Tasks, and how many are alike."""


class Stretch(Struct, frozen=True):
    """One window: it opens in `opens_ms`; `room_ms` is E - t counted from there, None: no end."""

    opens_ms: Millis
    room_ms: Millis | None
    gap_ms: Millis


def how_many(room_ms: Millis, each_ms: Millis, gap_ms: Millis = 0, slots: int = 1) -> int:
    """How many tasks of one length fit; `room_ms` is E - t. Tasks of no length without a gap fit
    as often as one likes: `UNLIMITED`."""
    if room_ms < each_ms:
        return 0
    if each_ms + gap_ms == 0:
        return UNLIMITED
    return (room_ms + gap_ms) // (each_ms + gap_ms) * slots


def stretches(plan: PlanSpec, terms: Terms, now: Instant) -> list[Stretch]:
    """The windows from now on, each less the guard and cut at the plan's own end."""
    gap = terms.guard.overhead_ms
    found = []
    for window in usable_windows(terms, now):
        opens = max(0, window.opens_at - now)
        latest = latest_end(window, terms.guard, now)
        ends = [] if latest is None else [latest - now - gap]
        if plan.by_ms is not None:
            ends.append(plan.by_ms - gap)
        found.append(Stretch(opens, min(ends) - opens if ends else None, gap))
    return found


def slots_for(plan: PlanSpec, terms: Terms, tasks: Many) -> int:
    """How many of these tasks run at once, by what they use on average."""
    amounts = terms.capacity.vector()
    whole = sum(count for _, count in tasks)
    used = [tuple(each * count for each in task.uses.vector()) for task, count in tasks]
    sums = [sum(column) for column in zip(*used, strict=True)]
    held = zip(amounts, sums, strict=True) if sums else ()
    found = min(
        (have * whole // used for have, used in held if used and have < UNLIMITED),
        default=UNLIMITED if sums else amounts[-1],
    )
    return found if plan.max_parallel is None else min(found, plan.max_parallel)


def worker_fit(
    plan: PlanSpec,
    worker: str,
    terms: Terms,
    now: Instant,
    passing: Many,
    laws: Sequence[Law | None] = (),
) -> WorkerFit:
    """How many of the tasks that pass its gates this worker could finish, with nothing else to do.
    `passing`: those tasks; `laws`: how long each of them took before, None: nobody knows."""
    timed = [(task, count) for task, count in passing if expected_ms(task) is not None]
    slots = slots_for(plan, terms, timed or passing)
    lengths = sorted((expected_ms(task) or 0, count) for task, count in timed)
    each = [length for length, count in lengths for _ in range(count)]
    windows = stretches(plan, terms, now)
    fit = 0
    for stretch in windows:
        fit += packed(each[fit:] if fit else each, stretch, slots)
    return WorkerFit(
        worker=worker,
        open_now=is_open(terms, now),
        left_ms=longest_left(terms, now),
        slots=None if slots >= UNLIMITED else slots,
        fit=fit,
        count=len(each),
        expected=any(task.estimate_ms is not None or task.learned is not None for task, _ in timed),
        untimed=sum(count for _, count in passing) - len(each),
        guard_ms=terms.guard.total_ms,
        max_run_ms=terms.max_run_ms,
        sure=_sure(windows, slots, laws),
    )


def _sure(windows: Sequence[Stretch], slots: int, laws: Sequence[Law | None]) -> int | None:
    """How many finish with 95 % confidence in the best window; None: of some nothing is known. Of
    different laws all are taken for the one that lasts longest, so that it is never too many."""
    known = [law for law in laws if law is not None]
    if not known or len(known) < len(laws):
        return None
    law = worst(known)
    most = len(known)
    return max(
        (
            most
            if stretch.room_ms is None
            else how_many_sure(law, stretch.room_ms, stretch.gap_ms, min(slots, most), most)
            for stretch in windows
        ),
        default=0,
    )


def packed(lengths: Sequence[Millis], stretch: Stretch, slots: int) -> int:
    """How many of these fit into one window, in the order given, each where it can start first.
    Shortest first finds the most."""
    free = [0] * min(slots, len(lengths))
    if not free or stretch.room_ms is None:
        return len(lengths) if free else 0
    if sum(lengths) + stretch.gap_ms * len(lengths) <= stretch.room_ms:
        return len(lengths)
    for count, length in enumerate(lengths):
        if free[0] + length > stretch.room_ms:
            return count
        heapreplace(free, free[0] + length + stretch.gap_ms)
    return len(lengths)


def untimed_finding(plan: PlanSpec) -> Finding | None:
    """LW304: neither estimate nor limit, and no promise was declined."""
    names = tuple(
        task.name for task in plan.tasks if task.promise != "none" and reserved_ms(task) is None
    )
    return Finding("LW304", names, severity=Severity.NOTE) if names else None


def too_many_finding(fit: int, count: int, workers: Iterable[WorkerFit]) -> Finding | None:
    """LW305: `fit` of `count` tasks can finish on all workers together, and that is not all."""
    asked = [found for found in workers if found.count]
    if fit >= count or not asked:
        return None
    numbers: dict[str, int | str | list[str]] = {"fit": fit, "count": count}
    if len(asked) == 1 and asked[0].left_ms is not None:
        numbers["left_ms"] = asked[0].left_ms
    if len(asked) == 1 and asked[0].sure is not None:
        numbers |= {"sure": asked[0].sure, "confidence": CONFIDENCE}
    if len(asked) > 1:
        numbers |= {f"fit@{found.worker}": found.fit for found in asked}
    names = tuple(found.worker for found in asked)
    return Finding("LW305", (), names, numbers, "", Severity.WARNING)
