"""Goal: an attempt stops when it must and says the right reason. Method: both clocks as numbers."""

from __future__ import annotations

import pytest

from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import LocalGrant, MoveStop, WorkerNow
from leaseway.worker.bounds import Bounds

REF = AttemptRef("t", 1)


def bounds(reserved=60_000, latest=10_000_000, cut_off=None, heard=0) -> Bounds:
    grant = LocalGrant(REF, "true", reserved, 0, 0, latest, cut_off_ms=cut_off)
    return Bounds.of(grant, WorkerNow(1_000_000, 500_000), heard)


def look(made: Bounds, boot: int, awake: int | None = None) -> StopReason | None:
    """`boot` and `awake` since the start; awake like boot unless told."""
    return made.look(WorkerNow(1_000_000 + boot, 500_000 + (boot if awake is None else awake)))


def test_own_time():
    made = bounds(reserved=60_000)
    assert look(made, 59_999) is None
    assert look(made, 60_000) is StopReason.RESERVED


def test_the_window_first():
    made = bounds(latest=1_030_000)
    assert look(made, 29_999) is None
    assert look(made, 30_000) is StopReason.WINDOW


def test_both_at_once_is_its_own_time():
    assert look(bounds(reserved=30_000, latest=1_030_000), 30_000) is StopReason.RESERVED


@pytest.mark.parametrize("latest", [10_000_000, 1_030_000])
def test_slept_through(latest):
    made = bounds(latest=latest)
    assert look(made, 10_000) is None
    assert look(made, 3_600_000, awake=10_200) is StopReason.SLEPT


def test_sleep_ate_the_reserved_time():
    made = bounds(reserved=60_000)
    assert look(made, 40_000, awake=10_000) is None
    assert look(made, 59_900, awake=29_900) is None
    assert look(made, 60_000, awake=30_000) is StopReason.SLEPT


def test_a_window_that_closes_after_a_sleep_is_a_window():
    made = bounds(latest=1_030_000)
    assert look(made, 20_000, awake=5_000) is None
    assert look(made, 30_000, awake=15_000) is StopReason.WINDOW


def test_cut_off_from_the_last_word():
    made = bounds(cut_off=10_000)
    assert look(made, 9_999) is None
    made.hear(1_005_000)
    assert look(made, 14_999) is None
    assert look(made, 15_000) is StopReason.CUT_OFF
    made.hear(1_002_000)  # an older word takes nothing back
    assert look(made, 14_000) is None


def test_moved_later_and_sooner():
    made = bounds(reserved=60_000)
    made.move(MoveStop(REF, 1_090_000, StopReason.RESERVED))
    assert look(made, 89_999) is None
    assert look(made, 90_000) is StopReason.RESERVED
    made.move(MoveStop(REF, 1_050_000, StopReason.WINDOW))
    assert look(made, 50_000) is StopReason.WINDOW


def test_how_long_to_wait():
    made = bounds(reserved=60_000, cut_off=59_950)
    at = lambda ms: WorkerNow(1_000_000 + ms, 500_000 + ms)  # noqa: E731
    assert made.left_ms(at(0)) == 200
    assert made.left_ms(at(59_900)) == 50
    assert made.left_ms(at(70_000)) == 0


def test_grown_to_the_end_of_the_window_it_is_the_window_that_ends_it():
    made = bounds(reserved=10_000)
    made.move(MoveStop(REF, 1_030_000, StopReason.WINDOW))
    assert look(made, 29_999) is None
    assert look(made, 30_000) is StopReason.WINDOW
