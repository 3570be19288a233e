"""Goal: what an owner's windows did is known. Method: windows opened and closed in virtual time,
the lengths worked by hand; the rule against counting."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.record import Closing
from leaseway.core.model.states import LeaseState
from leaseway.core.record.closings import early_close_ms
from tests.core.pool import M, Pool, task


def change(pool, *windows):
    offers = tuple(WindowOffer(opens, closes) for opens, closes in windows)
    pool.do(cmd.ChangeLease("w", TermsChange(windows=offers), "ada"))


def early(pool):
    return [each.early_ms for each in pool.view.facts.record.closings.get("w", ())]


@pytest.fixture
def pool():
    pool = Pool()
    pool.worker("w", window_ms=60 * M)
    pool.run(10 * M)
    return pool


def test_shortened_twice_it_counts_against_what_was_declared_first(pool):
    change(pool, (0, 20 * M))
    assert early(pool) == [30 * M]  # to close at 30 of 60 minutes
    pool.run(M)
    change(pool, (0, 9 * M))
    assert early(pool) == [40 * M]  # at 20
    pool.run(10 * M)
    change(pool, (0, 5 * M))  # closed by then: another window
    change(pool, (0, 2 * M))
    assert early(pool) == [40 * M, 3 * M]


def test_a_window_that_runs_out_counts_with_nothing(pool):
    pool.run(51 * M)
    change(pool, (0, 60 * M))
    assert early(pool) == [0]


def test_a_drain_counts_where_something_was_promised_and_not_if_it_is_taken_back(pool):
    pool.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    assert early(pool) == []
    pool.do(cmd.SetState("w", LeaseState.ACTIVE, "ada"))
    pool.lasts["a"] = 20 * M
    pool.submit(task("a", 30 * M))
    pool.settle()
    pool.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    assert early(pool) == [50 * M]
    pool.do(cmd.SetState("w", LeaseState.ACTIVE, "ada"))
    assert early(pool) == []
    pool.run(51 * M)
    change(pool, (0, 60 * M))
    assert early(pool) == [0]


@pytest.mark.parametrize(
    ("early", "expected"),
    [
        ((), 0),
        ((9,), 0),
        ((9, 0), 0),
        ((9, 4), 4),
        ((0, 0, 7), 7),  # ceil(2.7) = 3
        ((1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 9),
        ((0, 0, 0, 0, 0, 0, 0, 0, 0, 10), 0),
    ],
)
def test_the_rule(early, expected):
    assert early_close_ms([Closing(at, 0, each) for at, each in enumerate(early)]) == expected
