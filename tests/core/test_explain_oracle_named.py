"""Goal: every waiting task has a named time, and has its outcome by then. Method: short stories of
plans, early and late ends, silences and what owners do; each time ever named is waited for.
"""

from __future__ import annotations

from hypothesis import given

from leaseway.core.explain import explain
from leaseway.core.model.states import TaskState
from tests.core.explain_world import opened, stories, take, waiting
from tests.core.pool import S


@given(stories)
def test_everything_that_waits_has_its_outcome_by_the_time_that_is_named(story):
    offers, one_machine, steps = story
    pool = opened(offers, one_machine)
    named = {}
    for at, step in enumerate(steps):
        take(pool, step, at)
        for task in waiting(pool):
            said = explain(pool.view, task, pool.now)
            assert said.by is not None
            assert said.by > pool.now
            named[task.id, said.by] = said.open_ended
    for (name, by), open_ended in sorted(named.items(), key=lambda each: each[0][1]):
        if by - pool.now > 1_000 * S:
            continue  # far away: the same, and long to play
        pool.run(max(0, by - pool.now))
        task = pool.view.facts.tasks[name]
        if open_ended:
            assert task.state is not TaskState.WAITING or task.numbers, (name, by)
        else:
            assert task.outcome is not None, (name, by)
            assert task.outcome.at <= by
