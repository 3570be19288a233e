"""What is kept of a decision, so that anybody can make it again and compare (invariant 28)."""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.basis import basis_of
from leaseway.core.decisions.decision import Decision, Refused
from leaseway.core.model import events as ev
from leaseway.core.model.approvals import ApprovalAsked
from leaseway.core.model.basis import Basis, By
from leaseway.core.model.commands import Submit
from leaseway.core.model.declined import PlacesDecided, PlanDeclined
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View

_TASKS_MOST = 200
_TEXT_MOST = 64 * 1024
"""A refused plan larger than this is kept by its digest alone."""


def of_submit(view: View, command: Submit, now: Instant) -> Basis:
    """The basis of an answer to a plan."""
    return replace(
        basis_of(view, now),
        partial=command.partial,
        strict=command.strict,
        ordered=command.plan.ordered,
        ask=command.plan.ask,
    )


def declined(view: View, command: Submit, refused: Refused, now: Instant) -> Refused:
    """The refusal with the event that keeps it. A trial run is not kept, nor the same again."""
    if command.dry or refused.kind not in ("refused", "approval-needed"):
        return refused
    last = view.facts.declined.get(command.principal.name)
    codes = tuple(finding.code for finding in refused.findings)
    if last is not None and command.digest and (last.digest, last.codes) == (command.digest, codes):
        return _kept_as(refused, last.id)
    event = PlanDeclined(
        id=f"declined-{view.facts.next_declined}",
        principal=command.principal,
        digest=command.digest,
        findings=refused.findings,
        plan=command.plan if _may_be_kept(command.plan) else None,
        basis=of_submit(view, command, now),
    )
    kept = _kept_as(refused, event.id)
    return replace(kept, events=(event, *kept.events))


def _kept_as(refused: Refused, name: str) -> Refused:
    """The refusal under this name, and a request that goes with it too."""
    events = (
        replace(each, decision=name) if isinstance(each, ApprovalAsked) else each
        for each in refused.events
    )
    return replace(refused, decision=name, events=tuple(events))


def _may_be_kept(plan: PlanSpec) -> bool:
    if len(plan.tasks) > _TASKS_MOST:
        return False
    words = (task.run if isinstance(task.run, str) else "".join(task.run) for task in plan.tasks)
    return sum(map(len, words)) <= _TEXT_MOST


def placed_anew(view: View, by: By, decision: Decision, now: Instant) -> Decision:
    """The decision with its basis before what it places anew; as it is where it places nothing."""
    events = decision.events
    if isinstance(decision, Refused) or not any(map(_places, events)):
        return decision
    first = 1 if isinstance(events[0], ev.Judged) else 0
    kept = PlacesDecided(by, basis_of(view, now, _named(events)))
    return replace(decision, events=(*events[:first], kept, *events[first:]))


def _places(event: ev.Event) -> bool:
    """Whether this is a new place for a task, or the end of its promise."""
    if isinstance(event, ev.TaskEnded):
        return event.outcome.cause.code == "LW605"
    return isinstance(event, (ev.TaskReserved, ev.PromiseWithdrawn))


def _named(events: tuple[ev.Event, ...]) -> set[str]:
    causes = (
        event.outcome.cause if isinstance(event, ev.TaskEnded) else event.cause
        for event in events
        if isinstance(event, (ev.TaskReserved, ev.PromiseWithdrawn, ev.TaskEnded))
    )
    return {worker for cause in causes if cause is not None for worker in cause.workers}
