"""Goal: what a worker says counts as the protocol says. Method: small stories, numbers by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import TaskState
from leaseway.core.model.sync import AttemptRef, Held, Phase, SyncRequest
from tests.core.pool import T0, M, Pool, S, codes, events, kinds, task
from tests.core.voice import DONE, GUARD, REF, Voice, ended


@pytest.fixture
def pool():
    return Pool()


@pytest.fixture
def voice(pool):
    made = Voice(pool)
    made.say()
    return made


def wait(pool, ms):
    pool.now += ms


def running(pool, voice, **fields):
    """`a`, 10 s reserved, has started when it was granted."""
    pool.submit(task("a", 10 * S, **fields))
    assert [grant.ref for grant in voice.say().start] == [REF]
    voice.say(held=(Held(REF, Phase.RUNNING, 0),))


# Reports ------------------------------------------------------------------------------------------


def test_a_grant_is_sent_until_it_is_seen_held(pool, voice):
    pool.submit(task("a", 10 * S))
    for _ in range(3):
        assert [grant.ref for grant in voice.say().start] == [REF]
    assert voice.say(held=(Held(REF, Phase.GRANTED),)).start == ()
    assert kinds(pool).count("AttemptGranted") == 1


def test_a_start_is_dated_by_how_long_ago_it_was(pool, voice):
    pool.submit(task("a", 10 * S))
    voice.say()
    wait(pool, 900)
    voice.say(held=(Held(REF, Phase.RUNNING, 400),))
    attempt = pool.task("a").attempt
    assert (attempt.started_at, attempt.stop_at) == (T0 + 500, T0 + 10_500)
    room = pool.task("a").reservation
    assert (room.start, room.end) == (T0, T0 + 10_500 + GUARD.tail_ms), "no longer than it needs"


def test_a_start_is_never_before_its_grant_nor_its_stop_after_what_was_set_aside(pool, voice):
    pool.submit(task("a", 10 * S))
    voice.say()
    wait(pool, 3_000)
    voice.say(held=(Held(REF, Phase.RUNNING, 99_000),))
    assert pool.task("a").attempt.started_at == T0


def test_an_ending_ends_the_task_and_is_settled(pool, voice):
    running(pool, voice)
    wait(pool, S)
    reply = voice.say(endings=(ended(ago=300),))
    assert reply.settled == (REF,)
    one = pool.task("a")
    assert (one.outcome.kind, one.outcome.at) == ("succeeded", T0 + S)
    assert (one.past[0].ended_at, one.outcome.late_ms) == (T0 + 700, 0)


def test_said_twice_it_counts_once_and_is_settled_twice(pool, voice):
    running(pool, voice)
    first = voice.say(endings=(ended(),))
    before = list(pool.history)
    assert voice.say(endings=(ended(),)).settled == first.settled == (REF,)
    assert pool.history == before


def test_an_ending_nobody_here_knows_is_neither_settled_nor_stopped(pool, voice):
    unknown, later = AttemptRef("p-9/x", 1), AttemptRef("p-1/a", 7)
    running(pool, voice)
    reply = voice.say(
        held=(Held(REF, Phase.RUNNING, 0), Held(AttemptRef("p-9/y", 2), Phase.RUNNING, 5)),
        endings=(ended(ref=unknown), ended(ref=later)),
    )
    assert reply.settled == reply.stop == ()
    assert pool.outcome("a") is None


def test_not_started_waits_again_and_is_granted_anew(pool, voice):
    pool.submit(task("a", 10 * S))
    voice.say()
    assert voice.say(back=(REF,)).start == (), "a second later, not at once"
    pool.now += S
    reply = voice.say()
    assert [grant.ref.number for grant in reply.start] == [2]
    assert pool.task("a").state is TaskState.GRANTED
    assert "AttemptReturned" in kinds(pool)


# Late, lost, fenced -------------------------------------------------------------------------------


def test_fault_03_before_lost_is_written_a_late_result_counts(pool, voice):
    running(pool, voice)
    wait(pool, 60 * M)
    reply = voice.say(endings=(ended(),))
    outcome = pool.task("a").outcome
    assert reply.settled == (REF,)
    assert outcome.kind == "succeeded"
    assert outcome.late_ms == 60 * M - 10 * S - GUARD.total_ms


def lose(pool):
    """Time passes without a word until the attempt is called lost."""
    for _ in range(200):
        wait(pool, S)
        pool.tick()
        if pool.task("a").past:
            return
    raise AssertionError("never lost")


def test_fault_03_after_lost_it_is_evidence_and_the_outcome_stays(pool, voice):
    running(pool, voice)
    lose(pool)
    before = pool.task("a").outcome
    assert before.kind == "lost"
    for _ in range(2):
        assert voice.say(endings=(ended(),)).settled == (REF,)
    kept = events(pool, ev.ResultKept)
    assert [(one.number, one.cause.code) for one in kept] == [(1, "LW708")]
    assert pool.task("a").outcome == before
    assert pool.task("a").evidence == (DONE,)


def test_repeat_safe_tries_again_under_a_new_number(pool, voice):
    other = Voice(pool, "z")
    other.say()
    running(pool, voice, repeat=Repeat.SAFE)
    lose(pool)
    assert pool.task("a").state is TaskState.WAITING
    other.say()
    pool.tick()
    assert [grant.ref.number for grant in other.say().start] == [2]
    assert voice.say(endings=(ended(),)).settled == (REF,)
    assert pool.outcome("a") is None, "the first attempt holds nothing any more"
    second = AttemptRef("p-1/a", 2)
    other.say(held=(Held(second, Phase.RUNNING, 0),))
    other.say(endings=(ended(ref=second),))
    assert (pool.outcome("a"), pool.task("a").outcome.attempt) == ("succeeded", 2)


def test_what_lost_its_grant_and_runs_on_is_stopped(pool, voice):
    running(pool, voice)
    lose(pool)
    reply = voice.say(held=(Held(REF, Phase.RUNNING, 99_000),))
    assert [stop.ref for stop in reply.stop] == [REF]


def test_an_ending_from_another_worker_than_the_one_granted_is_evidence(pool, voice):
    other = Voice(pool, "z")
    running(pool, voice)
    assert other.say(endings=(ended(),)).settled == (REF,)
    assert pool.outcome("a") is None
    assert kinds(pool).count("ResultKept") == 1


def test_fault_06_an_older_incarnation_is_fenced_off(pool, voice):
    running(pool, voice)
    old = voice.incarnation
    voice.again()
    before = list(pool.history)
    request = SyncRequest("w", old, 9, voice.spool, "boot", endings=(ended(),))
    refused = pool.do(cmd.Sync(request, pool.now)).refused
    assert (refused.kind, codes(refused.findings)) == ("fenced", ["LW801"])
    numbers = refused.findings[0].numbers
    assert (numbers["number"], numbers["current"]) == (old, old + 1)
    assert pool.history == before
    assert voice.say(endings=(ended(),)).settled == (REF,), "the newer one reports it"
    assert pool.outcome("a") == "succeeded"


def test_who_never_registered_is_fenced_off(pool):
    refused = pool.do(cmd.Sync(SyncRequest("x", 1, 1, "s", "b"), pool.now)).refused
    assert (refused.kind, refused.findings[0].variant) == ("fenced", "worker")


# Grants that never arrived ------------------------------------------------------------------------


def test_same_spool_later_sync_past_its_start_by_never_started(pool, voice):
    pool.submit(task("a", 10 * S))
    wait(pool, GUARD.delivery_ms)
    assert voice.say().start, "not past it yet: sent again"
    wait(pool, 1)
    voice.say()
    assert kinds(pool).count("AttemptReturned") == 1


def test_another_spool_is_not_told_and_means_lost(pool, voice):
    pool.submit(task("a", 10 * S))
    voice.spool = "a new disk"
    assert voice.say().start == ()
    for _ in range(30):
        wait(pool, S)
        assert voice.say().start == ()
        pool.tick()
    assert (pool.outcome("a"), pool.task("a").numbers) == ("lost", 1)
