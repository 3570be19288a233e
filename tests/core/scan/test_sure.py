"""Goal: how many tasks finish for sure. Method: the table of three-minute tasks in ten minutes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.scan.sure import (
    Exponential,
    Normal,
    Spread,
    chance,
    how_many_sure,
    law_of,
    worst,
)

MINUTE = 60_000
ROOM = 10 * MINUTE


def normal(sd):
    return Normal(3 * MINUTE, sd * MINUTE)


EXPONENTIAL = Exponential(3 * MINUTE)
SPREAD = Spread(3 * MINUTE, MINUTE)


@pytest.mark.parametrize(
    ("law", "count", "wanted", "digits"),
    [
        (normal(1), 3, 0.7181, 4),
        (normal(1), 2, 0.9977, 4),
        (normal(0.5), 2, 1.000, 3),
        (normal(0.5), 3, 0.876, 3),
        (normal(1.5), 2, 0.970, 3),
        (normal(1.5), 3, 0.650, 3),
        (EXPONENTIAL, 3, 0.6472, 4),
        (EXPONENTIAL, 2, 0.8454, 4),
        (EXPONENTIAL, 1, 0.9643, 4),
        (SPREAD, 1, 0.980, 3),
        (SPREAD, 2, 0.889, 3),
        (SPREAD, 3, 0.250, 3),
    ],
)
def test_chances(law, count, wanted, digits):
    assert round(chance(law, count, ROOM), digits) == wanted


@pytest.mark.parametrize(
    ("law", "wanted"),
    [(normal(0.5), 2), (normal(1), 2), (normal(1.5), 2), (EXPONENTIAL, 1), (SPREAD, 1)],
)
def test_with_95_percent(law, wanted):
    assert how_many_sure(law, ROOM) == wanted


def test_of_two_slots_both_must_hold():
    """One each: 0.9643 squared is 0.9299; one alone on two slots is 0.9643."""
    assert how_many_sure(EXPONENTIAL, ROOM, slots=2) == 1
    assert how_many_sure(normal(1), ROOM, slots=2) == 4


def test_without_spread_it_is_the_plain_count():
    assert how_many_sure(Normal(3 * MINUTE, 0), ROOM) == 3
    assert how_many_sure(Spread(3 * MINUTE, 0), ROOM) == 3
    assert how_many_sure(Normal(3 * MINUTE, 0), 9 * MINUTE, gap_ms=1) == 2


@given(st.integers(1, 100), st.integers(0, 50), st.integers(0, 500), st.integers(1, 3))
def test_no_more_than_without_spread_and_no_more_in_less_time(mean, sd, room, slots):
    law = Normal(mean, sd)
    found = how_many_sure(law, room, slots=slots)
    assert found <= max(0, room // mean) * slots
    assert found <= how_many_sure(law, room + 10, slots=slots)


FOUR_THREE_TWO = [4 * MINUTE] * 4 + [3 * MINUTE] + [2 * MINUTE] * 4


@pytest.mark.parametrize(
    ("lengths", "law"),
    [
        (FOUR_THREE_TWO, SPREAD),  # eight squares of a minute over nine less one
        (FOUR_THREE_TWO[:8], None),  # fewer than a bound needs
        ([*FOUR_THREE_TWO, None], None),  # one was stopped: how long it takes is open
        ([5] * 9, Spread(5, 0)),
    ],
)
def test_mean_and_spread_of_earlier_runs(lengths, law):
    assert law_of(lengths) == law


def test_of_several_laws_the_worst_of_each_counts():
    assert worst([SPREAD, SPREAD]) == SPREAD
    assert worst([Spread(5, 9), EXPONENTIAL, Spread(7, 2)]) == Spread(3 * MINUTE, 3 * MINUTE)
