"""Stored events in one line, for a trace that somebody reads."""

from __future__ import annotations

from leaseway.core.model import events as ev
from leaseway.core.model.findings import Finding


def brief(event: ev.Event) -> str:
    """The event and what matters in it."""
    return _of_attempt(event) or _of_task(event) or _any(event)


def _of_attempt(event: ev.Event) -> str:
    name = type(event).__name__
    match event:
        case ev.AttemptGranted(task=task, number=number, worker=worker, reservation=room):
            when = "ahead" if event.ahead else "now"
            bounds = f"{room.start}..{room.end} start by {event.start_by} after sync {event.seq}"
            return f"{name} {task}#{number} to {worker} {when} {bounds}"
        case ev.AttemptMoved(task=task, number=number, phase=phase, stop_at=stop_at):
            return f"{name} {task}#{number} {phase} stop at {stop_at}"
        case ev.AttemptEnded(task=task, number=number, ending=ending):
            how = f"{ending.kind} code {ending.exit_code} signal {ending.signal}"
            until = f" unconfirmed until {event.until}" if event.until else ""
            return f"{name} {task}#{number} {how} {ending.reason or ''} late {event.late_ms}{until}"
        case ev.RoomFreed(task=task, number=number, why=why):
            return f"{name} {task}#{number} {why}"
        case ev.StopTimeMoved(task=task, number=number, stop_at=stop_at):
            return f"{name} {task}#{number} to {stop_at} {_code(event.cause)}"
        case ev.StopOrdered(task=task, number=number, reason=reason):
            return f"{name} {task}#{number} {reason}"
        case ev.CheckpointTold(task=task, number=number, checkpoint=last):
            return f"{name} {task}#{number} {last.advice} needs {last.need_ms} of {last.left_ms}"
        case ev.AttemptReturned(task=task, number=number) | ev.ResultKept(task=task, number=number):
            return f"{name} {task}#{number}"
        case _:
            return ""


def _of_task(event: ev.Event) -> str:
    name = type(event).__name__
    match event:
        case ev.TaskReserved(task=task, reservation=room, promise=promise):
            return f"{name} {task} on {room.worker} {room.start}..{room.end} by {promise}"
        case ev.PromiseWithdrawn(task=task, old=old, new=new):
            return f"{name} {task} {old} → {new} {_code(event.cause)}"
        case ev.TaskEnded(task=task, outcome=outcome):
            return f"{name} {task} {outcome.kind} {_code(outcome.cause)} of {outcome.attempt}"
        case ev.TaskSubmitted(task=task, edges=edges):
            return f"{name} {task} after {[edge.before for edge in edges]}"
        case _:
            return ""


def _any(event: ev.Event) -> str:
    name = type(event).__name__
    match event:
        case ev.WorkerRegistered(worker=worker, incarnation=incarnation):
            return f"{name} {worker} {incarnation} {event.spool_id} {event.terms.windows}"
        case ev.LeaseMoved(worker=worker, state=state):
            return f"{name} {worker} {state} {_code(event.cause)}"
        case _:
            about = (getattr(event, key, "") for key in ("worker", "plan", "task", "tasks"))
            return " ".join([name, *(str(each) for each in about if each)])


def _code(cause: Finding | None) -> str:
    return "" if cause is None else f"{cause.code}{cause.variant and ':' + cause.variant}"
