"""Goal: what led to no success is counted once, by its cause, and a plan says what its tasks say.
Method: numbers worked by hand, and random runs against a count of the stored events."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings

from leaseway.core.decisions.outcome import judge
from leaseway.core.model import events as ev
from leaseway.core.model.capacity import Uses
from leaseway.core.model.findings import Finding
from leaseway.core.model.outcomes import Ending, EndKind, Outcome, OutcomeKind, StopReason, Waste
from leaseway.core.model.plan import Repeat
from leaseway.core.model.sync import Phase
from leaseway.core.model.view import Attempt, Task
from leaseway.core.waste import summed, wasted
from leaseway.core.wording.rules import ENDED_BY, RULES
from tests.core.pool import M, Pool, S, events, task
from tests.core.test_evolve import steps, walk

OVERRAN = Ending(EndKind.SIGNALED, signal=15, reason=StopReason.RESERVED, ran_ms=3 * M)
FAILED = Ending(EndKind.EXITED, exit_code=2, ran_ms=30 * S)
GOOD = Ending(EndKind.EXITED, exit_code=0, ran_ms=7 * M)
UNSEEN = Ending(EndKind.UNKNOWN)


def shown(cpus_milli, *endings, ended=True, **more):
    """A task with these attempts, judged as the coordinator judges them."""
    spec = task("a", 3 * M, uses=Uses(cpus_milli=cpus_milli))
    found = Task("p-1/a", "p-1", spec, 1, 0, 0, **more)
    kind = OutcomeKind.CANCELLED
    for number, ending in enumerate(endings, 1):
        attempt = Attempt(number, "w", 1, Phase.ENDED, 0, 0, 1, ending=ending)
        kind, attempt.cause = judge(found, attempt, ending)
        found.past = (*found.past, attempt)
    if ended:
        found.outcome = Outcome(kind, Finding("LW701"), 0, len(endings))
    return found


def test_two_cpus_for_three_minutes_and_one_for_half_a_minute():
    """2 × 180 s = 360 s; 1 × 30 s = 30 s."""
    overran, failed = shown(2_000, OVERRAN), shown(1_000, FAILED)
    assert wasted(overran) == (Waste("LW702", 360_000, 1),)
    assert wasted(failed) == (Waste("LW701", 30_000, 1),)
    both = [*wasted(failed), *wasted(overran), *wasted(failed)]
    assert summed(both) == (Waste("LW702", 360_000, 1), Waste("LW701", 60_000, 2))


def test_what_a_success_took_is_not_wasted_and_what_was_tried_before_it_is():
    """Half a cpu × 30 s = 15 s, and the seven minutes count for nothing."""
    assert wasted(shown(500, FAILED, GOOD)) == (Waste("LW701", 15_000, 1),)
    assert wasted(shown(500, GOOD)) == ()


def test_a_repeat_counts_while_its_task_goes_on():
    again = shown(1_000, FAILED, ended=False)
    again.attempt = Attempt(2, "w", 1, Phase.RUNNING, 0, 0, 2)
    assert wasted(again) == (Waste("LW701", 30_000, 1),)


def test_each_attempt_is_rounded_down_by_itself():
    """A third of a cpu for 2 ms is 0.666 ms: nothing, twice."""
    short = Ending(EndKind.EXITED, exit_code=1, ran_ms=2)
    assert wasted(shown(333, short, short)) == (Waste("LW701", 0, 2),)


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        (Ending(EndKind.RESTARTED, ran_ms=M), "LW709"),
        (Ending(EndKind.KEEPER_DIED, ran_ms=M), "LW711"),
        (Ending(EndKind.EXITED, exit_code=0, missing=("out",), ran_ms=M), "LW706"),
        (Ending(EndKind.SIGNALED, signal=15, reason=StopReason.GAVE_WAY, ran_ms=M), "LW710"),
        (Ending(EndKind.SIGNALED, signal=15, reason=StopReason.WINDOW, ran_ms=M), "LW703"),
        (Ending(EndKind.SIGNALED, signal=15, reason=StopReason.CANCEL, ran_ms=M), "LW712"),
        (Ending(EndKind.SIGNALED, signal=9, ran_ms=M), "LW701"),
    ],
)
def test_every_bad_end_is_a_cause_with_a_word(ending, code):
    assert wasted(shown(4_000, ending)) == (Waste(code, 240_000, 1),)
    assert ENDED_BY[code]


def test_every_cause_that_has_a_word_is_a_rule():
    assert ENDED_BY.keys() <= RULES.keys()


def test_an_end_that_nobody_saw_counts_as_an_attempt_and_its_time_when_it_is_told():
    lost = shown(2_000, UNSEEN)
    assert wasted(lost) == (Waste("LW704", 0, 1),)
    lost.evidence, lost.kept_numbers = (GOOD,), (1,)
    assert wasted(lost) == (Waste("LW704", 14 * M, 1),)


def test_a_plan_says_what_its_tasks_say_while_it_runs():
    """4 s reserved of 60 on two cpus are 8 core-seconds; what is behind it never ran."""
    pool = Pool()
    pool.worker("w", slots=2)
    pool.lasts = {"a": M, "b": S, "c": S}
    plan = pool.submit(
        task("a", 4 * S, uses=Uses(cpus_milli=2_000)), task("b", 3 * S), task("c", S, needs=("a",))
    ).reply.plan
    assert pool.view.facts.plans[plan].wasted == ()
    pool.run(M)
    assert [pool.outcome(name) for name in "abc"] == ["overran", "succeeded", "skipped"]
    (waste,) = pool.view.facts.plans[plan].wasted
    assert (waste.code, waste.attempts) == ("LW702", 1)
    assert waste.core_ms == 2 * events(pool, ev.AttemptEnded)[0].ending.ran_ms >= 8 * S


def counted(history):
    """By plan and code, from the stored events alone."""
    specs, won, last = {}, {}, {}
    for one in history:
        match one.event:
            case ev.TaskSubmitted() as event:
                specs[event.task] = event.spec
            case ev.TaskEnded(task=name, outcome=outcome):
                won[name] = outcome.attempt if outcome.kind is OutcomeKind.SUCCEEDED else 0
            case ev.AttemptEnded() as event:
                code = event.cause.code if event.cause else ""
                last[event.task, event.number] = (code, event.ending)
            case ev.ResultKept() as event:
                code, _ = last.get((event.task, event.number), ("LW708", None))
                last[event.task, event.number] = (code, event.ending)
            case _:
                pass
    found: Counter[tuple[str, str]] = Counter()
    attempts: Counter[tuple[str, str]] = Counter()
    for (name, number), (code, ending) in last.items():
        if won.get(name) != number:
            key = name.rpartition("/")[0], code
            found[key] += ending.ran_ms * specs[name].uses.cpus_milli // 1000
            attempts[key] += 1
    return {key: (found[key], count) for key, count in attempts.items()}


@settings(max_examples=60)
@given(steps)
def test_the_plans_sum_is_that_of_its_tasks_and_of_the_events(given_steps):
    pool = walk(given_steps)
    wanted = counted(pool.history)
    for plan in pool.view.facts.plans.values():
        told = {(plan.id, each.code): (each.core_ms, each.attempts) for each in plan.wasted}
        assert told == {key: value for key, value in wanted.items() if key[0] == plan.id}
        if not plan.forgotten:
            mine = [part for name in plan.tasks for part in wasted(pool.view.facts.tasks[name])]
            assert plan.wasted == summed(mine)


def test_a_repeat_of_what_was_lost_is_wasted_once():
    pool = Pool()
    machine = pool.worker("w", 20 * S)
    pool.lasts = {"a": 30 * S}
    plan = pool.submit(task("a", 10 * S, repeat=Repeat.SAFE)).reply.plan
    pool.run(2 * S)
    machine.deaf = True
    pool.run(100 * S)
    machine.deaf = False
    pool.run(100 * S)
    told = pool.view.facts.plans[plan].wasted
    assert {(plan, each.code): (each.core_ms, each.attempts) for each in told} == counted(
        pool.history
    )
    assert told
