"""Who may be waiting for what an event changed. A lost ring costs one poll interval."""

from __future__ import annotations

from leaseway.core.model import events as ev
from leaseway.core.model.view import View

_OF_TASK = (
    ev.TaskReserved,
    ev.PromiseWithdrawn,
    ev.AttemptMoved,
    ev.CheckpointTold,
    ev.AttemptReturned,
    ev.AttemptEnded,
    ev.RoomFreed,
    ev.TaskEnded,
    ev.TaskRetried,
    ev.ResultKept,
)
_OF_WORKER_BY_TASK = (ev.StopOrdered, ev.StopTimeMoved)
_OF_WORKER = (ev.WorkerRegistered, ev.LeaseChanged, ev.LeaseMoved, ev.LedgerAccepted)


def rings(view: View, event: ev.Event) -> tuple[str, ...]:
    """Names to wake after `event` was folded into `view`: `task:ID`, `plan:ID`, `worker:NAME`."""
    if isinstance(event, _OF_TASK):
        task = view.facts.tasks.get(event.task)
        return (f"task:{event.task}", f"plan:{task.plan}") if task else (f"task:{event.task}",)
    if isinstance(event, ev.AttemptGranted):
        return (f"task:{event.task}", f"worker:{event.worker}")
    if isinstance(event, _OF_WORKER_BY_TASK):
        task = view.facts.tasks.get(event.task)
        worker = task.attempt.worker if task and task.attempt else ""
        return (f"task:{event.task}", f"worker:{worker}")
    if isinstance(event, _OF_WORKER):
        return (f"worker:{event.worker}",)
    return ()
