"""How many tasks at once pay off, with the makespan at one less and one more.

A = T1 / T-infinity bounds the speed-up; k = ceil(A) slots (`admission.md` section 5). Tasks that
share a token follow each other in the order of serial work. The makespans are those of a list
schedule in the order of the list: a real schedule, not a bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from msgspec import Struct

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Millis
from leaseway.core.scan.graph import Sources, followers_of
from leaseway.core.scan.lengths import expected_ms
from leaseway.core.scan.order import Order


class Degree(Struct, frozen=True, omit_defaults=True):
    """`work_ms` is T1, `path_ms` T-infinity; makespans by number of slots."""

    degree: int
    work_ms: Millis
    path_ms: Millis
    makespan_ms: Millis
    fewer_ms: Millis | None = None  # with one slot less
    more_ms: Millis | None = None  # with one slot more
    bounded: bool = False  # more would pay off, and there are no more slots or the plan allows none


def degree(
    plan: PlanSpec, ordered: Order, slots: int | None = None, followed: Sources | None = None
) -> Degree | None:
    """The degree of an acyclic plan, at most `slots` and the plan's own `max_parallel`; None where
    the time of a task is not known, or there is nothing to run beside. Where one slot less ends no
    later (Graham's anomalies) it is that one. `followed`: the order turned round, if it
    is known."""
    lengths = [expected_ms(task) for task in plan.tasks]
    known = [length for length in lengths if length is not None]
    if len(known) < max(2, len(lengths)) or not any(known):
        return None
    sources = _with_tokens(plan, ordered)
    shared = followed is not None and sources is ordered.sources
    followers = followed if followed is not None and shared else followers_of(sources)
    work, path = sum(known), longest_path(known, sources, ordered.positions)
    bounds = [bound for bound in (slots, plan.max_parallel) if bound is not None]
    pays = -(-work // path)
    best = max(1, min([pays, *bounds]))
    found, held_back = listed(known, sources, best, followers)
    fewer = makespan(known, sources, best - 1, followers) if best > 1 else None
    more = found if best < len(known) else None
    if held_back and best < len(known):
        more = makespan(known, sources, best + 1, followers)
    while fewer is not None and fewer <= found:
        best, found, more = best - 1, fewer, found
        fewer = makespan(known, sources, best - 1, followers) if best > 1 else None
    return Degree(best, work, path, found, fewer, more, bounded=best < pays and best in bounds)


def degree_finding(found: Degree) -> Finding:
    """LW211."""
    numbers: dict[str, int | str | list[str]] = {
        "degree": found.degree,
        "degree_ms": found.makespan_ms,
    }
    if found.fewer_ms is not None:
        numbers |= {"fewer": found.degree - 1, "fewer_ms": found.fewer_ms}
    if found.more_ms is not None:
        numbers |= {"more": found.degree + 1, "more_ms": found.more_ms}
    all_at_once = found.more_ms is None or found.bounded
    variant = "all" if all_at_once else ""
    return Finding("LW211", numbers=numbers, variant=variant, severity=Severity.NOTE)


def longest_path(lengths: Sequence[Millis], sources: Sources, order: Sequence[int]) -> Millis:
    """How long it takes with room for all at once. `order`: predecessors first."""
    ends = list(lengths)
    for at in order:
        if sources[at]:
            ends[at] += max([ends[source] for source in sources[at]])
    return max(ends, default=0)


def makespan(
    lengths: Sequence[Millis], sources: Sources, slots: int, followers: Sources | None = None
) -> Millis:
    """When the last one ends if always the first of the list that can start does. `followers`: the
    sources turned round, if they are known."""
    return listed(lengths, sources, slots, followers)[0]


def listed(
    lengths: Sequence[Millis], sources: Sources, slots: int, followers: Sources | None = None
) -> tuple[Millis, bool]:
    """The same, and whether somebody ever waited for a slot: if not, more slots change nothing."""
    waiting = list(map(len, sources))
    followers = followers_of(sources) if followers is None else followers
    ready = [at for at, count in enumerate(waiting) if not count]
    size = len(sources)
    running: list[int] = []  # end × size + index: one number is compared faster than two
    now, free, held_back = 0, slots, False
    while ready or running:
        while ready and free:
            at = heappop(ready)
            heappush(running, (now + lengths[at]) * size + at)
            free -= 1
        held_back = held_back or bool(ready)
        now, at = divmod(running[0], size)
        ends = (now + 1) * size
        while running and running[0] < ends:
            free += 1
            for follower in followers[heappop(running) % size]:
                left = waiting[follower] = waiting[follower] - 1
                if not left:
                    heappush(ready, follower)
    return now, held_back


def _with_tokens(plan: PlanSpec, ordered: Order) -> Sources:
    """All edges by index, and one from each holder of a token to the next. Derived edges lead from
    lower to higher positions, so those are still the order of serial work."""
    if not any(task.holds for task in plan.tasks):
        return ordered.sources
    sources = [list(mine) for mine in ordered.sources]
    last: dict[str, int] = {}
    for at in ordered.positions:
        for token in dict.fromkeys(plan.tasks[at].holds):
            before = last.get(token)
            if before is not None and before not in sources[at]:
                sources[at].append(before)
            last[token] = at
    return sources
