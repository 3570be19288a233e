"""The bound: split conformal on how much longer a run took than the two before it.

The score of a run is its time in parts of the mean of the last two that had ended when it was asked
for; where there were not two, of the first two others that are known. The bound is the mean of the
last two times a quantile of the scores (`quantile_ppm`). All in whole numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from math import comb

from leaseway.core.model.estimate import LEVEL_PPM, Ppm, Run, runs_needed
from leaseway.core.model.units import Instant, Millis

MILLION = 1_000_000
STEP_PPM: Ppm = 20_000
"""How fast the share of misses that is aimed at follows what is seen (the gamma of adaptive
conformal inference)."""

_SHIFT_LEAST: Ppm = -300_000
"""With half of the share of misses on the other side: a long row of misses or hits is not held
against a command for ever."""


def bound_of(runs: Sequence[Run], level_ppm: Ppm = LEVEL_PPM, shift_ppm: Ppm = 0) -> Millis | None:
    """How long the next run takes at most in this share of cases. `shift_ppm`: what earlier misses
    and hits moved the share of misses that is aimed at. None: too few runs have ended, or those
    that were stopped leave open how long it can take."""
    ended = [run.ran_ms for run in runs if run.ended]
    if len(ended) < runs_needed(level_ppm):
        return None
    scores = scores_of(runs)
    miss_ppm = MILLION - level_ppm + shift_ppm
    ratio = quantile_ppm(scores, max(miss_ppm, -(-MILLION // (len(scores) + 1))))
    return None if ratio is None else -(-(ended[-1] + ended[-2]) * ratio // (2 * MILLION))


def scores_of(runs: Sequence[Run]) -> list[tuple[Ppm, bool]]:
    """Score of each run, and whether it ended (else it would have been at least so much)."""
    return [
        (-(-2 * MILLION * run.ran_ms // (run.pair_ms or _first_pair(runs, at))), run.ended)
        for at, run in enumerate(runs)
    ]


def _first_pair(runs: Sequence[Run], at: int) -> Millis:
    """The first two others that ended, together."""
    others = (run.ran_ms for other, run in enumerate(runs) if run.ended and other != at)
    return max(1, sum(islice(others, 2)))


def pair_before(runs: Sequence[Run], asked_at: Instant) -> Millis:
    """The last two that had ended when another was asked for, together; 0: there were not two."""
    before = (run.ran_ms for run in reversed(runs) if run.ended and run.at <= asked_at)
    last, other = next(before, None), next(before, None)
    return 0 if last is None or other is None else last + other


def quantile_ppm(scores: Sequence[tuple[Ppm, bool]], miss_ppm: Ppm) -> Ppm | None:
    """The smallest score that the next one exceeds in this share of cases at most. n scores that
    all ended: the one of rank ceil((n + 1)(1 - miss)). One that was stopped counts among those
    above its score, however far (product limit, Kaplan and Meier 1958). None: no score is."""
    if all(ended for _, ended in scores):
        rank = -(-(len(scores) + 1) * (MILLION - miss_ppm) // MILLION)
        return None if rank > len(scores) else sorted(scores)[max(0, rank - 1)][0]
    at_risk = len(scores) + 1
    above, of = 1, 1
    for score, ended in sorted(scores, key=_stopped_last):
        if ended:
            above *= at_risk - 1
            of *= at_risk
            if above * MILLION <= miss_ppm * of:
                return score
        at_risk -= 1
    return None


def moved(shift_ppm: Ppm, level_ppm: Ppm = LEVEL_PPM, *, missed: bool) -> Ppm:
    """The shift after one more bound was put to the test (Gibbs and Candes 2021): smaller after a
    miss, slowly larger while bounds hold."""
    aimed = MILLION - level_ppm
    step = STEP_PPM * (aimed - (MILLION if missed else 0)) // MILLION
    return min(aimed // 2, max(_SHIFT_LEAST, shift_ppm + step))


def tolerance_ms(lengths: Sequence[Millis], cover_ppm: Ppm, sure_ppm: Ppm) -> Millis | None:
    """The least of these lengths below which, with certainty `sure_ppm`, lies the share `cover_ppm`
    of all runs. 95 % of runs with 95 % certainty: the longest of 59, the second longest of 100.
    None: too few."""
    count = len(lengths)
    below, sure = 0, sure_ppm * MILLION**count
    for rank in range(1, count + 1):
        fewer = rank - 1
        below += comb(count, fewer) * cover_ppm**fewer * (MILLION - cover_ppm) ** (count - fewer)
        if below * MILLION >= sure:
            return sorted(lengths)[fewer]
    return None


def _stopped_last(score: tuple[Ppm, bool]) -> tuple[Ppm, bool]:
    return score[0], not score[1]
