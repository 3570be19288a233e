"""When each of several tasks ends that share the cpus of one worker fairly (`admission.md` §2.2).

Max-min with caps and weights: at every moment each gets min(cap, weight × level), the level such
that all cpus are used or every task has its cap. Whole numbers throughout: time in 1/4096 ms, what
was done rounded down and moments rounded up, so that no end is told too early by more than the
fineness of time itself, `FINE` of which are forgiven for each event.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from leaseway.core.admission.work import Milli, Work
from leaseway.core.model.units import Instant

FINE = 4096
NEVER: Instant = 1 << 62
_FORGIVEN = 2
"""Parts of 1/FINE ms by which rounding may make an end later, for each event."""


def ends(works: Sequence[Work], cpus: Milli, now: Instant) -> list[Instant]:
    """By index the moment at which it is done, if nobody uses more than what is left of it."""
    if sum(work.cap for work in works) <= cpus:  # nobody ever has less than it can use
        return [max(now, work.release) + work.alone_ms() for work in works]
    first = works[0]
    if cpus and all(work.cap * first.weight == first.cap * work.weight for work in works):
        return _alike(works, cpus, now)
    return _Fluid(works, cpus, now).run()


def _alike(works: Sequence[Work], cpus: Milli, now: Instant) -> list[Instant]:
    """The same where caps and weights are in one proportion, so that a cap binds all or nobody.
    Then everybody gets on by the same amount for its weight, and whoever has least left for its
    weight ends next (virtual time, Parekh and Gallager 1993)."""
    found = [max(now, work.release) + work.late_ms for work in works]
    cap, weight = works[0].cap, works[0].weight
    coming = sorted(
        ((work.release - now) * FINE, at)
        for at, work in enumerate(works)
        if work.left and work.release > now
    )
    coming.reverse()
    running = [
        (-(-work.most * FINE // work.weight), at)
        for at, work in enumerate(works)
        if work.left and work.release <= now
    ]
    heapify(running)
    shares = sum(works[at].weight for _, at in running)
    time, done, events = 0, 0, 0  # in 1/FINE ms; for a weight of one, so far
    while running or coming:
        if not running:
            time = max(time, coming[-1][0])
        top, below = (cap, weight) if shares * cap <= cpus * weight else (cpus, shares)
        until = time + -(-(running[0][0] - done) * below // top) if running else time
        if coming and coming[-1][0] <= until:
            moment, at = coming.pop()
            if running and moment > time:
                done += (moment - time) * top // below
                events += 1
            time = max(time, moment)
            heappush(running, (done + -(-works[at].most * FINE // works[at].weight), at))
            shares += works[at].weight
            continue
        events += until > time
        time = until
        done, at = heappop(running)
        shares -= works[at].weight
        found[at] = now - (-(time - min(_FORGIVEN * events, time)) // FINE)
    return found


class _Fluid:
    """One walk from event to event: somebody ends, or is released."""

    def __init__(self, works: Sequence[Work], cpus: Milli, now: Instant) -> None:
        self.works = works
        self.cpus = cpus
        self.now = now
        self.left = [work.most * FINE for work in works]
        self.ends = [max(now, work.release) + work.late_ms for work in works]
        # Who has its cap at a lower level comes first: caps bind in this order.
        self.order = sorted(
            (at for at, work in enumerate(works) if work.left),
            key=lambda at: (works[at].cap * _SCALE // works[at].weight, at),
        )
        self.coming = sorted(
            {work.release for work in works if work.left and work.release > now}, reverse=True
        )

    def run(self) -> list[Instant]:
        """The ends of all."""
        at_fine, events = 0, 0  # since now, in 1/FINE ms
        active = [at for at in self.order if self.works[at].release <= self.now]
        while active or self.coming:
            events += 1
            if not active:
                at_fine = (self.coming[-1] - self.now) * FINE
            step = self._until_next(active, at_fine)
            if step.length < 0:  # there are no cpus, and nobody else comes
                for at in active:
                    self.ends[at] = NEVER
                break
            at_fine += step.length
            self._use(active, step)
            forgiven = _FORGIVEN * events
            for at in [at for at in active if self.left[at] <= 0]:
                self.ends[at] = self.now - (-(at_fine - min(forgiven, at_fine)) // FINE)
            moment = self.now * FINE + at_fine
            while self.coming and self.coming[-1] * FINE <= moment:
                self.coming.pop()
            active = [
                at
                for at in self.order
                if self.left[at] > 0 and self.works[at].release * FINE <= moment
            ]
        return self.ends

    def _until_next(self, active: Sequence[int], at_fine: int) -> _Step:
        """Who has its cap, the level of the others, and how long that stays so."""
        works, free = self.works, self.cpus
        shares = sum(works[at].weight for at in active)
        capped = 0
        for at in active:
            work = works[at]
            if work.cap * shares > free * work.weight:
                break
            free -= work.cap
            shares -= work.weight
            capped += 1
        soonest = -1
        for place, at in enumerate(active):
            work, left = works[at], self.left[at]
            if place < capped:
                length = -(-left // work.cap)
            else:
                length = -(-left * shares // (free * work.weight)) if free else -1
            if length >= 0 and (soonest < 0 or length < soonest):
                soonest = length
        if self.coming:
            coming = (self.coming[-1] - self.now) * FINE - at_fine
            soonest = coming if soonest < 0 else min(soonest, coming)
        return _Step(capped, free, shares, soonest)

    def _use(self, active: Sequence[int], step: _Step) -> None:
        for place, at in enumerate(active):
            if place < step.capped:
                self.left[at] -= self.works[at].cap * step.length
            elif step.free:
                self.left[at] -= step.free * self.works[at].weight * step.length // step.shares


_SCALE = 1 << 20


class _Step:
    """One stretch of time in which every rate stays the same."""

    __slots__ = ("capped", "free", "length", "shares")

    def __init__(self, capped: int, free: Milli, shares: int, length: int) -> None:
        self.capped = capped
        self.free = free
        self.shares = shares
        self.length = length
