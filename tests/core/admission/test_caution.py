"""Goal: who has closed early before is promised less to the end, and nothing given is taken back.
Method: closings by hand."""

from __future__ import annotations

from leaseway.core.admission.caution import cautious, early_of
from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.record import Closing
from leaseway.core.recompute import recomputed
from leaseway.core.wording.say import sentence
from tests.core.pool import M, Pool, S, task


def closed_early(pool, *early_s):
    """So many windows, each closed so much earlier than declared."""
    pool.view.facts.record.closings["w"] = tuple(
        Closing(at, at + 10, early * S) for at, early in enumerate(early_s)
    )


def pool_of(window_ms=10 * M):
    pool = Pool()
    pool.worker(window_ms=window_ms)
    return pool


def test_three_early_closings_keep_as_much_free_and_a_refusal_names_it():
    """Nine of ten closings: of three the last in rank, 60 s. Of 10 min 9 are left."""
    pool = pool_of()
    closed_early(pool, 20, 60, 0)
    assert early_of(pool.view, "w") == 60 * S
    (finding,) = pool.submit(task("t", 9 * M + S)).refused.findings
    assert (finding.code, finding.numbers["early_close_ms"]) == ("LW302", 60 * S)
    assert (finding.numbers["have_ms"], finding.numbers["left_ms"]) == (9 * M, 10 * M)
    assert "1m of it are kept because its owner has closed so much earlier before" in sentence(
        finding
    )
    assert pool.submit(task("t", 9 * M)).refused is None


def test_never_more_than_half_of_what_is_left():
    pool = pool_of()
    closed_early(pool, 3_600, 3_600, 3_600)
    assert pool.submit(task("t", 5 * M)).refused is None
    assert pool.submit(task("u", S)).refused is not None


def test_who_never_closed_early_is_believed():
    pool = pool_of()
    lease = pool.view.facts.leases["w"]
    assert cautious(pool.view, lease, pool.now) is lease
    closed_early(pool, 0, 0, 0)
    assert pool.submit(task("t", 10 * M)).refused is None


def test_a_window_without_end_is_not_shortened():
    pool = Pool()
    pool.worker()
    closed_early(pool, 60, 60, 60)
    assert pool.submit(task("t", 99 * M)).refused is None


def test_what_was_promised_stays_when_the_lease_changes_and_still_holds_it():
    pool = pool_of()
    pool.lasts = {"t": 9 * M + 30 * S}
    pool.submit(task("t", 9 * M + 30 * S))
    promised = pool.task("t").promise
    closed_early(pool, 60, 60, 60)
    pool.do(cmd.ChangeLease("w", TermsChange(labels=("new",)), "ada"))
    assert pool.task("t").promise == promised


def test_windows_that_owners_shortened_are_counted_and_recomputed():
    """Three windows of 10 min, each shortened by 2 min with something promised in it."""
    pool = pool_of()
    for at in range(3):
        pool.lasts[f"t{at}"] = S
        pool.submit(task(f"t{at}", M))
        pool.run(2 * S)
        left = TermsChange(windows=(WindowOffer(0, 7 * M),))
        pool.do(cmd.ChangeLease("w", left, "ada"))
        pool.run(8 * M)
        again = TermsChange(windows=(WindowOffer(0, 10 * M),))
        pool.do(cmd.ChangeLease("w", again, "ada"))
    assert early_of(pool.view, "w") > M
    assert pool.submit(task("long", 10 * M)).refused is not None
    assert all(each.same for each in recomputed(pool.history))
