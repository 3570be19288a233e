"""Goal: policies are versions with who and when, and old ledgers have none. Method: by hand, and a
replay of events as they were written before there were policies."""

from __future__ import annotations

from leaseway.core.evolve import replay
from leaseway.core.model import commands as cmd
from leaseway.core.model.policy import Policy, PolicyChanged
from leaseway.core.model.view import View
from leaseway.core.policy.standing import confidence_of, policy_of, version_of
from leaseway.ledger.encoding import Encoded, canonical, decode, encode
from tests.core.policy.house import hand_in, set_policy, weigh
from tests.core.pool import T0, M, Pool, S, events, task

ONE, TWO = Policy(guard_ms=1), Policy(guard_ms=2)


def test_versions_with_who_and_when():
    pool = Pool()
    assert (version_of(pool.view), policy_of(pool.view)) == (0, Policy())
    set_policy(pool, ONE)
    pool.now += 5
    said = set_policy(pool, TWO).reply
    assert (said.version, said.actor, said.at, said.policy) == (2, "eve", T0 + 5, TWO)
    kept = pool.view.facts.rules.versions
    assert [(each.version, each.at, each.policy) for each in kept] == [
        (1, T0, ONE),
        (2, T0 + 5, TWO),
    ]


def test_the_same_again_is_no_new_version():
    pool = Pool()
    assert set_policy(pool, Policy()).reply.version == 0
    set_policy(pool, ONE)
    assert set_policy(pool, ONE).reply.version == 1
    assert len(events(pool, PolicyChanged)) == 1


def test_a_trial_changes_nothing():
    pool = Pool()
    assert set_policy(pool, ONE, dry=True).reply.version == 0
    assert set_policy(pool, weigh(LW301="tell"), dry=True).refused is not None
    assert not events(pool, PolicyChanged)


def test_a_start_with_the_same_file_leaves_what_a_person_set_since():
    pool = Pool()
    start = {"at_start": True}
    assert set_policy(pool, ONE, **start).reply.version == 1
    assert set_policy(pool, TWO).reply.version == 2
    assert set_policy(pool, ONE, **start).reply.version == 2  # the file says what it said
    assert set_policy(pool, Policy(guard_ms=3), **start).reply.version == 3  # it changed
    assert set_policy(pool, ONE).reply.version == 4


def test_a_plan_keeps_the_version_it_was_decided_under():
    pool = Pool()
    pool.worker("w")
    for guard_ms in (1, 2):
        set_policy(pool, Policy(guard_ms=guard_ms))
        hand_in(pool, task("a", M))
    assert [plan.policy_version for plan in pool.view.facts.plans.values()] == [1, 2]


def test_what_was_promised_stays_when_the_policy_changes():
    pool = Pool()
    pool.worker("w", window_ms=10 * M)
    promise = hand_in(pool, task("a", 9 * M)).reply.tasks[0].promise
    set_policy(pool, Policy(guard_ms=5 * M))
    pool.tick()
    assert pool.task("a").promise == promise


def test_confidence_is_read_in_one_place():
    pool = Pool()
    assert confidence_of(pool.view) == 900_000
    set_policy(pool, Policy(confidence_ppm=990_000))
    assert confidence_of(pool.view) == 990_000


def test_a_bound_is_promised_at_the_level_of_the_policy():
    """Nine runs bound the next at 90 %; at 95 % it takes nineteen (the longest of n holds for n of
    n + 1)."""
    pool = Pool()
    pool.worker("w")
    pool.lasts = {"a": 5 * S}
    for _ in range(9):
        hand_in(pool, task("a", M))
        pool.run(10 * S)
    (first,) = hand_in(pool, task("a"), dry=True).reply.tasks
    assert (first.learned.bound_ms, first.learned.level_ppm) == (5 * S, 900_000)
    set_policy(pool, Policy(confidence_ppm=950_000))
    (second,) = hand_in(pool, task("a"), dry=True).reply.tasks
    assert (second.learned, second.promise) == (None, None)
    set_policy(pool, Policy(confidence_ppm=800_000))
    assert hand_in(pool, task("a"), dry=True).reply.tasks[0].learned.level_ppm == 800_000


def test_an_old_ledger_has_no_policy_and_reads_as_before():
    """The fields that came with policies are left out of events as they were written before."""
    pool = Pool()
    pool.worker("w")
    pool.do(cmd.Submit(pool_plan(), cmd.Principal("bot", cmd.Role.AGENT), key="k"))
    stored = [(each.at, encode(each.event)) for each in pool.history]
    assert not any(b"policy" in each.payload or b"approval" in each.payload for _, each in stored)
    old = [
        type(stamped)(at, decode(Encoded(each.tag, 1, each.payload)))
        for stamped, (at, each) in zip(pool.history, stored, strict=True)
    ]
    view = replay(View(), old)
    assert version_of(view) == 0
    assert next(iter(view.facts.plans.values())).policy_version == 0
    assert canonical(view.facts) == canonical(pool.view.facts)


def pool_plan():
    from tests.core.pool import plan

    return plan(task("a", M))
