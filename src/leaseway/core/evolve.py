"""`evolve(view, at, event)`: what an event means for the view. Replay is a fold of this.

One function per event; an event without one is a broken world, never ignored. The tables of states
are enforced here: whatever was decided, a task cannot move where its table has no arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from leaseway.core import index
from leaseway.core.model import events as ev
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
from leaseway.core.model.view import Anchor, Attempt, Heardness, Lease, Plan, Task, View


class UnknownEvent(Exception):
    """An event that nothing here understands: a newer version wrote this ledger."""


def evolve(view: View, at: Instant, event: ev.Event) -> None:
    """Fold one event, which happened at ledger time `at`, into the view."""
    change = _CHANGES.get(type(event))
    if change is None:
        raise UnknownEvent(type(event).__name__)
    change(view, at, event)
    if not isinstance(event, (ev.Heard, ev.Judged)):
        view.facts.position += 1
        view.facts.last_at = max(view.facts.last_at, at)


def replay(view: View, history: Iterable[ev.Stamped]) -> View:
    """Fold a history; returns the same view."""
    for stamped in history:
        evolve(view, stamped.at, stamped.event)
    return view


# Ledger and leases --------------------------------------------------------------------------------


def _ledger_opened(view: View, at: Instant, event: ev.LedgerOpened) -> None:
    view.facts.ledger_id = event.ledger_id


def _ledger_forked(view: View, at: Instant, event: ev.LedgerForked) -> None:
    view.facts.old_ledger_ids = (*view.facts.old_ledger_ids, event.old_id)
    view.facts.ledger_id = event.ledger_id
    for lease in view.facts.leases.values():
        lease.ledger_accepted = False
        index.touch(view, lease=lease.worker)


def _worker_registered(view: View, at: Instant, event: ev.WorkerRegistered) -> None:
    before = view.facts.leases.get(event.worker)
    fresh = before is None or before.state is LeaseState.ENDED
    state = LeaseState.ACTIVE if before is None or fresh else before.state
    view.facts.leases[event.worker] = Lease(
        worker=event.worker,
        machine_id=event.machine_id,
        incarnation=event.incarnation,
        spool_id=event.spool_id,
        boot_id=event.boot_id,
        version=event.lease_version,
        terms=event.terms,
        offer=event.offer,
        slept_ms=0 if before is None else before.slept_ms,
        state=state,
        moved_by="" if before is None or fresh else before.moved_by,
        reason="" if before is None or fresh else before.reason,
        cause=None if before is None or fresh else before.cause,
        software=event.version,
        ledger_accepted=not event.foreign_ledger and (before is None or before.ledger_accepted),
        registered_at=at,
    )
    index.touch(view, lease=event.worker)


def _lease_changed(view: View, at: Instant, event: ev.LeaseChanged) -> None:
    lease = view.facts.leases[event.worker]
    lease.terms = event.terms
    lease.version = event.lease_version
    index.touch(view, lease=event.worker)


def _lease_moved(view: View, at: Instant, event: ev.LeaseMoved) -> None:
    lease = view.facts.leases[event.worker]
    if event.state not in LEASE_MOVES[lease.state]:
        raise IllegalMove(f"lease {event.worker}: {lease.state} → {event.state}")
    lease.state = event.state
    lease.moved_by = event.actor
    lease.reason = event.reason
    lease.cause = event.cause
    index.touch(view, lease=event.worker)


def _ledger_accepted(view: View, at: Instant, event: ev.LedgerAccepted) -> None:
    view.facts.leases[event.worker].ledger_accepted = True
    index.touch(view, lease=event.worker)


def _worker_slept(view: View, at: Instant, event: ev.WorkerSlept) -> None:
    lease = view.facts.leases[event.worker]
    lease.slept_ms += event.slept_ms
    index.touch(view, lease=event.worker)


# Plans and tasks ----------------------------------------------------------------------------------


def _plan_submitted(view: View, at: Instant, event: ev.PlanSubmitted) -> None:
    facts = view.facts
    facts.plans[event.plan] = Plan(
        id=event.plan,
        name=event.name,
        principal=event.principal,
        role=event.role,
        tasks=event.tasks,
        submitted_at=at,
        key=event.key,
        digest=event.digest,
        boundaries=event.boundaries,
        workdir=event.workdir,
        findings=event.findings,
        open_tasks=len(event.tasks),
    )
    facts.next_plan += 1
    if event.key:
        facts.keys[f"{event.principal}\n{event.key}"] = event.plan
    index.touch(view, plan=event.plan)


def _task_submitted(view: View, at: Instant, event: ev.TaskSubmitted) -> None:
    task = Task(
        id=event.task,
        plan=event.plan,
        spec=event.spec,
        seq=event.seq,
        submitted_at=at,
        give_up_at=event.give_up_at,
        edges=event.edges,
    )
    view.facts.tasks[task.id] = task
    view.facts.next_seq = max(view.facts.next_seq, event.seq + 1)
    index.task_added(view, task)


def _task_reserved(view: View, at: Instant, event: ev.TaskReserved) -> None:
    task = view.facts.tasks[event.task]
    index.withdraw(view, task)
    index.unreserve(view, task)
    task.reservation = event.reservation
    task.promise = event.promise if task.promise is None else min(task.promise, event.promise)
    task.moved = event.cause or task.moved
    index.reserve(view, task, at)
    index.offer(view, task)


def _promise_withdrawn(view: View, at: Instant, event: ev.PromiseWithdrawn) -> None:
    task = view.facts.tasks[event.task]
    index.withdraw(view, task)
    index.unreserve(view, task)
    task.reservation = event.reservation
    task.promise = event.new
    task.moved = event.cause
    index.reserve(view, task, at)
    index.offer(view, task)


def _tasks_acknowledged(view: View, at: Instant, event: ev.TasksAcknowledged) -> None:
    for name in event.tasks:
        task = view.facts.tasks[name]
        task.acknowledged = True
        index.acknowledged(view, task)


def _task_ended(view: View, at: Instant, event: ev.TaskEnded) -> None:
    task = view.facts.tasks[event.task]
    index.withdraw(view, task)
    index.unreserve(view, task)
    _move(task, TaskState.ENDED)
    task.reservation = None
    task.outcome = event.outcome
    plan = view.facts.plans[task.plan]
    plan.open_tasks -= 1
    if not plan.open_tasks:
        plan.ended_at = at
    index.task_ended(view, task)


def _tasks_forgotten(view: View, at: Instant, event: ev.TasksForgotten) -> None:
    for name in event.tasks:
        task = view.facts.tasks.pop(name)
        index.forget(view, task)
        if view.facts.plans[task.plan].forgotten == len(view.facts.plans[task.plan].tasks):
            _forget_plan(view, task.plan)


def _forget_plan(view: View, name: str) -> None:
    """A plan whose tasks have all left goes too, but its key is remembered (see `Tick`)."""
    plan = view.facts.plans[name]
    if not plan.key:
        del view.facts.plans[name]


# Attempts -----------------------------------------------------------------------------------------


def _attempt_granted(view: View, at: Instant, event: ev.AttemptGranted) -> None:
    task = view.facts.tasks[event.task]
    index.withdraw(view, task)
    moved = event.reservation != task.reservation
    if moved:
        index.unreserve(view, task)
    _move(task, TaskState.GRANTED)
    task.numbers = event.number
    task.reservation = event.reservation
    task.attempt = Attempt(
        number=event.number,
        worker=event.worker,
        incarnation=event.incarnation,
        phase=Phase.GRANTED,
        granted_at=at,
        start_by=event.start_by,
        order=event.order,
        spool_id=event.spool_id,
        seq=event.seq,
        stop_at=event.start_by + event.reservation.reserved_ms,
        reserved_ms=event.reservation.reserved_ms,
    )
    if moved:
        index.reserve(view, task, at)
    index.attempt_added(view, task)


def _attempt_moved(view: View, at: Instant, event: ev.AttemptMoved) -> None:
    task = view.facts.tasks[event.task]
    attempt = _current(task, event.number)
    _step(attempt, event.phase)
    if event.started_at is not None:
        attempt.started_at = event.started_at
        attempt.stop_at = event.stop_at
    if task.state is TaskState.GRANTED and event.phase is not Phase.STARTING:
        _move(task, TaskState.RUNNING)
    index.touch(view, task=task.id)


def _stop_time_moved(view: View, at: Instant, event: ev.StopTimeMoved) -> None:
    task = view.facts.tasks[event.task]
    attempt = _current(task, event.number)
    index.unreserve(view, task)
    task.reservation = event.reservation
    attempt.stop_at = event.stop_at
    attempt.stop_moved = True
    attempt.cause = event.cause or attempt.cause
    index.reserve(view, task, at)


def _stop_ordered(view: View, at: Instant, event: ev.StopOrdered) -> None:
    task = view.facts.tasks[event.task]
    attempt = _current(task, event.number)
    attempt.stop_reason = event.reason
    attempt.stopped_by = event.actor
    index.touch(view, task=task.id)


def _attempt_returned(view: View, at: Instant, event: ev.AttemptReturned) -> None:
    task = view.facts.tasks[event.task]
    attempt = _current(task, event.number)
    _step(attempt, Phase.ENDED)
    index.attempt_removed(view, task)
    index.unreserve(view, task)
    task.reservation = None
    _move(task, TaskState.WAITING)
    task.attempt = None
    task.moved = event.cause or task.moved
    index.offer(view, task)


def _attempt_ended(view: View, at: Instant, event: ev.AttemptEnded) -> None:
    task = view.facts.tasks[event.task]
    attempt = _current(task, event.number)
    if attempt.phase is Phase.GRANTED:
        _step(attempt, Phase.STARTING)
    if task.state is TaskState.GRANTED:
        _move(task, TaskState.RUNNING)
    _step(attempt, Phase.ENDED)
    attempt.ended_at = event.ended_at
    attempt.ending = event.ending
    attempt.cause = event.cause
    attempt.late_ms = event.late_ms
    index.attempt_removed(view, task)
    index.unreserve(view, task)
    task.reservation = None
    task.past = (*task.past, attempt)
    task.attempt = None


def _task_retried(view: View, at: Instant, event: ev.TaskRetried) -> None:
    task = view.facts.tasks[event.task]
    _move(task, TaskState.WAITING)
    task.moved = event.cause
    index.offer(view, task)


def _result_kept(view: View, at: Instant, event: ev.ResultKept) -> None:
    task = view.facts.tasks[event.task]
    task.evidence = (*task.evidence, event.ending)
    task.kept_numbers = (*task.kept_numbers, event.number)
    index.evidence(view, task, event.number)


# Marks --------------------------------------------------------------------------------------------


def _heard(view: View, at: Instant, event: ev.Heard) -> None:
    before = view.presence.heard.get(event.worker)
    anchor = before.anchor if before and before.anchor else Anchor(at, event.boot_ms)
    view.presence.heard[event.worker] = Heardness(
        at=at,
        seq=event.seq,
        reported=frozenset(event.reported),
        anchor=anchor,
        boot_ms=event.boot_ms,
        offset_ms=event.offset_ms,
        meter=event.meter or {},
    )


def _judged(view: View, at: Instant, event: ev.Judged) -> None:
    view.presence.looked_at = at
    if event.resumed:
        view.presence.resumed_at = at
        for heard in view.presence.heard.values():
            heard.anchor = None


# The tables at work -------------------------------------------------------------------------------


def _move(task: Task, to: TaskState) -> None:
    if to not in TASK_MOVES[task.state]:
        raise IllegalMove(f"task {task.id}: {task.state} → {to}")
    task.state = to


def _step(attempt: Attempt, to: Phase) -> None:
    if attempt.phase is not to and to not in ATTEMPT_MOVES[attempt.phase]:
        raise IllegalMove(f"attempt {attempt.number}: {attempt.phase} → {to}")
    attempt.phase = to


def _current(task: Task, number: int) -> Attempt:
    if task.attempt is None or task.attempt.number != number:
        raise IllegalMove(f"task {task.id} has no current attempt {number}")
    return task.attempt


_CHANGES: dict[type, Callable[[View, Instant, Any], None]] = {
    ev.LedgerOpened: _ledger_opened,
    ev.LedgerForked: _ledger_forked,
    ev.WorkerRegistered: _worker_registered,
    ev.LeaseChanged: _lease_changed,
    ev.LeaseMoved: _lease_moved,
    ev.LedgerAccepted: _ledger_accepted,
    ev.WorkerSlept: _worker_slept,
    ev.PlanSubmitted: _plan_submitted,
    ev.TaskSubmitted: _task_submitted,
    ev.TaskReserved: _task_reserved,
    ev.PromiseWithdrawn: _promise_withdrawn,
    ev.TasksAcknowledged: _tasks_acknowledged,
    ev.TaskEnded: _task_ended,
    ev.TasksForgotten: _tasks_forgotten,
    ev.AttemptGranted: _attempt_granted,
    ev.AttemptMoved: _attempt_moved,
    ev.StopTimeMoved: _stop_time_moved,
    ev.StopOrdered: _stop_ordered,
    ev.AttemptReturned: _attempt_returned,
    ev.AttemptEnded: _attempt_ended,
    ev.TaskRetried: _task_retried,
    ev.ResultKept: _result_kept,
    ev.Heard: _heard,
    ev.Judged: _judged,
}
