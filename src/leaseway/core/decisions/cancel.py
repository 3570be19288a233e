"""Cancel and GiveUp: people end a task before it ends by itself."""

from __future__ import annotations

from msgspec import structs

from leaseway.core.decisions.decision import Accepted, Decision, Refused, unknown
from leaseway.core.decisions.endings import cancelled, conclude
from leaseway.core.decisions.unconfirmed import gone_at
from leaseway.core.model import events as ev
from leaseway.core.model.commands import Advance, Cancel, GiveUp
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Ending, EndKind, Outcome, OutcomeKind, StopReason
from leaseway.core.model.states import TaskState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Task, View
from leaseway.core.presence import heard_lately


def cancel(view: View, command: Cancel, now: Instant) -> Decision:
    """A waiting task ends at once; a running one when its processes are gone."""
    facts = view.facts
    if command.target in facts.plans:
        names = [name for name in facts.plans[command.target].tasks if name in facts.tasks]
    elif command.target in facts.tasks:
        names = [command.target]
    else:
        return unknown("task", command.target, [*facts.plans, *facts.tasks])
    events: list[ev.Event] = []
    for name in names:
        task = facts.tasks[name]
        attempt = task.attempt
        if task.state is TaskState.WAITING:
            events.append(cancelled(task, command.actor, now))
        elif attempt is not None and attempt.stop_reason is None:
            events.append(ev.StopOrdered(name, attempt.number, StopReason.CANCEL, command.actor))
    touched = tuple(event.task for event in events if hasattr(event, "task"))
    return Accepted(tuple(events), touched, then=(Advance(),) if events else ())


def give_up(view: View, command: GiveUp, now: Instant) -> Decision:
    """Say now what silence would say later: `lost` for an attempt out of hearing, else
    `refused`. What such an attempt holds is not freed by that: it is unconfirmed. An attempt
    whose worker is heard is cancelled instead."""
    task = view.facts.tasks.get(command.task)
    if task is None:
        return unknown("task", command.task, list(view.facts.tasks))
    if task.state is TaskState.ENDED:
        return Accepted(reply=task.outcome)
    attempt = task.attempt
    if attempt is None:
        return Accepted((gave_up(task, now, command.actor),), then=(Advance(),))
    if heard_lately(view, attempt.worker, now):
        finding = Finding(
            code="LW713", tasks=(task.id,), workers=(attempt.worker,), variant="heard"
        )
        return Refused((finding,), kind="conflict")
    detail = f"given up by {command.actor}"
    ending = Ending(EndKind.UNKNOWN, reason=StopReason.CANCEL, detail=detail)
    gone = gone_at(view, attempt)
    until = gone if gone > now else 0
    cause = _by_somebody(view, task, attempt, command.actor, now)
    told = conclude(view, task, attempt, ending, now, now)
    events = tuple(_given_up(event, cause, until) for event in told)
    return Accepted(events, then=(Advance(),))


def _by_somebody(view: View, task: Task, attempt: Attempt, actor: str, now: Instant) -> Finding:
    """Who did not wait for the stop time, and since when nothing was heard (LW704)."""
    numbers: dict[str, int | str | list[str]] = {"by": actor, "given_up_at": now}
    heard = view.presence.heard.get(attempt.worker)
    if heard is not None:
        numbers["heard_at"] = heard.at
    return Finding(
        code="LW704",
        tasks=(task.id,),
        workers=(attempt.worker,),
        numbers=numbers,
        variant="given-up",
        severity=Severity.CAUSE,
    )


def _given_up(event: ev.Event, cause: Finding, until: Instant) -> ev.Event:
    """The attempt no longer counts, and may run until then: what it holds stays taken."""
    if isinstance(event, ev.AttemptEnded):
        return structs.replace(event, cause=cause, until=until)
    if isinstance(event, ev.TaskEnded):
        return ev.TaskEnded(event.task, structs.replace(event.outcome, cause=cause))
    return event


def gave_up(task: Task, now: Instant, actor: str = "") -> ev.TaskEnded:
    """A waiting task ends as refused: its time to give up has come, or somebody said so (LW713)."""
    numbers: dict[str, int | str | list[str]] = {"give_up_at": task.give_up_at}
    if task.promise is not None:
        numbers["promise_at"] = task.promise
    if actor:
        numbers["by"] = actor
    cause = Finding(
        code="LW713",
        tasks=(task.id,),
        numbers=numbers,
        variant="by" if actor else "",
        severity=Severity.CAUSE,
    )
    return ev.TaskEnded(task.id, Outcome(OutcomeKind.REFUSED, cause, now))
