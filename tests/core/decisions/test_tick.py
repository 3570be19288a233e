"""Goal: time ends what must end, and nothing that could still be heard. Method: stories by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import AttemptRef, Held, Phase
from tests.core.pool import AGENT, T0, M, Pool, S, codes, events, task
from tests.core.voice import GUARD, REF, Voice, ended

HOUR = 60 * M


@pytest.fixture
def pool():
    return Pool()


@pytest.fixture
def voice(pool):
    made = Voice(pool)
    made.say()
    return made


def running(pool, voice, **fields):
    pool.submit(task("a", **{"limit_ms": 10 * S, **fields}))
    voice.say()
    voice.say(held=(Held(REF, Phase.RUNNING, 0),))


def pass_time(pool, until):
    """Ticks each second up to this moment, the last one just then."""
    while pool.now < until:
        pool.now = min(until, pool.now + S)
        pool.tick()


def test_lost_only_after_stop_time_and_guard(pool, voice):
    running(pool, voice, limit_ms=30 * S)
    attempt = pool.task("a").attempt
    last = attempt.stop_at + GUARD.total_ms
    pass_time(pool, last)
    assert pool.outcome("a") is None
    pass_time(pool, last + S)
    outcome = pool.task("a").outcome
    assert (outcome.kind, outcome.cause.code) == ("lost", "LW704")
    assert outcome.cause.numbers["stop_at"] == attempt.stop_at
    assert outcome.cause.numbers["heard_at"] == T0


def test_not_lost_while_its_worker_reports_it(pool, voice):
    """An ending will come: presence and stop time are two things (fault 36)."""
    running(pool, voice)
    for _ in range(60):
        pool.now += S
        voice.say(held=(Held(REF, Phase.STOPPING, 1),))
        pool.tick()
    assert pool.outcome("a") is None


def test_lost_if_its_worker_is_there_and_says_nothing_of_it(pool, voice):
    """A new disk: what was on the old one is not known any more."""
    running(pool, voice)
    for _ in range(20):
        pool.now += S
        voice.say()
        pool.tick()
    assert pool.outcome("a") == "lost"


def test_fault_20_no_second_attempt_before_the_first_is_over(pool, voice):
    """It ignores TERM: its token, its place and its task stay taken until its end is sure."""
    other = Voice(pool, "z", tokens=("t",))
    other.say()
    pool.view.facts.leases["w"].terms = pool.view.facts.leases["z"].terms
    running(pool, voice, repeat=Repeat.SAFE, holds=("t",))
    pool.submit(task("b", 10 * S, holds=("t",)))
    pool.do(cmd.Revoke("w", "ada"))
    stop_at = pool.task("a").attempt.stop_at
    while pool.now < stop_at + GUARD.total_ms:
        pool.now += S // 2
        other.say()
        pool.tick()
        voice.say(held=(Held(REF, Phase.STOPPING, 1),))
        assert pool.task("a").numbers == 1
        assert pool.task("b").state is TaskState.WAITING
    voice.say(endings=(ended(Ending(EndKind.SIGNALED, signal=9)),))
    assert pool.outcome("a") == "failed"
    assert [grant.ref.task for grant in other.say().start] == ["p-2/b"]


# A gap in the coordinator's own time --------------------------------------------------------------


@pytest.mark.parametrize("resumed", [True, False], ids=["started anew", "slept"])
def test_fault_37_hear_before_judging(pool, voice, resumed):
    running(pool, voice)
    pool.now += 8 * HOUR
    pool.tick(resumed=resumed)
    pass_time(pool, pool.now + 14 * S)
    assert pool.outcome("a") is None
    reply = voice.say(endings=(ended(ago=7 * HOUR),))
    assert reply.settled == (REF,)
    outcome = pool.task("a").outcome
    assert outcome.kind == "succeeded"
    assert outcome.late_ms > 7 * HOUR


def test_fault_37_what_was_sent_just_before_and_never_named_is_heard_first_too(pool, voice):
    """Its start was never told; the coordinator slept, and wakes long after the stop time."""
    pool.submit(task("a", 10 * S))
    assert voice.say().start
    pool.now += 8 * HOUR
    pass_time(pool, pool.now + 14 * S)
    assert pool.outcome("a") is None
    voice.say(endings=(ended(ago=7 * HOUR),))
    assert pool.outcome("a") == "succeeded"


def test_fault_37_the_patience_passes_anew_and_then_it_is_lost(pool, voice):
    running(pool, voice)
    pool.now += 8 * HOUR
    woke = pool.now
    pass_time(pool, woke + 16 * S)
    assert pool.outcome("a") is None, "woke one second after the gap began to be seen"
    pass_time(pool, woke + 18 * S)
    assert pool.outcome("a") == "lost"


def test_fault_37_a_story_with_real_agents():
    """Three workers run through the coordinator's night; the limits are longer than it."""
    pool = Pool()
    for name in ("u", "v", "w"):
        pool.worker(name, slots=2)
    names = [f"t{at}" for at in range(6)]
    pool.lasts = dict.fromkeys(names, HOUR)
    pool.submit(*(task(name, 10 * HOUR) for name in names))
    pool.run(5 * S)
    for machine in pool.machines.values():
        machine.deaf = True
    while pool.now < T0 + 8 * HOUR:
        pool.now = min(T0 + 8 * HOUR, *(m.next_moment() for m in pool.machines.values()))
        for machine in pool.machines.values():
            machine.work()
            if machine.due <= pool.now:
                machine.sync()
    for machine in pool.machines.values():
        machine.deaf = False
    pool.next_tick = pool.now
    pool.run(M)
    assert {pool.outcome(name) for name in names} == {"succeeded"}
    assert pool.machines["w"].starts + pool.machines["v"].starts + pool.machines["u"].starts


# Giving up and placing anew -----------------------------------------------------------------------


def test_a_waiting_task_gives_up_an_hour_after_its_promise(pool, voice):
    pool.submit(task("a", 10 * S))
    pool.do(cmd.SetState("w", LeaseState.DRAINING, "ada"))
    promise = T0 + 10 * S + GUARD.overhead_ms
    assert pool.task("a").give_up_at == promise + HOUR


def test_its_own_time_to_give_up(pool):
    voice = Voice(pool)
    pool.submit(task("a", 10 * S, give_up_ms=5 * S))
    pool.submit(task("b", give_up_ms=7 * S))
    at = {name: pool.task(name).give_up_at for name in "ab"}
    assert at == {"a": T0 + 10 * S + GUARD.overhead_ms + 5 * S, "b": T0 + 7 * S}
    del voice
    pass_time(pool, at["b"] - 1)
    assert pool.outcome("b") is None
    pass_time(pool, at["b"])
    outcome = pool.task("b").outcome
    assert (outcome.kind, outcome.cause.code, outcome.at) == ("refused", "LW713", at["b"])


def test_what_waits_for_a_worker_that_is_gone_moves_to_one_that_is_there(pool, voice):
    pool.submit(task("a", 10 * S), task("b", 10 * S), task("c", M))
    other = Voice(pool, "z")
    assert {one.reservation.worker for one in pool.view.facts.tasks.values()} == {"w"}
    while pool.now < T0 + 20 * S:
        pool.now += S
        other.say()
        pool.tick()
    moved = pool.task("c")
    assert moved.reservation.worker == "z"
    assert moved.moved.code == "LW307", "in time all the same: silent"
    assert moved.promise == T0 + 80 * S + 3 * GUARD.overhead_ms
    assert "p-1/c" not in [one.task for one in events(pool, ev.PromiseWithdrawn)]


@pytest.mark.parametrize(
    ("fields", "who", "outcome"),
    [
        ({}, None, None),
        ({}, AGENT, "refused"),
        ({"on_withdrawn": "end"}, None, "refused"),
        ({"on_withdrawn": "wait"}, AGENT, None),
    ],
    ids=["person", "agent", "person, end", "agent, wait"],
)
def test_no_room_left_it_waits_or_ends_as_it_says(pool, voice, fields, who, outcome):
    tasks = [task(name, M, **fields) for name in "abcd"]
    pool.submit(*tasks, **({"who": who} if who else {}))
    pass_time(pool, T0 + 40 * S)
    assert pool.outcome("d") == outcome
    if outcome:
        assert pool.task("d").outcome.cause.code == "LW605"
        assert pool.task("d").outcome.cause.variant == "gone"
    else:
        withdrawn = [one for one in events(pool, ev.PromiseWithdrawn) if one.task == "p-1/d"]
        assert [(one.cause.code, one.new) for one in withdrawn] == [("LW605", None)], "said once"
        assert pool.task("d").promise is None


# Forgetting ---------------------------------------------------------------------------------------


def done(pool, voice, name="p-1/a"):
    ref = AttemptRef(name, 1)
    voice.say()
    voice.say(held=(Held(ref, Phase.RUNNING, 0),))
    voice.say(endings=(ended(ref=ref),))


def test_seen_and_settled_it_leaves_the_view(pool, voice):
    pool.submit(task("a", 10 * S))
    done(pool, voice)
    pool.tick()
    assert "p-1/a" in pool.view.facts.tasks, "not seen yet"
    pool.do(cmd.Acknowledge((), cmd.Principal("ada", cmd.Role.OWNER)))
    pool.tick()
    assert "p-1/a" in pool.view.facts.tasks, "its worker has not heard that it is settled"
    voice.say()
    pool.tick()
    assert pool.view.facts.tasks == {}
    assert pool.view.facts.plans == {}
    index = pool.view.index
    left = (index.followers, index.pending, index.doomed, index.give_ups, index.seen, index.kept)
    assert not any(left)
    assert not index.active_of_plan
    assert not any(index.inbox.values())
    assert not any(index.outstanding.values())
    assert not any(index.attempts.values())
    assert index.used.get("w", (0,) * 6) == (0,) * 6


def test_not_while_somebody_waits_for_it(pool, voice):
    pool.submit(task("a", 10 * S), task("b", 10 * S, needs=("a",)))
    done(pool, voice)
    pool.do(cmd.Acknowledge((), cmd.Principal("ada", cmd.Role.OWNER)))
    voice.say(held=(Held(AttemptRef("p-1/b", 1), Phase.RUNNING, 0),))
    pool.tick()
    assert set(pool.view.facts.tasks) == {"p-1/a", "p-1/b"}


def test_its_key_is_remembered(pool, voice):
    pool.submit(task("a", 10 * S), key="k", digest="d")
    done(pool, voice)
    pool.do(cmd.Acknowledge((), cmd.Principal("ada", cmd.Role.OWNER)))
    voice.say()
    pool.tick()
    assert pool.view.facts.tasks == {}
    again = pool.submit(task("a", 10 * S), key="k", digest="d").reply
    assert (again.plan, again.repeated) == ("p-1", True)
    assert codes(pool.submit(task("a", S), key="k", digest="x").refused.findings) == ["LW903"]
