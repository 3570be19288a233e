"""The rows of the table, and what was published for the reference rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from msgspec import Struct

from bench.evaluate.bounds import Conformal, LastTwo, Oracle, Request, Unaware
from bench.evaluate.drain import Machine, Rule, Way
from bench.evaluate.measures import Measures, first, measure
from bench.evaluate.ours import Risk, Shipped, by_user
from bench.evaluate.risk import PER_HOUR_PPM, worth_ppm
from bench.evaluate.trace import Job

WITHIN = 3.0
"""Percent that a mean of a reference row may differ from the published one."""


class Published(Struct, frozen=True):
    """Percent of starts broken and of core-time wasted, mean wait in minutes, bounded slowdown; the
    wait where the first job keeps its cores (reading B)."""

    broken: float
    wasted: float
    mean_wait: float
    slowdown: float
    holding: float | None = None


class Row(Struct, frozen=True):
    """One way to say what may start. `published` None: it is ours. `line`: rows that belong
    together in the picture; `mark`: what it is called there, where that is not its name."""

    name: str
    rule: Callable[[], Rule]
    published: Published | None = None
    line: str = ""
    mark: str = ""


class Result(Struct, frozen=True):
    """What came of a row: all jobs, and those after the part that parameters are chosen on."""

    row: Row
    whole: Measures
    rest: Measures


def risk(per_hour_ppm: int) -> Callable[[], Rule]:
    """The risk of each start against what an hour of waiting is worth."""
    return lambda: Risk(lambda left_ms: worth_ppm(left_ms, per_hour_ppm))


def fixed(allowed_ppm: int) -> Callable[[], Rule]:
    """The risk of each start against one number."""
    return lambda: Risk(lambda _left_ms: allowed_ppm)


REFERENCES = (
    Row("none (leases not looked at)", Unaware, Published(16.9, 22.1, 36.6, 20.0, 36.8)),
    Row("last-two average", LastTwo, Published(5.6, 12.2, 34.2, 15.9, 37.3)),
    Row("conformal 80 %", partial(Conformal, 0.2), Published(2.95, 6.3, 39.3, 18.0, 43.2), "c"),
    Row("conformal 90 %", partial(Conformal, 0.1), Published(1.85, 3.8, 41.4, 19.7, 46.3), "c"),
    Row("conformal 95 %", partial(Conformal, 0.05), Published(1.19, 2.3, 43.1, 21.3, 48.2), "c"),
    Row("user's request", Request, Published(0, 0, 47.0, 25.7, 52.0), "c"),
    Row("oracle", Oracle, Published(0, 0, 26.5, 8.3, 30.5)),
)

CHOSEN = Row(
    "risk of the start, by what is left", risk(PER_HOUR_PPM), None, "r", "4.5 % an hour (frozen)"
)
OURS = (
    Row("core/estimates 90 %, request → user → all", Shipped, None, "s", "90 %"),
    Row("core/estimates 90 %, user → all", partial(Shipped, by_user), None, "s", " "),
    Row("core/estimates 95 %", partial(Shipped, level_ppm=950_000), None, "s", "95 %"),
    Row("risk of the start, 2 % always", fixed(20_000), None, "f", "2 %"),
    Row("risk of the start, 5 % always", fixed(50_000), None, "f", "5 %"),
    Row("risk of the start, 10 % always", fixed(100_000), None, "f", "10 %"),
    CHOSEN,
)

TRIED_PPM = (15_000, 30_000, 45_000, 60_000, 90_000)
"""What an hour might be worth: one is chosen on the first part of the trace."""

MOST_BROKEN = 0.5
"""Percent: of those that break no more, the shortest mean wait is chosen."""


def play(row: Row, jobs: list[Job], way: Way) -> Result:
    """Replay the row."""
    done = Machine(jobs, way, row.rule()).run()
    return Result(row, measure(done), measure(done[first(len(done)) :]))


def chosen_ppm(tried: dict[int, Measures]) -> int:
    """What an hour is worth, from what came of each on the first part of the trace."""
    allowed = {ppm: one for ppm, one in tried.items() if one.broken <= MOST_BROKEN}
    return min(allowed or tried, key=lambda ppm: tried[ppm].mean_wait)


def deviation(seen: float, published: float) -> float:
    """In percent of what was published."""
    return 100 * (seen - published) / published
