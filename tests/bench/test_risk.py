"""Goal: the risk of a start is what its page says. Method: numbers worked by hand."""

from __future__ import annotations

from bench.evaluate.measures import Measures
from bench.evaluate.ours import Risk
from bench.evaluate.risk import (
    MILLION,
    WEIGHTS,
    Everybody,
    Past,
    risk_ppm,
    share_ppm,
    worth_ppm,
)
from bench.evaluate.rows import chosen_ppm
from bench.evaluate.trace import Job

HALF = 500_000


def test_each_run_counts_nine_tenths_of_the_next():
    assert WEIGHTS[:4] == (1_000_000, 900_000, 810_000, 729_000)


def test_everybody_is_counted_with_one_more_on_either_side():
    """Of 0.2, 0.4, 0.6, 0.8 two are over a half: 3 of 6. The fifth pushes 0.2 out: 4 of 6."""
    everybody = Everybody(4)
    assert everybody.risk_ppm(HALF) == 500_000  # 1 of 2
    for tenth in (2, 4, 6, 8):
        everybody.add(tenth * 100_000)
    assert everybody.risk_ppm(HALF) == 500_000
    assert everybody.risk_ppm(600_000) == 333_333  # 0.6 is not over 0.6: 2 of 6
    everybody.add(900_000)
    assert everybody.risk_ppm(HALF) == 666_666


def test_a_group_starts_from_the_wider_one():
    """Prior 0.1 as four runs; newest over, the one before not: (1 + 0.4) / (1 + 0.9 + 4)."""
    near = [Past(600_000), Past(100_000)]
    assert risk_ppm(HALF, 100_000, [near], firm=4) == 1_400_000 * MILLION // 5_900_000
    once = risk_ppm(HALF, 100_000, [near], firm=4)
    again = (MILLION * 1_000_000 + 4_000_000 * once) // 5_900_000
    assert risk_ppm(HALF, 100_000, [near, (), near], firm=4) == again


def test_a_run_stopped_too_early_to_tell_says_nothing():
    """It keeps its place: the run before it counts nine tenths. Stopped later it counts as over."""
    early, late = Past(400_000, ended=False), Past(600_000, ended=False)
    assert risk_ppm(HALF, 100_000, [[early]]) == 100_000
    assert risk_ppm(HALF, 100_000, [[early, Past(0)]], firm=1) == 100_000 * 10 // 19
    assert risk_ppm(HALF, 100_000, [[late]], firm=1) == 550_000


def test_shares_are_of_the_request_and_worth_is_by_the_hour():
    assert share_ppm(900, 3_600) == 250_000
    assert worth_ppm(7_200_000, 45_000) == 90_000
    assert worth_ppm(600_000, 45_000) == 7_500


def test_a_job_is_judged_by_its_likes_and_by_nobody_elses():
    """Twenty runs of one hour in requests of two: a start with 61 minutes left is safe by them, one
    with 59 is not; with four cores in place of one nothing nearer than the user is known."""
    rule = Risk(lambda left_ms: 60_000)
    like = Job(0, 0, 3_600, 7_200, 1, "ada", 3_600)
    for _ in range(20):
        rule.ended(like, 3_600, 0, killed=False)
    assert rule.may_start(like, 3_660, 0)
    assert not rule.may_start(like, 3_540, 0)
    stranger = Job(1, 0, 3_600, 7_200, 1, "bob", 3_600)
    assert Risk(lambda left_ms: 499_999).may_start(stranger, 3_660, 0) is False
    assert Risk(lambda left_ms: 500_000).may_start(stranger, 3_660, 0) is True


def test_the_shortest_wait_among_those_that_break_little_enough_is_chosen():
    def seen(broken, wait):
        return Measures(broken, 0, wait, 1, 0, 0)

    assert chosen_ppm({1: seen(0.1, 90), 2: seen(0.5, 70), 3: seen(0.51, 50)}) == 2
