"""Goal: silence means something only when it could have been broken. Method: moments by hand."""

from __future__ import annotations

from leaseway.core.evolve import evolve
from leaseway.core.model import events as ev
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.view import View
from leaseway.core.presence import heard_lately, is_present, may_judge, reported
from tests.core.pool import Pool, offer

PATIENCE = 15_000
T = 1_000_000


def heard(view, at, seq=1, **fields):
    evolve(view, at, ev.Heard("w", seq, 0, **fields))


def said(view, now):
    return heard_lately(view, "w", now), may_judge(view, "w", now), is_present(view, "w", now)


def test_heard_for_as_long_as_the_patience():
    view = View()
    heard(view, T)
    assert said(view, T + PATIENCE) == (True, True, True)
    assert said(view, T + PATIENCE + 1) == (False, True, False)


def test_after_a_start_or_gap_the_patience_begins_anew():
    view = View()
    heard(view, T)
    evolve(view, T + 50_000, ev.Judged(resumed=True))
    assert said(view, T + 50_000) == (False, False, True)
    assert said(view, T + 50_000 + PATIENCE) == (False, False, True)
    assert said(view, T + 50_000 + PATIENCE + 1) == (False, True, False)
    heard(view, T + 70_000, seq=2)
    assert said(view, T + 70_000) == (True, True, True)


def test_a_word_from_before_a_start_is_no_word():
    view = View()
    heard(view, T)
    evolve(view, T + 5_000, ev.Judged(resumed=True))
    assert said(view, T + 6_000) == (False, False, True)


def test_a_look_that_is_no_start_changes_nothing():
    view = View()
    heard(view, T)
    evolve(view, T + 1, ev.Judged())
    assert said(view, T + 2) == (True, True, True)


def test_who_has_just_registered_is_there():
    pool = Pool()
    pool.now += 60_000
    pool.register("w", offer())
    assert is_present(pool.view, "w", pool.now + PATIENCE)
    assert not is_present(pool.view, "w", pool.now + PATIENCE + 1)
    assert not is_present(pool.view, "nobody", pool.now)


def test_reported_is_what_the_latest_sync_named():
    view = View()
    one, other = AttemptRef("a", 1), AttemptRef("b", 1)
    heard(view, T, reported=(one,))
    assert (reported(view, "w", one), reported(view, "w", other)) == (True, False)
    heard(view, T + 1, reported=(other,))
    assert (reported(view, "w", one), reported(view, "w", other)) == (False, True)


def test_a_call_that_is_decided_again_is_no_new_word():
    view = View()
    heard(view, T)
    heard(view, T + 10_000)
    assert said(view, T + PATIENCE + 1) == (False, True, False)
