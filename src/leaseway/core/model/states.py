"""The three tables of states, total and as data; checked when this module is imported.

Successors, everything else is a refusal or a named no-op:

    task      waiting → granted → running → ended, with two ways back to waiting: a grant handed
              back unstarted, and a safe repeat after an ending.
    attempt   granted → starting → running ⇄ suspended, each → stopping → ended.
    lease     active ⇄ draining, either → quarantined → active, each → ended.

Open (is the window open now) and present (was the worker heard) are computed, never states.
"""

from __future__ import annotations

from enum import StrEnum

from leaseway.core.model.sync import Phase


class TaskState(StrEnum):
    """Where a task is."""

    WAITING = "waiting"
    GRANTED = "granted"
    RUNNING = "running"
    ENDED = "ended"


class LeaseState(StrEnum):
    """Where a lease is; says nothing about windows."""

    ACTIVE = "active"
    DRAINING = "draining"
    QUARANTINED = "quarantined"
    ENDED = "ended"


TASK_MOVES: dict[TaskState, frozenset[TaskState]] = {
    TaskState.WAITING: frozenset({TaskState.GRANTED, TaskState.ENDED}),
    TaskState.GRANTED: frozenset({TaskState.RUNNING, TaskState.WAITING, TaskState.ENDED}),
    TaskState.RUNNING: frozenset({TaskState.ENDED, TaskState.WAITING}),
    TaskState.ENDED: frozenset(),
}

ATTEMPT_MOVES: dict[Phase, frozenset[Phase]] = {
    Phase.GRANTED: frozenset({Phase.STARTING, Phase.ENDED}),
    Phase.STARTING: frozenset({Phase.RUNNING, Phase.STOPPING, Phase.ENDED}),
    Phase.RUNNING: frozenset({Phase.SUSPENDED, Phase.STOPPING, Phase.ENDED}),
    Phase.SUSPENDED: frozenset({Phase.RUNNING, Phase.STOPPING, Phase.ENDED}),
    Phase.STOPPING: frozenset({Phase.ENDED}),
    Phase.ENDED: frozenset(),
}

LEASE_MOVES: dict[LeaseState, frozenset[LeaseState]] = {
    LeaseState.ACTIVE: frozenset({LeaseState.DRAINING, LeaseState.QUARANTINED, LeaseState.ENDED}),
    LeaseState.DRAINING: frozenset({LeaseState.ACTIVE, LeaseState.QUARANTINED, LeaseState.ENDED}),
    LeaseState.QUARANTINED: frozenset({LeaseState.ACTIVE, LeaseState.ENDED}),
    LeaseState.ENDED: frozenset(),
}


class IllegalMove(Exception):
    """A state was asked to move where its table has no arrow: a broken invariant."""


def check_total() -> None:
    """Every state has a row and every arrow leads to a state of the same table."""
    for name, states, moves in (
        ("task", set(TaskState), TASK_MOVES),
        ("attempt", set(Phase), ATTEMPT_MOVES),
        ("lease", set(LeaseState), LEASE_MOVES),
    ):
        if set(moves) != states or not all(after <= states for after in moves.values()):
            raise IllegalMove(f"the {name} table is not total")


check_total()
