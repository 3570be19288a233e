"""Goal: the four answers, each with its proof, as in S4 and S5. Method: the published numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.admission.candidates import Verdict, answer, harmed
from leaseway.core.admission.projection import ends
from tests.core.admission.test_projection import M, cpus, exactly, small, work

CORE = 1_000 * M


def asked(promised, newcomer, count=1, now=0, **fields):
    return answer(promised, newcomer, count * 1_000, now * M, **fields)


def test_s4_two_of_one_minute_fit_without_a_guard_and_not_with_one():
    first = asked([work(8, 10, name="long"), work(1, 10)], work(1, 10))
    assert (first.verdict, first.ends) == (Verdict.ACCEPT, (10 * M, 3 * M, 3 * M))
    guarded = asked([work(8, 9.5, name="long"), work(1, 9.5)], work(1, 9.5))
    assert guarded.verdict is Verdict.REFUSE
    assert guarded.shortage.demand == 10 * CORE
    assert guarded.shortage.supply == 9.5 * CORE


def test_s4_one_after_the_other():
    """Short 1 alone: long ends at 10 exactly. Short 2 then: 12 of 10."""
    long = work(8, 10, name="long")
    first = asked([long], work(2, 10))
    assert (first.verdict, first.ends) == (Verdict.ACCEPT, (10 * M, 4 * M))
    assert asked([long, work(2, 10)], work(2, 10)).shortage.demand == 12 * CORE


@pytest.mark.parametrize(
    ("short", "guard", "verdict"),
    [
        (2, 0, Verdict.ACCEPT),
        (3, 0.5, Verdict.ACCEPT),
        (4, 0, Verdict.ACCEPT),
        (4, 0.5, Verdict.REPLAN),
        (5, 0, Verdict.REPLAN),
        (6, 0.5, Verdict.REFUSE),
    ],
)
def test_s5_on_two_cores(short, guard, verdict):
    due = 10 - guard
    found = asked([work(8, due, name="long"), work(short, due, name="s1")], work(short, due), 2)
    assert found.verdict is verdict


def test_s5_serial_behind_the_short_one():
    """s = 4, guard 0.5: beside the others the long one would end at 10; behind s1: 8/4/8."""
    found = asked([work(8, 9.5, name="long"), work(4, 9.5, name="s1")], work(4, 9.5), 2)
    assert [(each.way, each.task, each.harm and each.harm.task) for each in found.tried] == [
        ("now", "", "long"),
        ("behind", "s1", None),
    ]
    assert found.tried[0].harm.late_ms == M // 2
    assert (found.start, found.ends) == (4 * M, (8 * M, 4 * M, 8 * M))


def test_s5_weights_where_no_order_does():
    """s = 5, guard 0.5: serial ends at 10, too late; shares add up to 1.895 of 2."""
    promised = [work(8, 9.5, name="long"), work(5, 9.5, name="s1")]
    fair = asked(promised, work(5, 9.5), 2)
    assert fair.verdict is Verdict.NOT_FOUND
    assert [each.way for each in fair.tried] == ["now"]
    found = asked(promised, work(5, 9.5), 2, weighted=True)
    assert (found.verdict, found.shares) == (Verdict.REPLAN, (842_106, 526_316, 526_316))


def test_done_exactly_at_its_stop_time_is_in_time():
    assert asked([], work(10, 10)).verdict is Verdict.ACCEPT
    assert asked([], work(10, 10, release=0), now=0).ends == (10 * M,)


@given(st.lists(small, max_size=5), small, cpus)
def test_who_is_accepted_harms_nobody_in_fractions(promised, newcomer, free):
    """AdmitSound: with all within their work, no promise that held is broken."""
    kept = [
        each for each, end in zip(promised, exactly(promised, free), strict=True) if end <= each.due
    ]
    if harmed(kept, ends(kept, free, 0)) is not None:
        return
    found = answer(kept, newcomer, free, 0)
    if found.verdict in (Verdict.ACCEPT, Verdict.REPLAN):
        whole = [*kept, type(newcomer)(**{**fields(newcomer), "release": found.start})]
        for each, end in zip(whole, exactly(whole, free), strict=True):
            assert end <= each.due + Fraction(1, 50)


def fields(work_):
    return {name: getattr(work_, name) for name in work_.__struct_fields__}
