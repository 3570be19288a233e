"""Events of attempts, from the grant to what is kept of a late result."""

from __future__ import annotations

from leaseway.core import index
from leaseway.core.conflicts import is_newer, machine_of
from leaseway.core.estimates.learning import learn
from leaseway.core.folds import sharing
from leaseway.core.folds.moves import Changes, current, move, step
from leaseway.core.model import events as ev
from leaseway.core.model.outcomes import EndKind
from leaseway.core.model.states import IllegalMove, TaskState
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Attempt, HandedBack, Task, View
from leaseway.core.waste import replaced, wasted


def _attempt_granted(view: View, at: Instant, event: ev.AttemptGranted) -> None:
    task = view.facts.tasks[event.task]
    index.withdraw(view, task)
    moved = event.reservation != task.reservation
    if moved:
        index.unreserve(view, task)
    if task.reservation is None:
        task.placed = view.facts.position
        task.newer = is_newer(view, task)
    move(task, TaskState.GRANTED)
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
        machine=machine_of(view, event.worker),
        spool_id=event.spool_id,
        seq=event.seq,
        stop_at=event.start_by + event.reservation.reserved_ms,
        reserved_ms=_may_run_ms(event),
        shared=bool(event.reservation.work),
    )
    if moved:
        index.reserve(view, task, at)
    index.attempt_added(view, task)


def _may_run_ms(event: ev.AttemptGranted) -> Millis:
    """How long it may run. Where cpus are shared the stop time stays where it was promised, however
    soon the grant arrives: the others were projected until then."""
    place = event.reservation
    early = event.start_by - place.start if place.work else 0
    return place.reserved_ms + early


def _attempt_moved(view: View, at: Instant, event: ev.AttemptMoved) -> None:
    task = view.facts.tasks[event.task]
    attempt = current(task, event.number)
    step(attempt, event.phase)
    if event.started_at is not None:
        attempt.started_at = event.started_at
        attempt.stop_at = event.stop_at
        _did_start(view, task, attempt)
        sharing.begins(view.facts.leases[attempt.worker], task, attempt)
    if event.reservation is not None:
        index.unreserve(view, task)
        task.reservation = event.reservation
        index.reserve(view, task, at)
    if task.state is TaskState.GRANTED and event.phase is not Phase.STARTING:
        move(task, TaskState.RUNNING)
    index.touch(view, task=task.id)


def _checkpoint_told(view: View, at: Instant, event: ev.CheckpointTold) -> None:
    attempt = current(view.facts.tasks[event.task], event.number)
    attempt.checkpoint, attempt.checked_at = event.checkpoint, event.told_at
    index.touch(view, task=event.task)


def _stop_time_moved(view: View, at: Instant, event: ev.StopTimeMoved) -> None:
    task = view.facts.tasks[event.task]
    attempt = current(task, event.number)
    index.unreserve(view, task)
    task.reservation = event.reservation
    before = attempt.start_by + attempt.reserved_ms if attempt.stop_at is None else attempt.stop_at
    attempt.until = max(attempt.until, before, event.stop_at)
    attempt.stop_at = event.stop_at
    attempt.stop_moved = True
    attempt.cause = event.cause or attempt.cause
    index.reserve(view, task, at)


def _stop_ordered(view: View, at: Instant, event: ev.StopOrdered) -> None:
    task = view.facts.tasks[event.task]
    attempt = current(task, event.number)
    attempt.stop_reason = event.reason
    attempt.stopped_by = event.actor
    index.touch(view, task=task.id)


def _attempt_returned(view: View, at: Instant, event: ev.AttemptReturned) -> None:
    task = view.facts.tasks[event.task]
    attempt = current(task, event.number)
    step(attempt, Phase.ENDED)
    index.attempt_removed(view, task)
    index.unreserve(view, task)
    task.reservation = None
    move(task, TaskState.WAITING)
    task.attempt = None
    if event.again_at:
        _handed_back(view, at, event, attempt)
    task.moved = event.cause or task.moved
    index.goes_back(view, task)
    index.offer(view, task)


def _did_start(view: View, task: Task, attempt: Attempt) -> None:
    """What its worker handed back before no longer counts."""
    task.handed_back = {}
    view.facts.leases[attempt.worker].handed_back = 0
    index.touch(view, lease=attempt.worker)


def _handed_back(view: View, at: Instant, event: ev.AttemptReturned, attempt: Attempt) -> None:
    task, lease = view.facts.tasks[event.task], view.facts.leases[attempt.worker]
    before = task.handed_back.get(attempt.worker)
    count = 1 if before is None else before.count + 1
    task.handed_back = {**task.handed_back, attempt.worker: HandedBack(count, event.again_at)}
    if not lease.handed_back or attempt.granted_at > lease.handed_back_at:
        lease.handed_back += 1
        lease.handed_back_at = at
        index.touch(view, lease=lease.worker)


def _attempt_ended(view: View, at: Instant, event: ev.AttemptEnded) -> None:
    task = view.facts.tasks[event.task]
    before = wasted(task)
    attempt = current(task, event.number)
    if attempt.phase is Phase.GRANTED:
        step(attempt, Phase.STARTING)
    if task.state is TaskState.GRANTED:
        move(task, TaskState.RUNNING)
    step(attempt, Phase.ENDED)
    attempt.ended_at = event.ended_at
    attempt.ending = event.ending
    attempt.cause = event.cause
    attempt.late_ms = event.late_ms
    learn(view, task, attempt.worker, event.ending, event.ended_at)
    lease = view.facts.leases[attempt.worker]
    sharing.is_over(lease, task, attempt, event.until or event.ended_at)
    if event.ending.kind is not EndKind.UNKNOWN:
        _did_start(view, task, attempt)
    if event.until:
        index.attempt_unconfirmed(view, task)
        task.unconfirmed_until = event.until
    else:
        index.attempt_removed(view, task)
        index.unreserve(view, task)
        task.reservation = None
    task.past = (*task.past, attempt)
    task.attempt = None
    replaced(view.facts.plans[task.plan], before, wasted(task))
    index.touch(view, plan=task.plan)


def _room_freed(view: View, at: Instant, event: ev.RoomFreed) -> None:
    task = view.facts.tasks[event.task]
    attempt = task.unconfirmed
    if attempt is None or attempt.number != event.number:
        raise IllegalMove(f"task {task.id} has no unconfirmed attempt {event.number}")
    index.unreserve(view, task)
    task.reservation = None
    task.unconfirmed_until = None
    index.room_freed(view, task, attempt.worker)


def _task_retried(view: View, at: Instant, event: ev.TaskRetried) -> None:
    task = view.facts.tasks[event.task]
    move(task, TaskState.WAITING)
    task.moved = event.cause
    index.goes_back(view, task)
    index.offer(view, task)


def _result_kept(view: View, at: Instant, event: ev.ResultKept) -> None:
    task = view.facts.tasks[event.task]
    before = wasted(task)
    task.evidence = (*task.evidence, event.ending)
    task.kept_numbers = (*task.kept_numbers, event.number)
    replaced(view.facts.plans[task.plan], before, wasted(task))
    index.touch(view, plan=task.plan)
    index.evidence(view, task, event.number)


CHANGES: Changes = {
    ev.AttemptGranted: _attempt_granted,
    ev.AttemptMoved: _attempt_moved,
    ev.CheckpointTold: _checkpoint_told,
    ev.StopTimeMoved: _stop_time_moved,
    ev.StopOrdered: _stop_ordered,
    ev.AttemptReturned: _attempt_returned,
    ev.AttemptEnded: _attempt_ended,
    ev.RoomFreed: _room_freed,
    ev.TaskRetried: _task_retried,
    ev.ResultKept: _result_kept,
}
"""What each of these events does."""
