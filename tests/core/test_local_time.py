"""Goal: a worker never counts past the coordinator. Method: the inequality in fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.local_time import drift_ms, local, longest, report, shortened
from leaseway.core.model.lease import Guard
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef, Grant
from leaseway.core.model.worker import Finished, WorkerNow
from tests.core.pool import S

REF = AttemptRef("p-1/a", 1)


def is_safe(worker_ms, coordinator_ms, kill_ms, ppm):
    """L_w / (1 − ρ) + kill ≤ L_c / (1 + ρ)."""
    rate = Fraction(ppm, 1_000_000)
    return Fraction(worker_ms) / (1 - rate) + kill_ms <= Fraction(coordinator_ms) / (1 + rate)


@pytest.mark.parametrize(("ppm", "expected"), [(1_000, 588_810), (200, 589_762)])
def test_s8_ten_minutes_and_ten_seconds_to_kill(ppm, expected):
    assert shortened(600 * S, 10 * S, ppm) == expected
    assert is_safe(588 * S, 600 * S, 10 * S, 1_000)
    assert not is_safe(589 * S, 600 * S, 10 * S, 1_000)
    assert not is_safe(589_800, 600 * S, 10 * S, 200)


@given(st.integers(0, 10**10), st.integers(0, 10**6), st.integers(0, 100_000))
def test_always_safe_and_never_shorter_than_it_must(length, kill, ppm):
    worker = shortened(length, kill, ppm)
    if worker:
        assert is_safe(worker, length, kill, ppm)
    assert not is_safe(worker + 3, length, kill, ppm), "rounding costs two milliseconds at most"


def test_nothing_left_is_nothing():
    assert shortened(0) == 0
    assert shortened(5, 10) == 0


def test_lengths_count_from_when_the_request_was_sent():
    grant = Grant(REF, ("true",), 8 * S, 100, 2 * S, 1_000 * S, order=7)
    mine = local(grant, 50 * S)
    assert (mine.not_before_boot, mine.start_by_boot) == (50_100, 52_000)
    # 1,000.5 s / 1.001 × 0.999 = 998.501 s: a drift of 1,999 ms, of which the guard keeps 500.
    assert mine.stop_latest_boot == 50_000 + 998_500
    assert (mine.reserved_ms, mine.order, mine.guard) == (8 * S, 7, Guard())


@pytest.mark.parametrize(
    ("left_ms", "clock_error_ms", "drift"),
    [
        (10 * S, 500, 0),  # 20 ms, covered by the clock error
        (10 * S, 5, 15),  # 10,000 → 9,990 → 9,980
        (3_600 * S, 500, 6_694),  # 3,600,000 → 3,596,403 → 3,592,806
        (3_600 * S, 8 * S, 0),
        (8 * 3_600 * S, 500, 57_044),  # 28,800,000 → 28,771,228 → 28,742,456
        (3_600 * S, 0, 0),  # clocks that are taken for exact
    ],
)
def test_what_clocks_drift_beyond_the_clock_error(left_ms, clock_error_ms, drift):
    assert drift_ms(left_ms, clock_error_ms) == drift
    counted = longest(left_ms - clock_error_ms, clock_error_ms)
    assert counted == left_ms - clock_error_ms - drift


@given(st.integers(0, 10**9), st.integers(1, 10**4), st.integers(0, 10**9))
def test_what_is_kept_free_is_enough_whenever_it_is_granted(more, clock_error, later):
    """Who promises reckons with the whole window; the worker counts from a grant made later."""
    later = min(later, more)
    kept = clock_error + drift_ms(more + clock_error, clock_error)
    assert later + longest(more - later, clock_error) >= more + clock_error - kept


def test_an_ending_is_told_as_how_long_ago():
    done = Finished(REF, Ending(EndKind.EXITED, 0), 4 * S, 9 * S, b"out", b"err")
    told = report(done, WorkerNow(10 * S, 3 * S))
    assert (told.started_ago_ms, told.ended_ago_ms) == (6 * S, 1 * S)
    assert (told.stdout, told.stderr) == (b"out", b"err")
    earlier = report(done, WorkerNow(1 * S, 1 * S))
    assert (earlier.started_ago_ms, earlier.ended_ago_ms) == (0, 0), "another boot's clock"
