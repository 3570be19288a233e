"""Goal: ends under fair sharing are those of the published examples, and of a walk in tiny steps.
Method: the scenarios S2, S4, S5 and S6 in minutes; fractions as the oracle; laws."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.admission.projection import NEVER, ends
from leaseway.core.admission.work import Work

M = 60_000


def work(minutes, due=99, cap=1, release=0, weight=1, name="t"):
    """So many core-minutes, at most `cap` cpus, by minute `due`."""
    left = Fraction(minutes) * M * 1_000
    assert left.denominator == 1
    return Work(name, int(left), int(cap * 1_000), round(due * M), release * M, weight)


def minutes(works, cpus=1, now=0):
    return [Fraction(end, M) for end in ends(works, cpus * 1_000, now * M)]


def test_s2_three_at_once():
    three = [work(3)] * 3
    assert minutes(three) == [9, 9, 9]
    assert minutes(three, 2) == [Fraction(9, 2)] * 3


@pytest.mark.parametrize(
    ("shorts", "expected"),
    [((1, 1), (10, 3, 3)), ((2, 2), (12, 6, 6)), ((3, 3), (14, 9, 9)), ((2,), (10, 4))],
)
def test_s4_a_long_one_and_short_ones_on_one_core(shorts, expected):
    assert minutes([work(8), *map(work, shorts)]) == list(expected)


@pytest.mark.parametrize(
    ("short", "expected"), [(1, (10, 5, 5)), (2, (12, 8, 8)), (3, (14, 11, 11))]
)
def test_s4_arriving_at_two(short, expected):
    assert minutes([work(6), work(short), work(short)], now=2) == [*expected]


@pytest.mark.parametrize(
    ("short", "expected"),
    [
        (2, (9, 3, 3)),
        (3, (Fraction(19, 2), Fraction(9, 2), Fraction(9, 2))),
        (4, (10, 6, 6)),
        (5, (Fraction(21, 2), Fraction(15, 2), Fraction(15, 2))),
    ],
)
def test_s5_on_two_cores(short, expected):
    assert minutes([work(8), work(short), work(short)], 2) == list(expected)


def test_s5_a_long_one_that_uses_both_cores():
    per_task = [work(16, cap=2), work(2), work(2)]
    assert minutes(per_task, 2) == [10, 3, 3]
    per_thread = [work(16, cap=2, weight=2), work(2), work(2)]
    assert minutes(per_thread, 2) == [10, 4, 4]


def test_s6_who_ends_early_breaks_anothers_promise_unless_its_followers_are_held():
    """A 6 → {B 3, C 4}; X 6. As planned both end at 12. A needs only 3: ungated X ends at 15."""
    assert minutes([work(6, name="A"), work(6, name="X")]) == [12, 12]
    assert minutes([work(3, name="A"), work(6, name="X")])[0] == 6
    x_left, at = work(3, name="X"), 6
    ungated = [work(3, name="B"), work(4, name="C"), x_left]
    assert minutes(ungated, now=at)[2] == 15
    gated = [work(3, name="B", release=12), work(4, name="C", release=12), x_left]
    assert minutes(gated, now=at)[2] == 9


def test_nothing_left_ends_now_and_without_cpus_nothing_ever_does():
    assert ends([work(0), work(1)], 1_000, 7) == [7, 7 + M]
    assert ends([work(1), work(0)], 0, 7) == [NEVER, 7]


def test_more_than_all_cpus_is_no_faster():
    assert minutes([work(8, cap=4)], 2) == [4]


def test_ten_thousand_alike():
    many = [work(1)] * 10_000
    assert set(ends(many, 1_000, 0)) == {10_000 * M}


small = st.builds(
    Work,
    name=st.just("t"),
    left=st.integers(0, 40).map(lambda each: each * 1_000),
    cap=st.sampled_from([250, 500, 1_000, 1_500, 2_000]),
    due=st.just(99),
    release=st.integers(0, 30),
    weight=st.integers(1, 3),
)
sets = st.lists(small, min_size=1, max_size=6)
cpus = st.sampled_from([500, 1_000, 2_000, 3_000])


def rates(works, free):
    """Max-min by filling: who needs least for its share first."""
    found, rest = {}, sorted(works, key=lambda each: Fraction(each[1].cap, each[1].weight))
    shares = sum(each.weight for _, each in rest)
    free = Fraction(free)
    for at, each in rest:
        found[at] = min(Fraction(each.cap), free * each.weight / shares)
        free -= found[at]
        shares -= each.weight
    return found


def exactly(works, free):
    """Ends in fractions, event by event."""
    left = {at: Fraction(each.left) for at, each in enumerate(works) if each.left}
    done = {at: Fraction(each.release) for at, each in enumerate(works) if not each.left}
    now = Fraction(0)
    while left:
        active = [(at, works[at]) for at in left if works[at].release <= now]
        got = rates(active, free)
        coming = [works[at].release - now for at in left if works[at].release > now]
        step = min([left[at] / rate for at, rate in got.items()] + coming)
        now += step
        for at, rate in got.items():
            left[at] -= rate * step
            if not left[at]:
                del left[at]
                done[at] = now
    return [done[at] for at in range(len(works))]


@given(sets, cpus)
def test_like_fractions(works, free):
    """Rounded up, never by more than one; never told before it is so, but for what is forgiven."""
    for found, wanted in zip(ends(works, free, 0), exactly(works, free), strict=True):
        assert wanted - Fraction(1, 50) <= found < wanted + 1 + Fraction(1, 50)


@given(sets, small, cpus)
def test_a_newcomer_released_with_the_others_only_delays(works, newcomer, free):
    """Independent tasks: nobody ends sooner because somebody else is there (§2.3)."""
    before = exactly(works, free)
    after = exactly([*works, newcomer], free)
    assert all(one <= two for one, two in zip(before, after[:-1], strict=True))


@given(sets, cpus, st.integers(0, 5), st.integers(0, 1_000))
def test_less_work_of_one_delays_nobody(works, free, at, less):
    at %= len(works)
    smaller = list(works)
    one = works[at]
    smaller[at] = Work(one.name, max(0, one.left - less), one.cap, one.due, one.release, one.weight)
    before, after = exactly(works, free), exactly(smaller, free)
    assert all(two <= one for one, two in zip(before, after, strict=True))
