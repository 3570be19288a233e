"""Goal: a confidence needs so many runs, is put to the test by itself, and learns from what stood
in. Method: histories made by hand, numbers worked out beside them."""

from __future__ import annotations

import pytest

from leaseway.core.estimates.asking import Asking
from leaseway.core.estimates.keys import HistoryKey
from leaseway.core.estimates.learning import add, estimate_of
from leaseway.core.model.estimate import Estimate, Likeness, Run
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.view import Facts
from tests.core.pool import Pool, S, plan


@pytest.mark.parametrize(
    ("level_ppm", "needed"), [(800_000, 4), (900_000, 9), (950_000, 19), (990_000, 99)]
)
def test_another_confidence_needs_so_many_runs_and_else_the_next_history_is_asked(
    level_ppm, needed
):
    """All but one of the runs of the very command, one more of its shape: enough for that one."""
    pool = Pool()
    pool.worker()
    names = ["5"] * (needed - 1) + ["6"]
    for at, name in enumerate(names):
        pool.lasts[f"t{at}"] = 10 * S
        pool.submit(TaskSpec(f"t{at}", ("count", name), reads=(), writes=(), promise="none"))
        pool.run(11 * S)
    given = plan(TaskSpec("new", ("count", "5"), reads=(), writes=()))
    learned = Asking(pool.view, given, level_ppm).learned().tasks[0].learned
    assert learned is not None
    assert learned == Estimate(10 * S, needed, learned.key, Likeness.SHAPE, level_ppm)
    more = Asking(pool.view, given, level_ppm + 5_000)
    assert more.learned().tasks[0].learned is None
    (told,) = more.findings(given)
    assert (told.code, told.variant) == ("LW304", "runs")


def test_another_confidence_is_put_to_the_test_anew():
    """Nine of 10 s at 90 %, one more tested there; then two given at 80 %: those count alone."""
    facts, key = Facts(), HistoryKey("k", Likeness.COMMAND, "true", "", "")
    for at in range(10):
        add(facts, key, Run(10 * S, at, "w"), at, None)
    assert (facts.histories["k"].judged, facts.histories["k"].level_ppm) == (1, 900_000)
    for at in (10, 11):
        given = estimate_of("k", facts.histories["k"], 800_000)
        add(facts, key, Run(10 * S, at, "w"), at, given)
    past = facts.histories["k"]
    assert (past.judged, past.covered, past.level_ppm, past.shift_ppm) == (2, 2, 800_000, 8_000)


def test_what_stood_in_brings_the_aim_back_and_never_past_where_it_began():
    """Without a bound of its own, misses of what stood in for it count at once (-18,000 each) and
    hits by 2,000 until it is back."""
    facts, key = Facts(), HistoryKey("k", Likeness.COMMAND, "true", "", "")
    stood_in = Estimate(10, 9, "another", Likeness.ANYWHERE)
    shifts = []
    for at, lasts in enumerate((5, 5, 11, 11, *[9] * 4)):
        add(facts, key, Run(lasts, at, "w"), at, stood_in)
        shifts.append(facts.histories["k"].shift_ppm)
    assert shifts == [0, 0, -18_000, -36_000, -34_000, -32_000, -30_000, -28_000]
    assert facts.histories["k"].judged == 0
