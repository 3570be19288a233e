"""Acknowledge: the reader says seen."""

from __future__ import annotations

from leaseway.core.decisions.decision import Accepted, Decision, Refused, unknown
from leaseway.core.model import events as ev
from leaseway.core.model.commands import Acknowledge, Role
from leaseway.core.model.findings import Finding
from leaseway.core.model.states import TaskState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View


def acknowledge(view: View, command: Acknowledge, now: Instant) -> Decision:
    """Take outcomes out of the inbox. Repeating it changes nothing; only the principal's own,
    unless an owner asks."""
    who = command.principal
    names = command.tasks or tuple(view.index.inbox.get(who.name, {}))
    fresh: list[str] = []
    for name in names:
        task = view.facts.tasks.get(name)
        if task is None:
            return unknown("task", name, list(view.facts.tasks))
        owner = view.facts.plans[task.plan].principal
        if owner != who.name and who.role is not Role.OWNER:
            numbers: dict[str, int | str | list[str]] = {"by": owner, "action": "acknowledge"}
            return Refused(
                (Finding(code="LW802", tasks=(name,), numbers=numbers, variant="other"),),
                kind="credential",
            )
        if task.state is not TaskState.ENDED:
            return Refused((Finding(code="LW714", tasks=(name,)),), kind="conflict")
        if not task.acknowledged and name not in fresh:
            fresh.append(name)
    if not fresh:
        return Accepted(reply=())
    return Accepted((ev.TasksAcknowledged(tuple(fresh), who.name),), tuple(fresh))
