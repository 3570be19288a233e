"""The tables of states at work: whatever was decided, nothing moves where it has no arrow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from leaseway.core.model.states import (
    ATTEMPT_MOVES,
    LEASE_MOVES,
    TASK_MOVES,
    IllegalMove,
    LeaseState,
    TaskState,
)
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Lease, Task, View

Changes = dict[type, Callable[[View, Instant, Any], None]]
"""What each event does to the view, by the event's type."""


def move(task: Task, to: TaskState) -> None:
    """A task moves along its table."""
    if to not in TASK_MOVES[task.state]:
        raise IllegalMove(f"task {task.id}: {task.state} → {to}")
    task.state = to


def move_lease(lease: Lease, to: LeaseState) -> None:
    """A lease moves along its table."""
    if to not in LEASE_MOVES[lease.state]:
        raise IllegalMove(f"lease {lease.worker}: {lease.state} → {to}")
    lease.state = to


def step(attempt: Attempt, to: Phase) -> None:
    """An attempt moves along its table; staying is no move."""
    if attempt.phase is not to and to not in ATTEMPT_MOVES[attempt.phase]:
        raise IllegalMove(f"attempt {attempt.number}: {attempt.phase} → {to}")
    attempt.phase = to


def current(task: Task, number: int) -> Attempt:
    """The attempt that holds the grant, which must bear this number."""
    if task.attempt is None or task.attempt.number != number:
        raise IllegalMove(f"task {task.id} has no current attempt {number}")
    return task.attempt
