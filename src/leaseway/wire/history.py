"""How long commands took before, and what that says, as it is shown."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.estimates.bound import tolerance_ms
from leaseway.core.estimates.soundness import is_sound
from leaseway.core.model.estimate import LEVEL_PPM, Estimate, Ppm, Runs, runs_needed
from leaseway.core.model.record import Tally
from leaseway.core.model.units import Instant, Millis

_COVER_PPM: Ppm = 950_000
_SURE_PPM: Ppm = 950_000


class EstimateInfo(Struct, frozen=True):
    """A bound from earlier runs: meant to hold in `level_ppm` of cases, resting on so many `runs`
    of history `key`. Of the `judged` bounds given before, `covered` held; `achieved_ppm` of them,
    None: none was put to the test. `likeness`: command, shape (numbers of as many digits), template
    (numbers and digests aside), or anywhere (whatever the worker)."""

    bound_ms: Millis
    runs: int
    key: str
    likeness: str
    level_ppm: Ppm
    judged: int = 0
    covered: int = 0
    achieved_ppm: Ppm | None = None


class RunInfo(Struct, frozen=True):
    """One run. `ended` False: it was stopped, and would have taken at least so long. `beside`: so
    many others ran there when it ended. `bound_ms`: what it was held against; `limit_ms`: of its
    task; 0: there was none."""

    ran_ms: Millis
    at: Instant
    worker: str
    ended: bool
    cpu_ms: Millis
    beside: int
    bound_ms: Millis = 0
    limit_ms: Millis = 0


class HistoryInfo(Struct, frozen=True):
    """One history. `needed`: so many runs must have ended before a bound is given. `bound_ms`: what
    the next run is given, None: nothing. `runs`, oldest first, where one was asked for.
    `tolerance_ms`: 95 % of runs stay below it, said with 95 % certainty; None: too few ended, or
    some were stopped. `sound` False: the row makes no sense and is passed over."""

    key: str
    likeness: str
    command: str
    place: str
    labels: str
    ended: int
    stopped: int
    needed: int
    last_at: Instant
    bound_ms: Millis | None = None
    judged: int = 0
    covered: int = 0
    runs: tuple[RunInfo, ...] = ()
    level_ppm: Ppm = LEVEL_PPM
    tolerance_ms: Millis | None = None
    sound: bool = True


class HistoryList(Struct, frozen=True):
    """Histories, the last added to first; those of a task nearest first. `total`: there are so
    many."""

    histories: tuple[HistoryInfo, ...]
    total: int
    now: Instant


class TallyInfo(Struct, frozen=True):
    """What became of the promises of one worker, principal or basis; `made` is the sum of the
    seven others. `moved`: on to another worker, in time. `causes`: of withdrawn and broken ones, by
    code. `ahead_ms`: how long before the promised times they were withdrawn, in the mean, and
    `ahead_least_ms` at least. `wasted_core_ms`: by code."""

    made: int
    kept: int
    withdrawn: int
    broken: int
    overran: int
    dropped: int
    moved: int
    open: int
    causes: dict[str, int]
    ahead_ms: Millis | None
    ahead_least_ms: Millis | None
    wasted_core_ms: dict[str, int]


class RecordInfo(Struct, frozen=True):
    """What became of promises. `bases`: `estimate` (the task's own), `limit`, or a likeness of
    histories."""

    workers: dict[str, TallyInfo]
    principals: dict[str, TallyInfo]
    bases: dict[str, TallyInfo]
    now: Instant


def tally_info(tally: Tally) -> TallyInfo:
    """A tally as it is shown."""
    return TallyInfo(
        made=tally.made,
        kept=tally.kept,
        withdrawn=tally.withdrawn,
        broken=tally.broken,
        overran=tally.overran,
        dropped=tally.dropped,
        moved=tally.moved,
        open=tally.open,
        causes=dict(sorted(tally.causes.items())),
        ahead_ms=tally.ahead_ms // tally.withdrawn if tally.withdrawn else None,
        ahead_least_ms=tally.ahead_least_ms,
        wasted_core_ms={each.code: each.core_ms for each in tally.wasted},
    )


def estimate_info(estimate: Estimate | None) -> EstimateInfo | None:
    """An estimate as it is shown."""
    if estimate is None:
        return None
    return EstimateInfo(
        bound_ms=estimate.bound_ms,
        runs=estimate.runs,
        key=estimate.key,
        likeness=estimate.likeness.value,
        level_ppm=estimate.level_ppm,
        judged=estimate.judged,
        covered=estimate.covered,
        achieved_ppm=estimate.achieved_ppm,
    )


def history_info(key: str, past: Runs, *, whole: bool = False) -> HistoryInfo:
    """A history as it is shown; `whole`: with its runs."""
    sound = is_sound(past)
    bound = past.bound_ms if sound else None
    runs = past.runs if sound and whole else ()
    return HistoryInfo(
        key=key,
        likeness=past.likeness.value,
        command=past.command,
        place=past.place,
        labels=past.labels,
        ended=past.ended,
        stopped=len(past.runs) - past.ended,
        needed=runs_needed(past.level_ppm) if sound else 0,
        last_at=past.runs[-1].at if past.runs else 0,
        bound_ms=bound,
        judged=past.judged,
        covered=past.covered,
        runs=tuple(
            RunInfo(
                run.ran_ms,
                run.at,
                run.worker,
                run.ended,
                run.cpu_ms,
                run.beside,
                run.bound_ms,
                run.limit_ms,
            )
            for run in runs
        ),
        level_ppm=past.level_ppm,
        tolerance_ms=_tolerance_ms(past) if runs else None,
        sound=sound,
    )


def _tolerance_ms(past: Runs) -> Millis | None:
    """Of runs that all ended: of one that was stopped it is not known where it belongs."""
    if past.ended < len(past.runs):
        return None
    return tolerance_ms([run.ran_ms for run in past.runs], _COVER_PPM, _SURE_PPM)
