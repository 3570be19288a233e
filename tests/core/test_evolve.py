"""Goal: replay makes the same facts, byte for byte, and the same index. Method: random runs of real
agents, folded again.
"""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaseway.core.evolve import UnknownEvent, evolve, replay
from leaseway.core.folds import attempts, leases, marks, plans, policy
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import LeaseState
from leaseway.core.model.view import View
from leaseway.core.rebuilding import rebuild
from tests.core.pool import AGENT, PERSON, Pool, S, task


def encoded(view):
    return msgspec.json.encode(view.facts, order="deterministic")


steps = st.lists(
    st.tuples(
        st.sampled_from(["submit", "submit", "run", "run", "cancel", "state", "see", "deaf"]),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    min_size=3,
    max_size=15,
)


def submit(pool, one, other, count):
    names = [f"t{count}{letter}" for letter in "abc"[: 1 + one % 3]]
    for name in names:
        pool.lasts[name] = other * S
    pool.submit(
        *(
            task(
                name,
                None if one == 9 else (one + 2) * S,
                needs=names[at - 1 : at] if other % 2 else (),
                holds=("t",) if other % 3 == 0 else (),
                repeat=Repeat.SAFE if one % 2 else Repeat.NEVER,
            )
            for at, name in enumerate(names)
        ),
        who=AGENT if one % 2 else PERSON,
        partial=True,
        key=f"k{other}" if one % 4 == 0 else "",
        max_parallel=2 if one % 3 == 0 else None,
    )


def step(pool, what, one, other, count):
    tasks = list(pool.view.facts.tasks)
    machine = pool.machines["wv"[one % 2]]
    match what:
        case "submit":
            submit(pool, one, other, count)
        case "run":
            pool.run((1 + one * other) * S)
        case "cancel" if tasks:
            kind = cmd.Cancel if other % 2 else cmd.GiveUp
            pool.do(kind(tasks[one % len(tasks)], "ada"))
        case "state":
            state = (LeaseState.DRAINING, LeaseState.ACTIVE, LeaseState.QUARANTINED)[other % 3]
            pool.do(cmd.SetState(machine.name, state, "ada"))
        case "see":
            pool.do(cmd.Acknowledge((), (AGENT, PERSON)[one % 2]))
        case "deaf":
            machine.deaf = not machine.deaf
        case _:
            pass


def walk(given_steps):
    pool = Pool()
    for name in "wv":
        pool.worker(name, slots=2, tokens=("t",))
    for count, (what, one, other) in enumerate(given_steps):
        step(pool, what, one, other, count)
    return pool


@settings(max_examples=60)
@given(steps)
def test_a_random_run_folds_again_to_the_same(given_steps):
    pool = walk(given_steps)
    again = replay(View(), pool.history)
    assert encoded(again) == encoded(pool.view)
    assert again.facts.position == len(pool.history)
    assert index_differences(pool.view, pool.now) == []
    assert index_differences(again, pool.now) == []
    assert violations(pool.view, pool.now) == []
    kept = {name: lanes.steps()[-1][1] for name, lanes in pool.view.index.lanes.items()}
    rebuild(again, pool.now)
    assert {name: lanes.steps()[-1][1] for name, lanes in again.index.lanes.items()} == {
        name: level for name, level in kept.items() if name in again.index.lanes
    }


@settings(max_examples=60)
@given(steps)
def test_every_accepted_task_ends_once_when_all_is_heard_again(given_steps):
    pool = walk(given_steps)
    for machine in pool.machines.values():
        machine.deaf = False
        if pool.view.facts.leases[machine.name].state is not LeaseState.ACTIVE:
            pool.do(cmd.SetState(machine.name, LeaseState.ACTIVE, "ada"))
    pool.run(400 * S)
    submitted = {one.event.task for one in pool.history if isinstance(one.event, ev.TaskSubmitted)}
    ended = [one.event.task for one in pool.history if isinstance(one.event, ev.TaskEnded)]
    assert sorted(ended) == sorted(submitted)


def test_every_event_has_one_fold():
    rooms = (attempts, leases, marks, plans, policy)
    tables = [room.CHANGES for room in rooms]
    folded = [kind for table in tables for kind in table]
    assert sorted(kind.__name__ for kind in folded) == sorted(
        kind.__name__ for kind in (*ev.Fact.__args__, *ev.Mark.__args__)
    )


def test_an_unknown_event_is_never_ignored():
    class FromTheFuture(msgspec.Struct):
        pass

    with pytest.raises(UnknownEvent, match="FromTheFuture"):
        evolve(View(), 0, FromTheFuture())  # type: ignore[arg-type]


def test_marks_do_not_move_the_position():
    pool = Pool()
    pool.worker("w")
    before = encoded(pool.view)
    evolve(pool.view, pool.now + S, ev.Judged())
    evolve(pool.view, pool.now + S, ev.Heard("w", 9, 9))
    assert encoded(pool.view) == before


def test_time_never_goes_back():
    view = View()
    evolve(view, 50, ev.LedgerOpened("x"))
    evolve(view, 20, ev.LedgerOpened("x"))
    assert (view.facts.last_at, view.facts.position) == (50, 2)
