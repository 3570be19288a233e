"""Goal: a checkpoint is answered in time, and not too early. Method: progress curves of which it
was worked out by hand when they turn late; reserved 100 s, checks every 10 s, saving takes 10 s."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.checkpoint.judging import Course, Report, Standing, judge
from leaseway.core.model.checkpoint import Advice

U = 100_000
Curve = Callable[[int], int]


def at(second: int, stop: int = 100, save: int = 10, grows: int = 0) -> Standing:
    used = second * 1000
    return Standing(used, stop * 1000, max(stop, grows) * 1000, used, U, save * 1000)


def advices(curve: Curve, every: int = 10, until: int = 100) -> dict[int, Advice]:
    """The advice at each check until it says to save or all is done."""
    course, found = Course(), {}
    for second in range(every, until + 1, every):
        ppm = min(1_000_000, curve(second))
        course = judge(course, Report(ppm), at(second))
        found[second] = course.last.advice
        if course.last.advice is Advice.SAVE or ppm == 1_000_000:
            break
    return found


def first(found: dict[int, Advice], advice: Advice) -> int | None:
    return next((second for second, each in found.items() if each is advice), None)


def linear(total: int) -> Curve:
    return lambda t: t * 1_000_000 // total


CURVES: dict[str, tuple[Curve, int | None, int | None]] = {
    # 80 s of work: used + (80 − used) · 1.25 = 100 − used / 4, always in time.
    "linear, as bounded": (linear(80), None, None),
    # 10 + 90 · 1.25 = 122.5 at the first check already; not done by 100, so saved by 90.
    "linear, too slow": (linear(130), 10, 90),
    # 1 % after 10 s says nothing; 4 % after 20: 20 · 24 · 1.25 = 600. At 90: 81 %, 26.4 more.
    "convex": (lambda t: t * t * 100, 20, 90),
    # At 50: 50 · 0.8 · 1.25 = 50, just in time; at 60: 2.2 s late, under 5 %; at 70 again.
    "concave": (lambda t: 1_000_000 - (150 - t) ** 2 * 1_000_000 // 22_500, 70, 90),
    # 90 % at 72, no more. At 90: 90 / 9 · 1.25 = 12.5 more, after the end, and no check before it.
    "stall at 90 %": (lambda t: min(900_000, t * 12_500), None, 90),
    # 60 % at 50, back to 30 % at 60: 60 · 7 / 3 · 1.25 = 175 more.
    "jump back": (lambda t: t * 12_000 if t < 60 else (t - 60) * 10_000 + 300_000, 60, 90),
}


@pytest.mark.parametrize("name", CURVES)
def test_advice_follows_the_curve(name: str) -> None:
    curve, hurry_at, save_at = CURVES[name]
    found = advices(curve)
    assert first(found, Advice.HURRY) == hurry_at
    assert first(found, Advice.SAVE) == save_at


def test_all_done_is_never_late() -> None:
    course = judge(Course(), Report(1_000_000), at(99))
    assert (course.last.advice, course.last.need_ms) == (Advice.GO_ON, 0)


def test_nothing_is_projected_from_less_than_two_percent() -> None:
    course = judge(Course(), Report(19_999), at(10))
    assert course.last.need_ms == 90_000
    assert judge(Course(), Report(20_000), at(10)).last.need_ms == 10_000 * 49 * 125 // 100


def test_all_reserved_used_and_nothing_shown_is_late() -> None:
    course = judge(Course(), Report(0), at(110, stop=300))
    assert course.last.need_ms == U
    assert judge(Course(), Report(0), at(110, stop=200)).last.late_ms == 10_000


def test_going_back_never_improves_the_bound() -> None:
    late = judge(Course(), Report(40_000), at(20))
    assert late.last.need_ms == 600_000
    back = judge(late, Report(10_000), at(30))  # alone it would mean 70 s
    assert (back.last.need_ms, back.last.progress_ppm) == (600_000, 10_000)
    again = judge(back, Report(11_000), at(40))  # forward, and still nothing to project from
    assert again.last.need_ms == 600_000


def test_own_steps_say_more_than_the_margin_of_the_start() -> None:
    """10 steps of 10 s: 22.5 s late by the margin at first, exactly in time once three were seen;
    two checks in a row until it is believed."""
    course = Course()
    found = []
    for done in range(1, 6):
        course = judge(course, Report(done=done, of=10), at(done * 10))
        found.append((course.last.need_ms, course.last.advice.value))
    assert found == [
        (112_500, "hurry"),
        (100_000, "hurry"),
        (70_000, "hurry"),
        (60_000, "go-on"),
        (50_000, "go-on"),
    ]


def test_the_longest_of_the_last_steps_counts() -> None:
    course = Course()
    for done, second in ((1, 5), (2, 10), (3, 30)):
        course = judge(course, Report(done=done, of=5), at(second))
    assert course.last.need_ms == 70_000  # 2 · 20 = 40 is less than what is reserved
    course = judge(course, Report(done=3, of=9), at(30))
    assert course.last.need_ms == 120_000  # 6 · 20


@pytest.mark.parametrize(
    ("next_s", "save", "expected"),
    [
        (40, 10, Advice.GO_ON),  # 50 + 40 = 90, the point of no return
        (41, 10, Advice.SAVE),
        (50, 0, Advice.GO_ON),
        (51, 0, Advice.SAVE),
    ],
)
def test_a_step_starts_only_if_it_ends_before_the_point_of_no_return(
    next_s: int, save: int, expected: Advice
) -> None:
    course = judge(Course(), Report(550_000, next_ms=next_s * 1000), at(50, save=save))
    assert course.last.advice is expected
    assert course.last.reason == ("step" if expected is Advice.SAVE else "")


def test_what_the_stop_time_is_sure_to_become_counts_for_a_step() -> None:
    course = judge(Course(), Report(500_000, next_ms=60_000), at(50, grows=130))
    assert (course.last.advice, course.last.late_ms) == (Advice.HURRY, 12_500)


def test_a_small_delay_is_told_at_the_second_check_and_a_large_one_at_once() -> None:
    slightly = judge(Course(), Report(500_000, next_ms=0), at(50, stop=109))
    assert slightly.last.late_ms == 3_500  # 62.5 more, 59 left; 5 % of 109 are 5.45
    assert slightly.last.advice is Advice.GO_ON
    again = judge(slightly, Report(510_000), at(51, stop=109))
    assert again.last.late_ms == 3_250  # 61.25 more, 58 left
    assert again.last.advice is Advice.HURRY
    assert judge(Course(), Report(500_000), at(50, stop=106)).last.advice is Advice.HURRY


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(0, 1_000_000)), min_size=1, max_size=12),
    st.integers(0, 30),
)
def test_whoever_is_late_is_told_to_save_before_it_is_too_late(
    checks: list[tuple[int, int]], save: int
) -> None:
    """Whatever is reported: past the point of no return, or where the next check would come after
    it if that took as long as the last, what will not be done in time is told to save."""
    course, second, before = Course(), 0, 0
    for wait, ppm in checks:
        second += wait
        now = at(second, save=save)
        course = judge(course, Report(ppm), now)
        is_unlikely = ppm >= 20_000 and second * 1_000_000 > 100 * ppm + ppm
        is_stuck = ppm <= before and course.last.late_ms > 0
        if ppm < 1_000_000 and now.at_ms > now.no_return_ms:
            assert course.last.advice is Advice.SAVE
        if (is_unlikely or is_stuck) and now.at_ms + wait * 1000 > now.no_return_ms:
            assert course.last.advice is Advice.SAVE or ppm == 1_000_000
        before = ppm
