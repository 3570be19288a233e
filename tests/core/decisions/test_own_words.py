"""Goal: what a command set wins until the owner's own words change, then they do, and it is said.
Method: small stories by hand; the digest stands for the words.
"""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import TermsChange, Window, WindowOffer
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import RegisterRequest
from leaseway.core.wording.say import sentence
from tests.core.pool import T0, M, Pool, S, kinds, offer

HOUR = 60 * M
NIGHTS = (WindowOffer(10 * HOUR, 19 * HOUR), WindowOffer(34 * HOUR, 43 * HOUR))
DAILY = "daily 22:00-07:00 UTC"


def words(digest, window_ms=None, **fields):
    return offer(window_ms, digest=digest, **fields)


def change(pool, **fields):
    pool.now += S
    assert pool.do(cmd.ChangeLease("w", TermsChange(**fields), "ada")).refused is None


def lines(reply):
    return [sentence(finding) for finding in reply.findings]


def test_what_a_command_set_wins_while_the_words_are_the_same():
    pool = Pool()
    pool.register("w", words("one", max_run_ms=8 * M))
    change(pool, max_run_ms=5 * M, labels=("gpu",))
    pool.now += M
    reply = pool.register("w", words("one", max_run_ms=8 * M))
    assert (reply.terms.max_run_ms, reply.terms.labels) == (5 * M, ("gpu",))
    assert reply.lease_version == 2
    assert lines(reply) == [
        "Set by command at 00:16:41Z, and wins over what w was joined with: labels, longest task."
        " It will until the lease file or the options change."
    ]
    assert pool.view.facts.leases["w"].set_at == T0 + S
    assert lines(pool.register("w", words("one", max_run_ms=8 * M))) == lines(reply), "and again"


def test_other_words_win_and_the_difference_is_told_line_by_line():
    pool = Pool()
    gib = 1 << 30
    pool.register("w", words("one", capacity=Capacity(4000, 8 * gib, slots=4)))
    change(pool, max_run_ms=5 * M, share={"agent": 50}, windows=(WindowOffer(0, 2 * HOUR),))
    pool.now += M
    two = Capacity(2000, 16 * gib, slots=4)
    reply = pool.register("w", words("two", capacity=two, recurring=DAILY, windows=NIGHTS))
    assert lines(reply) == [
        "w, windows: open for 1h 59m → daily 22:00-07:00 UTC.",
        "w, longest task: 5m → no cap.",
        "w, cpus: 4 → 2.",
        "w, memory: 8 GiB → 16 GiB.",
        "w, share: agents 50% → none.",
    ]
    assert (reply.terms.max_run_ms, reply.terms.share) == (None, {})
    assert pool.view.facts.leases["w"].set_terms == ()
    again = pool.register("w", words("two", capacity=two, recurring=DAILY, windows=NIGHTS))
    assert (lines(again), again.lease_version) == ([], reply.lease_version)


def test_the_machine_may_change_under_the_same_words():
    """Memory was added; only what the command set is kept."""
    pool = Pool()
    pool.register("w", words("one", capacity=Capacity(4000, 1024, slots=4)))
    change(pool, max_run_ms=5 * M)
    reply = pool.register("w", words("one", capacity=Capacity(4000, 2048, slots=4)))
    assert (reply.terms.capacity.memory_bytes, reply.terms.max_run_ms) == (2048, 5 * M)


def test_a_window_that_a_command_set_wins_until_it_is_over():
    pool = Pool()
    pool.register("w", words("one", 10 * M))
    change(pool, windows=(WindowOffer(0, 20 * M),), max_run_ms=M)
    pool.now += 15 * M
    assert pool.register("w", words("one", 10 * M)).remaining_ms == 5 * M
    pool.now += 6 * M
    reply = pool.register("w", words("one", 10 * M))
    assert (reply.remaining_ms, reply.terms.max_run_ms) == (10 * M, M)
    assert pool.view.facts.leases["w"].set_terms == ("max_run_ms",)


def test_the_same_words_at_another_time_do_not_move_the_window():
    """`--until 18:00` said again is another length, and the same moment."""
    pool = Pool()
    pool.register("w", words("until 18:00", 10 * M))
    pool.now += 4 * M + 7
    reply = pool.register("w", words("until 18:00", 6 * M))
    assert (reply.remaining_ms, reply.lease_version) == (6 * M - 7, 1)


def test_a_lease_that_was_closed_begins_anew():
    pool = Pool()
    pool.register("w", words("one"))
    change(pool, max_run_ms=M)
    pool.do(cmd.SetState("w", LeaseState.ENDED, "ada"))
    reply = pool.register("w", words("one"))
    assert (reply.terms.max_run_ms, reply.findings) == (None, ())
    assert pool.view.facts.leases["w"].set_terms == ()


@pytest.mark.parametrize("late_ms", [0, 3, 1_999])
def test_recurring_windows_of_the_same_words_keep_their_instants(late_ms):
    pool = Pool()
    first = pool.register("w", words("n", windows=NIGHTS, recurring=DAILY)).terms
    pool.now += HOUR + late_ms
    sooner = tuple(
        WindowOffer(each.opens_in_ms - HOUR, (each.closes_in_ms or 0) - HOUR) for each in NIGHTS
    )
    third = WindowOffer(57 * HOUR, 66 * HOUR)
    reply = pool.register("w", words("n", windows=(*sooner, third), recurring=DAILY))
    assert reply.terms.windows[:2] == first.windows
    now = pool.now
    assert reply.terms.windows[2:] == (Window(now + 57 * HOUR, now + 66 * HOUR),)


def test_windows_set_by_command_follow_no_words_any_more():
    pool = Pool()
    pool.register("w", words("n", windows=NIGHTS, recurring=DAILY))
    change(pool, windows=(WindowOffer(0, HOUR),))
    assert pool.view.facts.leases["w"].terms.recurring == ""
    reply = pool.register("w", words("n", windows=NIGHTS, recurring=DAILY))
    assert (reply.terms.recurring, reply.remaining_ms) == ("", HOUR)


def test_a_lease_without_a_window_is_refused():
    pool = Pool()
    request = RegisterRequest("w", "m", "s", "b", offer(windows=()))
    refused = pool.do(cmd.Register(request)).refused
    assert [(f.code, f.variant) for f in refused.findings] == [("LW901", "no-windows")]
    assert "WorkerRegistered" not in kinds(pool)
