"""Goal: on a worker that shares its cpus nobody is let in who would make anybody late, and whoever
was promised an end has it. Method: the published scenario in seconds, and laws of the spans."""

from __future__ import annotations

import pytest

from leaseway.core.agent import Agent
from leaseway.core.model import commands as cmd
from leaseway.core.model import worker as wk
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, Mode, TermsChange, TermsOffer, WindowOffer
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.spans import Span, ended, served, started
from leaseway.core.recompute import recomputed
from leaseway.core.wording.say import sentence
from tests.core.pool import PERSON, Machine, Pool, S, task

GUARD = Guard(1_000, 0, 0, 500)


def pool_of(cpus, window_s=10, **fields):
    pool = Pool()
    terms = TermsOffer(
        (WindowOffer(0, window_s * S),),
        capacity=Capacity(cpus * 1_000, slots=9),
        guard=GUARD,
        mode=Mode.SHARED,
        **fields,
    )
    reply = pool.register("w", terms)
    machine = pool.machines["w"] = Machine(pool, "w", Agent("w", "spool-w", "boot-w"))
    machine.tell(wk.Registered(reply, machine.now().boot_ms))
    machine.sync()
    return pool


def told(pool, *tasks, **fields):
    refused = pool.submit(*tasks, **fields).refused
    return None if refused is None else [(each.code, each.variant) for each in refused.findings]


def ends(pool):
    return {
        each.spec.name: (each.outcome.kind.value, each.outcome.at <= each.promise)
        for each in pool.view.facts.tasks.values()
        if each.outcome is not None and each.promise is not None
    }


def test_on_one_core_the_latecomers_are_refused_and_the_promise_is_named():
    pool = pool_of(1)
    began = pool.now
    assert told(pool, task("long", 8 * S)) is None
    assert pool.task("long").promise == began + 9_500  # its window less the clock error
    pool.lasts = {"long": 8 * S}
    for name in ("s1", "s2"):
        (finding,) = pool.submit(task(name, 2 * S)).refused.findings
        assert (finding.code, finding.tasks) == ("LW306", (name, "p-1/long"))
        assert finding.numbers["short_ms"] == 1_500  # shared till 4 s, then alone: done at 10
        assert "break the promise of p-1/long (ada)" in sentence(finding)
    pool.run(12 * S)
    assert ends(pool) == {"long": ("succeeded", True)}


def test_on_two_cores_they_are_accepted_and_all_end_in_time():
    """Beside both the long one would take 9 of 8.5 s: the second short one comes later."""
    pool = pool_of(2)
    began = pool.now
    pool.lasts = {"long": 8 * S, "s1": 2 * S, "s2": 2 * S}
    notes = []
    for name, limit in (("long", 8 * S), ("s1", 2 * S), ("s2", 2 * S)):
        reply = pool.submit(task(name, limit)).reply
        notes += [(each.code, each.variant, each.tasks) for each in reply.findings]
    assert notes == [("LW307", "behind", ("s2", "p-2/s1"))]
    assert [pool.task(name).reservation.start - began for name in ("long", "s1", "s2")] == [
        0,
        0,
        2 * S,
    ]
    pool.run(12 * S)
    assert ends(pool) == dict.fromkeys(("long", "s1", "s2"), ("succeeded", True))


def test_without_the_check_the_same_would_be_let_in(monkeypatch):
    from leaseway.core.admission import candidates, shared

    for module in (candidates, shared):
        monkeypatch.setattr(module, "harmed", lambda works, found: None)
    pool = pool_of(1)
    assert told(pool, task("long", 8 * S)) is None
    assert told(pool, task("s1", 2 * S)) is None, "the test above can fail"


def test_two_that_each_pass_alone_cannot_both_pass():
    """Write-skew: 4 s beside 8 s of 12.5 pass once, and not twice, in one batch or in two plans."""
    pool = pool_of(1, 14)
    assert told(pool, task("long", 8 * S)) is None
    assert told(pool, task("a", 4 * S), task("b", 4 * S)) == [("LW306", "")]
    assert told(pool, task("a", 4 * S)) is None
    assert told(pool, task("b", 4 * S)) == [("LW306", "")]


def test_what_was_looked_at_before_the_lease_changed_is_decided_anew():
    pool = pool_of(1, 14)
    plan = PlanSpec("p", (task("t", 8 * S),))
    assert pool.do(cmd.Submit(plan, PERSON, dry=True)).refused is None
    pool.do(cmd.ChangeLease("w", TermsChange(windows=(WindowOffer(0, 9 * S),)), "ada"))
    assert pool.do(cmd.Submit(plan, PERSON)).refused is not None


def test_what_it_had_so_far_counts():
    """As S4, arriving at two: 6 left of 8 and 8.5 s; two of one fit, of two of two only one."""
    for short, fits in ((1, True), (2, False)):
        pool = pool_of(1, 12, stretch_percent=1_000)
        pool.lasts = {"long": 9 * S}
        told(pool, task("long", 8 * S))
        pool.run(2 * S)
        first, second = (told(pool, task(name, short * S)) for name in ("s1", "s2"))
        assert first is None
        assert (second is None) == fits


def test_a_short_stretch_promises_sooner_and_lets_fewer_in():
    pool = pool_of(1, 60, stretch_percent=150)
    began = pool.now
    told(pool, task("a", 10 * S))
    assert pool.task("a").promise == began + 15 * S + 1_000
    assert told(pool, task("b", 4 * S)) is None
    assert pool.task("b").promise > began + 6 * S
    assert told(pool, task("c", 10 * S)) is None, "it comes later, when the others have ended"


def test_other_capacity_is_set_aside_all_the_same():
    pool = pool_of(4)
    slots = [task(f"t{at}", S) for at in range(10)]
    assert told(pool, *slots) is None
    starts = {each.reservation.start for each in pool.view.facts.tasks.values()}
    assert len(starts) > 1, "nine slots"


def test_every_decision_is_made_again_the_same():
    pool = pool_of(2)
    pool.lasts = {"long": 8 * S, "s1": 2 * S, "s2": 2 * S}
    for name, limit in (("long", 8 * S), ("s1", 2 * S), ("s2", 2 * S), ("s3", 9 * S)):
        pool.submit(task(name, limit))
        pool.run(100)
    pool.run(12 * S)
    assert all(each.same for each in recomputed(pool.history))


# Spans --------------------------------------------------------------------------------------


def test_alone_it_has_its_cap_and_beside_another_its_part():
    """One of one core from 0, another from 4, to 10: 4 + 3 and 3 core-seconds."""
    spans = started((Span("a", 1, 1_000, 0),), Span("b", 1, 1_000, 4))
    assert served(spans, 1_000, 10) == {"a": 7_000, "b": 3_000}
    assert served(spans, 2_000, 10) == {"a": 10_000, "b": 6_000}


def test_who_has_ended_counts_while_somebody_ran_beside_it():
    spans = ended((Span("a", 1, 1_000, 0), Span("b", 1, 1_000, 2)), "a", 1, 6)
    assert served(spans, 1_000, 10) == {"b": 2_000 + 4_000}
    assert ended(spans, "b", 1, 9) == ()


@pytest.mark.parametrize("cpus", [1_000, 3_000])
def test_never_more_than_there_is(cpus):
    spans = tuple(Span(f"t{at}", 1, 1_000, at) for at in range(5))
    assert sum(served(spans, cpus, 20).values()) <= cpus * 20


# Room goes away ------------------------------------------------------------------------------


def cpus_of(pool, cpus):
    capacity = Capacity(cpus * 1_000, slots=9)
    pool.do(cmd.ChangeLease("w", TermsChange(capacity=capacity), "ada"))


def test_fewer_cpus_cost_the_youngest_and_never_an_elder():
    """Two of 8 s on two cpus within 12.5 s; on one cpu only the elder can end in time."""
    pool = pool_of(2, 14)
    pool.lasts = {"old": 8 * S, "young": 8 * S}
    for name in ("old", "young"):
        assert told(pool, task(name, 8 * S)) is None
    pool.run(S)
    cpus_of(pool, 1)
    old, young = pool.task("old").attempt, pool.task("young").attempt
    assert (old.cause, old.stop_at - pool.now) == (None, 11_500)
    assert (young.cause.code, young.cause.variant) == ("LW602", "contention")
    assert young.stop_at == pool.now
    pool.run(14 * S)
    assert ends(pool)["old"] == ("succeeded", True)
    assert pool.outcome("young") != "succeeded"


def test_a_place_that_waits_is_withdrawn_with_its_cause():
    """On one cpu the long one needs it alone: of the short ones one runs and one still waits."""
    pool = pool_of(2)
    pool.lasts = {"long": 8 * S, "s1": 2 * S, "s2": 2 * S}
    for name, limit in (("long", 8 * S), ("s1", 2 * S), ("s2", 2 * S)):
        told(pool, task(name, limit), who=PERSON)
    pool.settle()
    cpus_of(pool, 1)
    assert pool.task("s1").attempt.cause.variant == "contention"
    assert (pool.task("s2").promise, pool.task("s2").moved.code) == (None, "LW605")
    pool.run(12 * S)
    assert ends(pool)["long"] == ("succeeded", True)


def test_who_is_past_its_own_gives_way_to_whoever_would_be_late():
    """`wild` was promised 2 s and goes on; once `tame` would be late by it, it has to end."""
    pool = pool_of(1, 30, stretch_percent=600)
    pool.lasts = {"wild": 60 * S, "tame": 10 * S}
    told(pool, task("wild", 2 * S))
    told(pool, task("tame", 10 * S))
    pool.run(20 * S)
    assert pool.outcome("wild") == "overran"
    assert ends(pool)["tame"] == ("succeeded", True)


# The anomaly of an early end --------------------------------------------------------------------


def of_the_anomaly():
    """One core; A of 6 s and B of 3, C of 4 after it; X of 6 s. By 12 s A and X end as planned, and
    X is promised no later. A needs 1 s only."""
    pool = pool_of(1, 60, stretch_percent=200)
    pool.lasts = {"A": S, "B": 3 * S, "C": 4 * S, "X": 60 * S}
    pool.submit(
        task("A", 6 * S),
        task("X", 6 * S),
        task("B", 3 * S, needs=("A",)),
        task("C", 4 * S, needs=("A",)),
    )
    assert pool.task("X").reservation.end - pool.now == 13 * S  # 12 s and the tail
    pool.run(2 * S)
    return pool


def test_s6_who_ends_early_lets_nobody_begin_who_would_make_another_late():
    """At 1 s A is over: X has 5.5 left of 11 s; beside B and C it would end at 14.5."""
    pool = of_the_anomaly()
    assert pool.outcome("A") == "succeeded"
    begun = [name for name in ("B", "C") if pool.task(name).attempt is not None]
    assert len(begun) < 2


def test_s6_without_the_gate_both_begin(monkeypatch):
    from leaseway.core.decisions import release

    monkeypatch.setattr(release, "may_begin", lambda *_: None)
    pool = of_the_anomaly()
    assert [name for name in ("B", "C") if pool.task(name).attempt is not None] == ["B", "C"]
