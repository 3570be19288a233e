"""Goal: recurring windows are right on every day, those with a change of the clocks included.
Method: exact instants, worked by hand from the published changes of three zones.

Europe/Berlin: +01:00; 2026-03-29 01:00Z the clock jumps 02:00 → 03:00 (+02:00); 2026-10-25 01:00Z
it goes back 03:00 → 02:00. Australia/Lord_Howe: +11:00; 2026-04-04 15:00Z it goes back 02:00 →
01:30 (+10:30); 2026-10-03 15:30Z it jumps 02:00 → 02:30 (+11:00).
"""

from __future__ import annotations

import datetime
import os
import time

import pytest

from leaseway.core.model.lease import WindowOffer
from leaseway.core.model.units import DAY, HOUR, MINUTE
from leaseway.planfile.recurring import (
    MOST_WINDOWS,
    NotRecurring,
    Recurring,
    nearest_zones,
    read_rule,
    zone_here,
    zone_of,
)

BERLIN, LORD_HOWE = "Europe/Berlin", "Australia/Lord_Howe"


def at(text):
    """`2026-03-29 01:00` in UTC → ms since the epoch."""
    return int(datetime.datetime.fromisoformat(text + "+00:00").timestamp()) * 1000


def windows(rules, zone, now):
    """The windows as texts in UTC."""
    wall = at(now)
    offers = Recurring(tuple(read_rule(rule) for rule in rules), zone).offers(wall)
    return [(shown(wall + o.opens_in_ms), shown(wall + o.closes_in_ms)) for o in offers]


def shown(ms):
    return datetime.datetime.fromtimestamp(ms / 1000, tz=datetime.UTC).strftime("%m-%d %H:%M")


def hours(pair):
    opens, closes = (at(f"2026-{text}") for text in pair)
    return (closes - opens) / HOUR


def test_a_night_with_more_or_fewer_hours():
    spring = windows(["daily 22:00-07:00"], BERLIN, "2026-03-28 12:00")
    assert spring[:2] == [("03-28 21:00", "03-29 05:00"), ("03-29 20:00", "03-30 05:00")]
    autumn = windows(["daily 22:00-07:00"], BERLIN, "2026-10-24 12:00")
    assert autumn[:2] == [("10-24 20:00", "10-25 06:00"), ("10-25 21:00", "10-26 06:00")]
    assert [hours(night) for night in (*spring[:2], *autumn[:2])] == [8, 9, 10, 9]


@pytest.mark.parametrize(
    ("now", "opens", "closes", "length"),
    [
        ("2026-03-28 12:00", "03-28 23:00", "03-29 22:00", 23),
        ("2026-10-24 12:00", "10-24 22:00", "10-25 23:00", 25),
        ("2026-07-18 12:00", "07-18 22:00", "07-19 22:00", 24),
    ],
)
def test_a_whole_day_has_23_24_or_25_hours(now, opens, closes, length):
    first = windows(["sun 00:00-24:00"], BERLIN, now)[0]
    assert first == (opens, closes)
    assert hours(first) == length


@pytest.mark.parametrize(
    ("rule", "opens", "closes"),
    [
        ("sun 02:30-04:00", "03-29 01:00", "03-29 02:00"),  # opens at the jump
        ("sun 01:00-02:30", "03-29 00:00", "03-29 01:00"),  # closes at the jump
        ("sun 02:00-03:00", "04-05 00:00", "04-05 01:00"),  # not at all on that day
        ("sun 02:15-02:45", "04-05 00:15", "04-05 00:45"),
    ],
)
def test_a_time_that_is_jumped_over_is_the_jump(rule, opens, closes):
    assert windows([rule], BERLIN, "2026-03-28 12:00")[0] == (opens, closes)


@pytest.mark.parametrize(
    ("rule", "opens", "closes"),
    [
        ("sun 02:30-04:00", "10-25 00:30", "10-25 03:00"),
        ("sun 01:00-02:30", "10-24 23:00", "10-25 00:30"),
        ("sun 02:15-02:45", "10-25 00:15", "10-25 00:45"),
        ("sun 01:00-03:00", "10-24 23:00", "10-25 02:00"),  # 03:00 comes once, after both 02:xx
    ],
)
def test_of_a_time_that_comes_twice_the_first_counts(rule, opens, closes):
    assert windows([rule], BERLIN, "2026-10-24 12:00")[0] == (opens, closes)


@pytest.mark.parametrize(
    ("rule", "now", "opens", "closes"),
    [
        ("sun 00:00-24:00", "2026-04-04 00:00", "04-04 13:00", "04-05 13:30"),  # 24.5 h
        ("sun 00:00-24:00", "2026-10-03 00:00", "10-03 13:30", "10-04 13:00"),  # 23.5 h
        ("sun 01:45-03:00", "2026-04-04 00:00", "04-04 14:45", "04-04 16:30"),  # 01:45 twice
        ("sun 02:15-03:00", "2026-10-03 00:00", "10-03 15:30", "10-03 16:00"),  # 02:15 never
    ],
)
def test_a_zone_that_changes_by_half_an_hour(rule, now, opens, closes):
    assert windows([rule], LORD_HOWE, now)[0] == (opens, closes)


def test_what_overlaps_or_adjoins_is_one():
    weekend = windows(["sat,sun 00:00-24:00"], BERLIN, "2026-07-13 00:00")
    assert weekend == [("07-17 22:00", "07-19 22:00"), ("07-24 22:00", "07-26 22:00")]
    both = windows(["fri 18:00-08:00", "sat 06:00-10:00"], "UTC", "2026-07-13 00:00")
    assert both == [("07-17 18:00", "07-18 10:00"), ("07-24 18:00", "07-25 10:00")]
    ((opens, closes),) = windows(["daily 00:00-24:00"], "UTC", "2026-07-13 09:00")
    assert (opens, closes) == ("07-13 09:00", "07-28 00:00")


def test_yesterdays_night_is_still_open():
    first = windows(["daily 22:00-07:00"], "UTC", "2026-07-13 06:59")[0]
    assert first == ("07-13 06:59", "07-13 07:00")
    first = windows(["daily 22:00-07:00"], "UTC", "2026-07-13 07:00")[0]
    assert first == ("07-13 22:00", "07-14 07:00")


def test_the_horizon_is_two_weeks_and_64_windows():
    assert len(windows(["daily 22:00-07:00"], "UTC", "2026-07-13 12:00")) == 14
    many = [f"daily {hour:02}:00-{hour:02}:30" for hour in range(24)]
    now = at("2026-07-13 00:00")
    offers = Recurring(tuple(read_rule(rule) for rule in many), "UTC").offers(now)
    assert len(offers) == MOST_WINDOWS == 64
    assert offers[-1] == WindowOffer(63 * HOUR, 63 * HOUR + 30 * MINUTE)


def test_days():
    assert read_rule("daily 22:00-07:00").days == (0, 1, 2, 3, 4, 5, 6)
    assert read_rule("Mon-Fri 18:00 - 8:00").days == (0, 1, 2, 3, 4)
    assert read_rule("fri-mon 18:00-08:00").days == (0, 4, 5, 6)
    assert read_rule("wed,mon-tue 18:00-08:00").days == (0, 1, 2)
    assert read_rule("sun-sun 18:00-08:00").days == (6,)


def test_words():
    rules = (read_rule("daily 22:00-7:00"), read_rule("sat,sun  00:00-24:00"))
    assert Recurring(rules[:1], BERLIN).words == "daily 22:00-07:00 Europe/Berlin"
    both = "daily 22:00-07:00 and sat,sun 00:00-24:00 UTC"
    assert Recurring(rules, "UTC").words == both


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("daily 25:00-07:00", "a time from 00:00 to 23:59"),
        ("daily 22:00-25:00", "a time from 00:00 to 24:00"),
        ("daily 22:60-23:00", "a time from 00:00 to 23:59"),
        ("daily 24:00-07:00", "a time from 00:00 to 23:59"),
        ("mon-fry 18:00-08:00", "such as mon-fri"),
        ("mon, 18:00-08:00", "such as mon-fri"),
        ("daily 00:00-00:00", "longer than nothing"),
        ("daily 08:00-08:00", "longer than nothing"),
        ("22:00-07:00", "daily 22:00-07:00"),
        ("daily", "daily 22:00-07:00"),
        ("", "daily 22:00-07:00"),
    ],
)
def test_what_is_no_window_is_refused(text, expected):
    with pytest.raises(NotRecurring, match=expected):
        read_rule(text)


def test_an_unknown_zone_is_answered_with_the_nearest():
    assert "Europe/Berlin" in nearest_zones("Europe/Berln")
    assert "Europe/Berlin" in nearest_zones("berlin")
    assert nearest_zones("Mars/Olympus_Mons_Base") == []
    with pytest.raises(NotRecurring, match="nearest: Europe/Berlin"):
        zone_of("Europe/Berln")
    for odd in ("../../etc/passwd", "/etc/localtime", "", "Europe"):
        with pytest.raises(NotRecurring):
            zone_of(odd)


def test_the_zone_of_this_machine(monkeypatch):
    monkeypatch.setenv("TZ", BERLIN)
    assert zone_here() == BERLIN
    monkeypatch.setenv("TZ", "CEST-1XYZ,M3.5.0")
    with pytest.raises(NotRecurring, match="TZ=CEST-1XYZ"):
        zone_here()
    monkeypatch.delenv("TZ")
    assert zone_of(zone_here()) is not None


def test_no_window_is_ever_open_while_the_clock_shows_another_time():
    """Every quarter of an hour of a year, against the clock of the C library."""
    rule = read_rule("mon-fri 18:00-08:00")
    recurring = Recurring((rule,), LORD_HOWE)
    start = at("2026-01-01 00:00")
    before = os.environ.get("TZ")
    os.environ["TZ"] = LORD_HOWE
    time.tzset()
    try:
        for week in range(53):
            now = start + week * 7 * DAY
            offers = recurring.offers(now)
            for step in range(0, 7 * DAY, 15 * MINUTE):
                is_open = any(o.opens_in_ms <= step < (o.closes_in_ms or 0) for o in offers)
                clock = time.localtime((now + step) / 1000)
                evening = clock.tm_hour >= 18 and clock.tm_wday <= 4
                morning = clock.tm_hour < 8 and (clock.tm_wday - 1) % 7 <= 4
                assert is_open == (evening or morning), time.asctime(clock)
    finally:
        os.environ.pop("TZ")
        if before is not None:
            os.environ["TZ"] = before
        time.tzset()
