"""Goal: clocks and histories that differ are found, and only those. Method: stories by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import AttemptRef, Held, Phase, SyncRequest
from tests.core.pool import M, Pool, S, codes, events, task
from tests.core.voice import GUARD, REF, Voice, ended


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


# Clocks -------------------------------------------------------------------------------------------


def test_remaining_is_measured_when_the_request_arrived(pool, voice):
    """The call was held for 7 s, then a task came: 3 s of delivery less, not 7 s dead."""
    request = SyncRequest("w", voice.incarnation, 2, voice.spool, "boot")
    arrived = pool.now
    wait(pool, 7 * S)
    pool.submit(task("a", 10 * S))
    reply = pool.do(cmd.Sync(request, arrived)).reply
    assert reply.start[0].start_by_in_ms == 7 * S + GUARD.delivery_ms
    assert reply.start[0].reserved_ms == 10 * S


@pytest.mark.parametrize(("fast", "drained"), [(0, False), (560, False), (561, True), (-561, True)])
def test_a_rate_that_is_off_over_a_minute_drains(pool, voice, fast, drained):
    """One thousandth of 60 s and the clock error: 60 + 500 ms."""
    for _ in range(15):
        wait(pool, 4 * S)
        pool.tick()  # a coordinator that does not look is one that sleeps
    voice.say(boot_ms=M + fast)
    lease = pool.view.facts.leases["w"]
    assert lease.state is (LeaseState.DRAINING if drained else LeaseState.ACTIVE)
    assert (lease.cause.code if drained else lease.cause) == ("LW803" if drained else None)


def test_a_rebooted_machine_begins_its_clock_anew(pool, voice):
    wait(pool, 5 * M)
    voice.say()
    voice.again()
    voice.booted = pool.now
    wait(pool, 2 * M)
    voice.say()
    assert pool.view.facts.leases["w"].state is LeaseState.ACTIVE


def test_a_held_call_decided_again_is_no_drift_and_no_second_sleep(pool, voice):
    """It is decided with the moment it arrived, seconds later, and once more."""
    arrived, request = (
        pool.now,
        SyncRequest("w", voice.incarnation, 2, voice.spool, "boot", boot_ms=0, slept_ms=4_000),
    )
    pool.tick(resumed=True)
    for _ in range(3):
        pool.do(cmd.Sync(request, arrived))
        wait(pool, 2_500)
    voice.seq = 2
    wait(pool, M)
    voice.say()
    assert pool.view.facts.leases["w"].state is LeaseState.ACTIVE
    assert [one.slept_ms for one in events(pool, ev.WorkerSlept)] == [4_000]


# Another history ----------------------------------------------------------------------------------


def test_fault_38_a_restored_ledger_forks_and_stops_nothing(pool, voice):
    running(pool, voice)
    seen = pool.view.facts.position + 100
    newer = AttemptRef("p-7/x", 3)
    reply = voice.say(
        ledger_id="ledger-1",
        ledger_seen=seen,
        held=(Held(newer, Phase.RUNNING, 5), Held(REF, Phase.RUNNING, 0)),
        endings=(ended(ref=AttemptRef("p-8/y", 1)),),
    )
    assert (reply.ledger_id, reply.ledger_accepted) == ("fresh", False)
    assert (reply.start, reply.stop, reply.settled) == ((), (), ())
    assert "LW805" in codes(reply.findings)
    assert pool.view.facts.old_ledger_ids == ("ledger-1",)
    fork = events(pool, ev.LedgerForked)[0]
    assert (fork.old_id, fork.seen, fork.worker) == ("ledger-1", seen, "w")


@pytest.mark.parametrize("bound", [10 * S, None], ids=["promised", "best effort"])
def test_fault_38_nothing_is_granted_until_the_owner_has_looked(pool, voice, bound):
    voice.say(ledger_id="ledger-1", ledger_seen=10_000)
    pool.submit(task("a", bound))
    assert voice.say().start == ()
    assert pool.task("a").state is TaskState.WAITING
    pool.do(cmd.SetState("w", LeaseState.ACTIVE, "ada"))
    reply = voice.say()
    assert reply.ledger_accepted
    assert [grant.ref for grant in reply.start] == [REF]


def test_the_same_head_is_no_other_history(pool, voice):
    voice.say(ledger_id="ledger-1", ledger_seen=pool.view.facts.position)
    assert pool.view.facts.ledger_id == "ledger-1"
