"""Goal: nothing moves where its table has no arrow. Method: the design's tables, every pair."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.core.evolve import evolve
from leaseway.core.folds.moves import move, step
from leaseway.core.model import events as ev
from leaseway.core.model import states
from leaseway.core.model.findings import Finding
from leaseway.core.model.outcomes import Ending, EndKind, Outcome, OutcomeKind
from leaseway.core.model.states import IllegalMove, LeaseState, TaskState
from leaseway.core.model.sync import Phase
from tests.core.pool import Pool, offer, task

TASK = """
waiting: granted ended
granted: running waiting ended
running: ended waiting
ended:
"""
ATTEMPT = """
granted: starting ended
starting: running stopping ended
running: suspended stopping ended
suspended: running stopping ended
stopping: ended
ended:
"""
LEASE = """
active: draining quarantined ended
draining: active quarantined ended
quarantined: active ended
ended:
"""
CAUSE = Finding("LW701")
OUTCOME = Outcome(OutcomeKind.FAILED, CAUSE, 0)


def read(text):
    rows = (line.split(":") for line in text.split("\n") if line)
    return {name: set(after.split()) for name, after in rows}


def pairs(text, states_of):
    table = read(text)
    return [(old, new, new.value in table[old.value]) for old in states_of for new in states_of]


@pytest.mark.parametrize(
    ("text", "moves"),
    [(TASK, states.TASK_MOVES), (ATTEMPT, states.ATTEMPT_MOVES), (LEASE, states.LEASE_MOVES)],
    ids=["task", "attempt", "lease"],
)
def test_tables_are_those_of_the_design(text, moves):
    written = {old.value: {new.value for new in after} for old, after in moves.items()}
    assert written == read(text)


def test_a_table_with_a_hole_is_not_total(monkeypatch):
    monkeypatch.delitem(states.TASK_MOVES, TaskState.ENDED)
    with pytest.raises(IllegalMove):
        states.check_total()


@pytest.fixture
def pool():
    """One task that waits on one worker that was never heard."""
    made = Pool()
    made.register("w", offer())
    made.submit(task("a", 10_000))
    return made


@pytest.mark.parametrize(("old", "new", "legal"), pairs(LEASE, LeaseState))
def test_lease_moves(pool, old, new, legal):
    pool.view.facts.leases["w"].state = old
    event = ev.LeaseMoved("w", new, "ada")
    if legal:
        evolve(pool.view, pool.now, event)
        assert pool.view.facts.leases["w"].state is new
    else:
        with pytest.raises(IllegalMove):
            evolve(pool.view, pool.now, event)


@pytest.mark.parametrize(("old", "new", "legal"), pairs(TASK, TaskState))
def test_task_moves(pool, old, new, legal):
    one = pool.task("a")
    one.state = old
    if legal:
        move(one, new)
        assert one.state is new
    else:
        with pytest.raises(IllegalMove):
            move(one, new)


@pytest.mark.parametrize(("old", "new", "legal"), pairs(ATTEMPT, Phase))
def test_attempt_moves(pool, old, new, legal):
    attempt = granted(pool)
    attempt.phase = old
    if legal or old is new:
        step(attempt, new)
        assert attempt.phase is new
    else:
        with pytest.raises(IllegalMove):
            step(attempt, new)


def grant(number=1, **fields):
    room = ev.Reservation("w", 1_000_000, 1_010_000, 10_000)
    return ev.AttemptGranted("p-1/a", number, "w", 1, room, 1_000_000, 1, **fields)


def granted(pool):
    evolve(pool.view, pool.now, grant())
    return pool.task("a").attempt


END = ev.AttemptEnded("p-1/a", 1, "w", Ending(EndKind.EXITED, 0), 1_000_000)
RUNS = ev.AttemptMoved("p-1/a", 1, Phase.RUNNING, 1_000_000, 1_010_000)
STARTS = ev.AttemptMoved("p-1/a", 1, Phase.STARTING)
DONE = ev.TaskEnded("p-1/a", OUTCOME)


@pytest.mark.parametrize(
    "history",
    [
        pytest.param([grant(), grant(2)], id="granted twice"),
        pytest.param([RUNS], id="runs ungranted"),
        pytest.param([END], id="ends ungranted"),
        pytest.param([grant(), RUNS], id="runs without starting"),
        pytest.param([grant(), STARTS, RUNS, END, END], id="attempt ends twice"),
        pytest.param([DONE, DONE], id="two outcomes"),
        pytest.param([DONE, grant()], id="granted after its end"),
        pytest.param([DONE, ev.TaskRetried("p-1/a", CAUSE)], id="repeated after its end"),
        pytest.param([ev.TaskRetried("p-1/a", CAUSE)], id="repeated while waiting"),
        pytest.param([grant(), ev.AttemptReturned("p-1/a", 2)], id="another attempt returned"),
        pytest.param([grant(), replace(END, number=2)], id="another attempt ends"),
    ],
)
def test_the_last_event_of_each_history_is_impossible(pool, history):
    *before, last = history
    for event in before:
        evolve(pool.view, pool.now, event)
    with pytest.raises(IllegalMove):
        evolve(pool.view, pool.now, last)
