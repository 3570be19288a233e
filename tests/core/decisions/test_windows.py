"""Goal: promises keep to windows that come again, and windows go on without moving a promise.
Method: stories in virtual time with instants worked by hand. Noon is T0; the nights are 22:00 to
07:00, so they open 10 hours after T0 and close 9 hours later.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.core.agent import next_request
from leaseway.core.decisions.windows import continued
from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import Guard, TermsChange, Window, WindowOffer
from leaseway.core.model.units import DAY, HOUR
from tests.core.pool import T0, M, Pool, S, events, kinds, task

GUARD = Guard(5_000, 1_000, 2_000, 500)
NINE_HOURS = 9 * HOUR - 8_500 - 64_236  # 32,400,000 / 1.001 × 0.999 = 32,335,264
DAILY = "daily 22:00-07:00 UTC"


def nights(count, since_ms=0):
    """The windows of so many nights, told so long after noon of the first day."""
    return tuple(
        WindowOffer(max(0, 10 * HOUR + n * DAY - since_ms), 19 * HOUR + n * DAY - since_ms)
        for n in range(count)
        if 19 * HOUR + n * DAY > since_ms
    )


def pool_by_night(count=3, guard=GUARD):
    pool = Pool()
    pool.worker(windows=nights(count), recurring=DAILY, digest="n", guard=guard)
    return pool


def tell(pool, windows):
    """One sync that also tells windows."""
    machine = pool.machines["w"]
    request = replace(next_request(machine.agent, machine.now()), windows=windows)
    return pool.do(cmd.Sync(request, pool.now, "fresh"))


def test_a_task_handed_in_at_noon_is_promised_when_the_window_opens():
    pool = pool_by_night()
    pool.lasts["a"] = 4 * M
    pool.submit(task("a", 5 * M))
    assert pool.task("a").reservation.start == T0 + 10 * HOUR
    # delivery 2 s + 5 min + TERM 5 s + KILL 1 s
    assert pool.task("a").promise == T0 + 10 * HOUR + 5 * M + 8 * S
    pool.run(10 * HOUR - 1)
    assert pool.machines["w"].starts == []
    pool.run(5 * M)
    assert pool.machines["w"].starts == ["a"]
    started = pool.task("a").past or (pool.task("a").attempt,)
    assert T0 + 10 * HOUR <= started[-1].started_at <= T0 + 10 * HOUR + 2 * S
    assert pool.outcome("a") == "succeeded"


@pytest.mark.parametrize(
    ("limit_ms", "start"),
    [
        # Just fits before 07:00 less the guard of 8.5 s and what clocks drift in 5 hours beyond its
        # 0.5 s: 18,000,000 / 1.001 × 0.999 = 17,964,034, so 35,966 - 500.
        (5 * HOUR - 8_500 - 35_466, T0 + 14 * HOUR),
        (5 * HOUR - 8_500 - 35_465, T0 + 34 * HOUR),  # one ms more: the next night, not the gap
    ],
)
def test_a_task_never_spans_a_gap_and_the_guard_is_kept_free(limit_ms, start):
    pool = pool_by_night()
    pool.now = T0 + 14 * HOUR  # 02:00
    pool.machines["w"].sync()
    pool.submit(task("a", limit_ms))
    assert pool.task("a").reservation.start == start


def test_what_is_longer_than_every_window_is_refused():
    pool = pool_by_night()
    refused = pool.submit(task("a", 9 * HOUR)).refused
    assert [finding.code for finding in refused.findings] == ["LW302"]
    pool.submit(task("b", NINE_HOURS))
    assert pool.task("b").reservation.start == T0 + 10 * HOUR


def test_windows_fill_up_one_after_the_other():
    """Two tasks of 4 hours fit into a night of 9, the third goes to the next."""
    pool = pool_by_night()
    pool.submit(*(task(name, 4 * HOUR) for name in "abc"))
    assert [pool.task(name).reservation.start for name in "abc"] == [
        T0 + 10 * HOUR,
        T0 + 14 * HOUR + 8 * S,
        T0 + 34 * HOUR,
    ]


def test_windows_that_touch_are_one():
    pool = Pool()
    pool.worker(windows=(WindowOffer(HOUR, 2 * HOUR), WindowOffer(2 * HOUR, 3 * HOUR)))
    pool.submit(task("a", 2 * HOUR))
    assert pool.task("a").reservation.start == T0 + HOUR
    terms = pool.view.facts.leases["w"].terms
    assert terms.windows == (Window(T0 + HOUR, T0 + 3 * HOUR),)


def test_what_lies_in_the_next_window_is_not_started_in_this_one():
    """At 06:00 one task runs and the next lies in the next night; the first ends early, and the
    second must not be started with the 50 minutes that are left."""
    pool = pool_by_night()
    pool.now = T0 + 18 * HOUR
    pool.machines["w"].sync()
    pool.lasts |= {"a": 10 * M, "b": 50 * M}
    pool.submit(task("a", 50 * M), task("b", 55 * M))
    assert pool.task("b").reservation.start == T0 + 34 * HOUR
    pool.run(16 * HOUR - M)
    assert pool.machines["w"].starts == ["a"]
    assert kinds(pool).count("AttemptGranted") == 1
    pool.run(HOUR)
    assert pool.machines["w"].starts == ["a", "b"]
    assert pool.outcome("b") == "succeeded"


def test_what_outlasts_its_time_is_stopped_at_the_end_of_its_window():
    pool = pool_by_night()
    pool.now = T0 + 18 * HOUR
    pool.machines["w"].sync()
    pool.lasts["a"] = 5 * HOUR
    pool.submit(task("a", 5 * HOUR, estimate_ms=50 * M))
    pool.run(HOUR)
    assert pool.outcome("a") is not None
    ended = pool.task("a").past or (pool.task("a").attempt,)
    assert ended[-1].ended_at <= T0 + 19 * HOUR


def test_windows_go_on_and_promises_stay():
    pool = pool_by_night(2)
    pool.submit(task("a", 5 * M), task("b", NINE_HOURS))
    before = [pool.task(name).reservation for name in "ab"]
    known = pool.view.facts.leases["w"].terms.windows
    pool.now += 9 * HOUR + 7  # told 7 ms off
    carried = tell(pool, nights(4, 9 * HOUR))
    terms = pool.view.facts.leases["w"].terms
    assert terms.windows[:2] == known, "no jitter"
    assert [w.opens_at for w in terms.windows[2:]] == [T0 + 7 + 10 * HOUR + n * DAY for n in (2, 3)]
    assert [pool.task(name).reservation for name in "ab"] == before
    assert carried.reply.terms == terms
    assert [type(event).__name__ for event in carried.events][:1] == ["LeaseChanged"]
    assert events(pool, type(carried.events[0]))[-1].follows
    lease = pool.view.facts.leases["w"]
    assert (lease.set_terms, lease.set_at, lease.version) == ((), 0, 2)
    again = tell(pool, nights(4, 9 * HOUR))
    assert "LeaseChanged" not in [type(event).__name__ for event in again.events]


def test_windows_that_a_command_set_are_not_touched():
    pool = pool_by_night()
    pool.do(cmd.ChangeLease("w", TermsChange(windows=(WindowOffer(0, HOUR),)), "ada"))
    tell(pool, nights(4))
    assert pool.view.facts.leases["w"].terms.windows == (Window(T0, T0 + HOUR),)


def test_a_lease_without_recurring_windows_takes_none():
    pool = Pool()
    pool.worker(window_ms=HOUR)
    tell(pool, nights(4))
    assert pool.view.facts.leases["w"].terms.windows == (Window(T0, T0 + HOUR),)


def test_a_clock_that_was_set_moves_the_windows_and_what_waits():
    """The worker's clock was set forward by 3 hours: its night begins in 7 hours, not 10."""
    pool = pool_by_night()
    pool.submit(task("a", 5 * M))
    tell(pool, nights(3, 3 * HOUR))
    assert pool.view.facts.leases["w"].terms.windows[0] == Window(T0 + 7 * HOUR, T0 + 16 * HOUR)
    assert pool.task("a").reservation.start == T0 + 10 * HOUR, "it still fits, so it stays"
    tell(pool, nights(3, -3 * HOUR))  # and back by 6
    assert pool.task("a").reservation.start == T0 + 13 * HOUR


@pytest.mark.parametrize(
    "windows", [(), (WindowOffer(5, 5),), (WindowOffer(0, None),), (WindowOffer(0, -3),)]
)
def test_windows_without_sense_change_nothing(windows):
    pool = pool_by_night()
    before = pool.view.facts.leases["w"].terms
    tell(pool, windows)
    assert pool.view.facts.leases["w"].terms == before


@pytest.mark.parametrize(
    ("known", "fresh", "expected"),
    [
        ([(100_000, 200_000)], [(101_999, 198_001)], [(100_000, 200_000)]),
        ([(100_000, 200_000)], [(102_001, 197_999)], [(102_001, 197_999)]),
        ([(0, 200_000)], [(50_000, 200_003)], [(0, 200_000)]),  # open since, at 50 000
        ([(0, 200_000)], [(50_000, 300_000)], [(0, 300_000)]),  # and joined by the next
        ([(0, 40_000), (90_000, 95_000)], [(90_001, 95_001)], [(90_000, 95_000)]),
        ([], [(7, 90_000)], [(7, 90_000)]),
    ],
)
def test_moments_that_are_known_keep_their_instants(known, fresh, expected):
    made = continued([Window(*each) for each in known], [Window(*each) for each in fresh], 50_000)
    assert [(each.opens_at, each.closes_at) for each in made] == expected
