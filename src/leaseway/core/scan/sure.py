"""How many tasks of one law finish in the time left, with a confidence (`admission.md` section 6).

n_p is the largest n with P(S_n + (n - 1) gap ≤ room) ≥ p, S_n the sum of n lengths. Where nothing
but mean and spread is known, Cantelli's inequality bounds that chance from below.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import erf, exp, sqrt

from msgspec import Struct

from leaseway.core.model.estimate import RUNS_NEEDED
from leaseway.core.model.units import Millis

CONFIDENCE = 95


class Normal(Struct, frozen=True, tag=True):
    """Lengths spread like a normal law; ms."""

    mean_ms: float
    sd_ms: float


class Exponential(Struct, frozen=True, tag=True):
    """Lengths spread like an exponential law; ms."""

    mean_ms: float


class Spread(Struct, frozen=True, tag=True):
    """Only mean and standard deviation are known; ms."""

    mean_ms: float
    sd_ms: float


Law = Normal | Exponential | Spread


def law_of(lengths: Sequence[Millis | None]) -> Spread | None:
    """Mean and spread of the runs of one history; no shape is assumed. A run that was stopped
    (None) leaves open how long it would have taken. None: that, or fewer runs than bounds need."""
    ended = [length for length in lengths if length is not None]
    if len(ended) < max(RUNS_NEEDED, len(lengths)):
        return None
    mean = sum(ended) / len(ended)
    squares = sum((length - mean) ** 2 for length in ended)
    return Spread(mean, sqrt(squares / (len(ended) - 1)))


def worst(laws: Sequence[Law]) -> Law:
    """The one law; of several one of which mean and spread are those of the worst."""
    if len(set(laws)) == 1:
        return laws[0]
    spreads = [law.mean_ms if isinstance(law, Exponential) else law.sd_ms for law in laws]
    return Spread(max(law.mean_ms for law in laws), max(spreads))


def chance(law: Law, count: int, room_ms: float) -> float:
    """P(S_count ≤ room), or what it is at least; 1 for no task at all."""
    if count == 0:
        return 1.0
    left = room_ms - count * law.mean_ms
    match law:
        case Exponential(mean):
            return _erlang(count, room_ms / mean) if mean > 0 else float(room_ms >= 0)
        case Normal(_, sd):
            return _above(left, sd * sqrt(count))
        case Spread(_, sd):
            if left <= 0 or sd == 0:
                return float(left >= 0 and sd == 0)
            return left * left / (left * left + count * sd * sd)


def _above(left: float, sd: float) -> float:
    """The normal distribution function of left / sd."""
    return (1 + erf(left / sd / sqrt(2))) / 2 if sd > 0 else float(left >= 0)


def _erlang(count: int, rate: float) -> float:
    """P of a sum of `count` exponential lengths: 1 - e^-x (1 + x + x²/2! + … )."""
    if rate <= 0:
        return 0.0
    term = total = exp(-rate)
    for at in range(1, count):
        term *= rate / at
        total += term
    return 1 - total


def how_many_sure(
    law: Law, room_ms: Millis, gap_ms: Millis = 0, slots: int = 1, most: int = 10_000
) -> int:
    """How many of `most` finish on `slots` at once, all of them with `CONFIDENCE` percent: each
    slot takes its turn, and the chances of all slots are multiplied."""

    def kept(count: int) -> bool:
        each, more = divmod(count, slots)
        chances = chance(law, each, room_ms - gap_ms * max(0, each - 1)) ** (slots - more)
        if more:
            chances *= chance(law, each + 1, room_ms - gap_ms * each) ** more
        return chances * 100 >= CONFIDENCE

    low, high = 0, most if slots > 0 else 0
    while low < high:
        middle = (low + high + 1) // 2
        if kept(middle):
            low = middle
        else:
            high = middle - 1
    return low
