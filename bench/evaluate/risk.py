"""The risk of one start: how probable it is that a job runs past the end of what is left.

A bound answers this for one probability, whatever is left; here the question is asked as it stands.
From far to near (everybody, the user, the user's jobs with that request, those with as many cores
too) the share of past runs that used more of their request than is left of this one, newer runs
counting more; each group starts from what the one before it says, as if that had been seen `firm`
times. Pure, in whole numbers: it could be asked by the core as it is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import deque
from collections.abc import Iterable, Sequence

from msgspec import Struct

MILLION = 1_000_000
KEPT = 64
"""Past runs of a group that count."""

FIRM = 4
"""What the wider group says weighs as much as so many of the newest runs."""

PER_HOUR_PPM = 45_000
"""The risk that an hour of waiting is worth: who would wait long may risk more."""

NEWEST = 1_000_000
"""Weight of the newest run."""

WEIGHTS = tuple(NEWEST * 9**at // 10**at for at in range(KEPT))
"""Of the newest run, the one before it, …: each nine tenths of the next."""


class Past(Struct, frozen=True):
    """One run in the past. `share_ppm`: of what was requested it used so much. `ended` False: it
    was stopped, and would have used at least that."""

    share_ppm: int
    ended: bool = True


def share_ppm(time: int, request: int) -> int:
    """Time as a share of the request, both in one unit."""
    return time * MILLION // max(1, request)


class Everybody:
    """The last runs of all users, by share of the request."""

    def __init__(self, kept: int) -> None:
        self._order: deque[int] = deque()
        self._sorted: list[int] = []
        self._kept = kept

    def add(self, share: int) -> None:
        """One more; the oldest is forgotten."""
        if len(self._order) == self._kept:
            del self._sorted[bisect_left(self._sorted, self._order.popleft())]
        self._order.append(share)
        insort(self._sorted, share)

    def risk_ppm(self, left_share: int) -> int:
        """How probable it is that a run uses more; a half while nothing is known."""
        over = len(self._sorted) - bisect_right(self._sorted, left_share)
        return MILLION * (over + 1) // (len(self._sorted) + 2)


def risk_ppm(
    left_share: int, prior_ppm: int, near: Iterable[Sequence[Past]], firm: int = FIRM
) -> int:
    """Probability, in millionths, of using more of the request than is left of it. `near`: from the
    widest group to the nearest, newest run first. A run stopped too early to tell says nothing."""
    risk = prior_ppm
    for group in near:
        above = of = 0
        for weight, past in zip(WEIGHTS, group, strict=False):
            if past.share_ppm > left_share:
                above += weight
                of += weight
            elif past.ended:
                of += weight
        if of:
            risk = (MILLION * above + firm * NEWEST * risk) // (of + firm * NEWEST)
    return risk


def worth_ppm(left_ms: int, per_hour_ppm: int = PER_HOUR_PPM) -> int:
    """The risk that is worth taking instead of waiting for so long."""
    return per_hour_ppm * left_ms // 3_600_000
