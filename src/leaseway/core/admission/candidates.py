"""Other ways in for a newcomer that does not fit beside the others now, each tried by the same test
(`admission.md` §2.1): behind a short task, at the next moments at which one ends, by weights.

The list is finite and in this order; the first that passes is taken. A later start is not better by
itself: delaying a newcomer can harm others where a sooner one would not, so nothing is bisected.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from leaseway.core.admission.demand import Shortage, shortage
from leaseway.core.admission.projection import ends
from leaseway.core.admission.weights import shares
from leaseway.core.admission.work import Milli, Work
from leaseway.core.model.units import Instant, Millis

TRIED = 16
"""So many moments are tried at most."""


class Verdict(StrEnum):
    """The four answers to a newcomer."""

    ACCEPT = "accept"
    REPLAN = "re-plan"
    NOT_FOUND = "not-found"
    REFUSE = "refuse"


class Harm(Struct, frozen=True, gc=False):
    """Whom it would make late: projected to end at `end`, `late_ms` after its stop time."""

    task: str
    end: Instant
    late_ms: Millis


class Tried(Struct, frozen=True, omit_defaults=True):
    """One way that was tried: `now`, `behind` a task, `later` (when that one ends), `weights`.
    `harm` None: it passes."""

    way: str
    start: Instant
    task: str = ""
    harm: Harm | None = None


class Answer(Struct, frozen=True, omit_defaults=True):
    """The answer with its proof: ends if accepted, the shortage if refused, else what was tried.
    `start`: when the newcomer may begin; `shares`: by task, where weights do it."""

    verdict: Verdict
    start: Instant = 0
    ends: tuple[Instant, ...] = ()
    shortage: Shortage | None = None
    tried: tuple[Tried, ...] = ()
    shares: tuple[int, ...] = ()


def answer(
    promised: Sequence[Work], newcomer: Work, cpus: Milli, now: Instant, *, weighted: bool = False
) -> Answer:
    """Whether a newcomer may be promised its stop time beside those that were promised theirs.
    `weighted`: this worker can give each its share."""
    whole = [*promised, newcomer]
    first = _tried(Tried("now", max(now, newcomer.release)), promised, newcomer, cpus, now)
    if first[0].harm is None:
        return Answer(Verdict.ACCEPT, first[0].start, first[1], None, (first[0],))
    no = shortage(whole, cpus, now)
    if no is not None:
        return Answer(Verdict.REFUSE, shortage=no, tried=(first[0],))
    tried = [first[0]]
    projected = ends(promised, cpus, now)
    for way in _later(promised, newcomer, projected, now):
        again, found = _tried(way, promised, newcomer, cpus, now)
        tried.append(again)
        if again.harm is None:
            return Answer(Verdict.REPLAN, again.start, found, None, tuple(tried))
    if weighted and (known := shares(whole, cpus, now)) is not None:
        start = max(now, newcomer.release)
        tried.append(Tried("weights", start))
        return Answer(Verdict.REPLAN, start, (), None, tuple(tried), tuple(known))
    return Answer(Verdict.NOT_FOUND, tried=tuple(tried))


def _tried(
    way: Tried, promised: Sequence[Work], newcomer: Work, cpus: Milli, now: Instant
) -> tuple[Tried, tuple[Instant, ...]]:
    whole = [*promised, replace(newcomer, release=way.start)]
    found = ends(whole, cpus, now)
    return replace(way, harm=harmed(whole, found)), tuple(found)


def harmed(works: Sequence[Work], found: Sequence[Instant]) -> Harm | None:
    """The first of these, in the order of promises, that would end after its stop time."""
    for work, end in zip(works, found, strict=True):
        if end > work.due:
            return Harm(work.name, end, end - work.due)
    return None


def _later(
    promised: Sequence[Work], newcomer: Work, projected: Sequence[Instant], now: Instant
) -> Iterator[Tried]:
    """Starts to try. Later than this it could not end in time even alone."""
    first = max(now, newcomer.release)
    last = newcomer.due - newcomer.alone_ms()
    upcoming = sorted(
        (end, work.name)
        for work, end in zip(promised, projected, strict=True)
        if first < end <= last
    )
    shortest = min(
        (work for work in promised if work.left), key=lambda work: work.left, default=None
    )
    moments: dict[Instant, str] = {}
    for end, name in upcoming:
        moments.setdefault(end, name)
    if shortest is not None:
        for end, name in upcoming:
            if name == shortest.name:
                moments.pop(end, None)
                yield Tried("behind", end, name)
                break
    for end, name in list(moments.items())[:TRIED]:
        yield Tried("later", end, name)
