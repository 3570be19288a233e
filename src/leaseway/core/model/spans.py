"""When attempts ran on a worker whose cpus are shared: what each of them has surely had."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct

from leaseway.core.model.units import Instant


class Span(Struct, frozen=True, omit_defaults=True, gc=False):
    """One attempt: `cap` thousandths of a cpu at most, from `start` to `end` (None: it runs)."""

    task: str
    number: int
    cap: int
    start: Instant
    end: Instant | None = None


def started(spans: Sequence[Span], fresh: Span) -> tuple[Span, ...]:
    """One more; said twice, the later word counts."""
    others = (each for each in spans if (each.task, each.number) != (fresh.task, fresh.number))
    return (*others, fresh)


def ended(spans: Sequence[Span], task: str, number: int, at: Instant) -> tuple[Span, ...]:
    """One is over. Those that ended before whatever runs now began are not needed any more."""
    closed = [
        Span(each.task, each.number, each.cap, each.start, max(each.start, at))
        if (each.task, each.number) == (task, number)
        else each
        for each in spans
    ]
    first = min((each.start for each in closed if each.end is None), default=None)
    if first is None:
        return ()
    return tuple(each for each in closed if each.end is None or each.end > first)


def served(
    spans: Sequence[Span], cpus: int, now: Instant, were: Sequence[tuple[Instant, int]] = ()
) -> dict[str, int]:
    """By task that runs, in thousandths of a cpu × ms, what it has had at least if it wanted all it
    can use: its cap, or its part of all cpus by cap while they were short. Rounded down. `were`:
    how many cpus there were until when, in order; since the last of these there are `cpus`."""
    marks = sorted(
        {now}
        | {each.start for each in spans if each.start < now}
        | {each.end for each in spans if each.end is not None and each.end < now}
        | {until for until, _ in were if until < now}
    )
    had = {each.task: 0 for each in spans if each.end is None}
    for since, until in pairwise(marks):
        there = [
            each
            for each in spans
            if each.start <= since and (each.end is None or each.end >= until)
        ]
        asked = sum(each.cap for each in there)
        free = next((some for end, some in were if end >= until), cpus)
        for each in there:
            if each.task in had:
                rate = each.cap * (until - since)
                had[each.task] += rate if asked <= free else rate * free // asked
    return had
