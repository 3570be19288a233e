"""Goal: a clock time is the next one, also on days when the clocks change.
Method: moments known beforehand in a named time zone."""

from __future__ import annotations

import datetime
import time

import pytest

from leaseway.core.model.units import DAY, HOUR, MINUTE
from leaseway.planfile.moments import clock_time, until_clock_ms


@pytest.fixture
def berlin(monkeypatch):
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def wall(*moment):
    year, month, day, hour, minute = moment
    utc = datetime.datetime(year, month, day, hour, minute, tzinfo=datetime.UTC)
    return round(utc.timestamp() * 1000)


@pytest.mark.parametrize(
    ("now", "clock", "remaining_ms"),
    [
        ((2026, 1, 10, 16, 0), "18:00", HOUR),  # 17:00 in Berlin
        ((2026, 1, 10, 17, 0), "18:00", DAY),  # exactly 18:00: the next one is tomorrow
        ((2026, 1, 10, 17, 1), "18:00", DAY - MINUTE),
        ((2026, 1, 10, 22, 0), "24:00", HOUR),
        ((2026, 3, 28, 17, 0), "18:00", DAY - HOUR),  # spring: the night is an hour shorter
        ((2026, 10, 24, 16, 0), "18:00", DAY + HOUR),  # autumn: an hour longer
        ((2026, 3, 29, 0, 30), "02:30", HOUR),  # does not exist: taken as 03:30 summer time
        ((2026, 10, 24, 23, 30), "02:30", HOUR),  # exists twice: the first
        ((2026, 10, 25, 0, 45), "02:30", 45 * MINUTE),  # between the two: the second
    ],
)
@pytest.mark.usefixtures("berlin")
def test_the_next_time_the_clock_shows_it(now, clock, remaining_ms):
    parsed = clock_time(clock)
    assert parsed is not None
    assert until_clock_ms(parsed, wall(*now)) == remaining_ms


@pytest.mark.parametrize(
    "written", ["7", "25:00", "24:01", "12:60", "-1:00", "2h", 7, None, "07:00Z", "٠٧:٠٠"]
)
def test_these_are_no_clock_times(written):
    assert clock_time(written) is None


def test_clock_times():
    assert clock_time(" 7:05 ") == datetime.time(7, 5)
    assert clock_time("18:30:15") == datetime.time(18, 30, 15)
    assert clock_time(datetime.time(7, 0, 0, 5)) == datetime.time(7, 0)
