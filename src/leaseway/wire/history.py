"""How long commands took before, and what that says, as it is shown."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.estimate import RUNS_NEEDED, Estimate, Ppm, Runs
from leaseway.core.model.units import Instant, Millis


class EstimateInfo(Struct, frozen=True):
    """A bound from earlier runs: meant to hold in `level_ppm` of cases, resting on so many `runs`
    of history `key`. Of the `judged` bounds given before, `covered` held; `achieved_ppm` of them,
    None: none was put to the test. `likeness`: command, template (numbers and digests aside), or
    anywhere (whatever the worker)."""

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
    many others ran there when it ended."""

    ran_ms: Millis
    at: Instant
    worker: str
    ended: bool
    cpu_ms: Millis
    beside: int


class HistoryInfo(Struct, frozen=True):
    """One history. `needed`: so many runs must have ended before a bound is given. `bound_ms`: what
    the next run is given, None: nothing. `runs`, oldest first, where one was asked for."""

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


class HistoryList(Struct, frozen=True):
    """Histories, the last added to first; those of a task nearest first. `total`: there are so
    many."""

    histories: tuple[HistoryInfo, ...]
    total: int
    now: Instant


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
    shown = tuple(
        RunInfo(run.ran_ms, run.at, run.worker, run.ended, run.cpu_ms, run.beside)
        for run in past.runs
    )
    return HistoryInfo(
        key=key,
        likeness=past.likeness.value,
        command=past.command,
        place=past.place,
        labels=past.labels,
        ended=past.ended,
        stopped=len(past.runs) - past.ended,
        needed=RUNS_NEEDED,
        last_at=past.runs[-1].at if past.runs else 0,
        bound_ms=past.bound_ms,
        judged=past.judged,
        covered=past.covered,
        runs=shown if whole else (),
    )
