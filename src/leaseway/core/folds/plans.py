"""Events of plans and tasks, from submit to being forgotten."""

from __future__ import annotations

from leaseway.core import index
from leaseway.core.conflicts import is_newer, set_conflicts
from leaseway.core.folds.moves import Changes, move
from leaseway.core.folds.policy import used
from leaseway.core.model import events as ev
from leaseway.core.model.accesses import task_key
from leaseway.core.model.declined import LastDeclined, PlacesDecided, PlanDeclined
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.core.model.states import TaskState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Overrun, Plan, Task, View
from leaseway.core.waste import replaced, wasted

DECLINED_KEPT = 1_000
"""So many principals whose last refusal is remembered."""


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
        workspace=event.workspace,
        findings=event.findings,
        open_tasks=len(event.tasks),
        policy_version=event.policy_version,
        approval=event.approval,
    )
    if event.approval:
        used(view, event.approval, event.plan)
    facts.next_plan += 1
    if event.key:
        facts.keys[f"{event.principal}\n{event.key}"] = event.plan
    index.touch(view, plan=event.plan)


def _plan_declined(view: View, at: Instant, event: PlanDeclined) -> None:
    view.facts.next_declined += 1
    last = view.facts.declined
    last.pop(event.principal.name, None)
    codes = tuple(finding.code for finding in event.findings)
    last[event.principal.name] = LastDeclined(event.id, event.digest, codes)
    while len(last) > DECLINED_KEPT:
        del last[next(iter(last))]


def _places_decided(view: View, at: Instant, event: PlacesDecided) -> None:
    """Nothing by itself: what it led to follows."""


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
    task.placed = view.facts.position
    task.newer = is_newer(view, task)
    set_conflicts(view, task, event.conflicts)
    index.reserve(view, task, at)
    index.offer(view, task)


def _promise_withdrawn(view: View, at: Instant, event: ev.PromiseWithdrawn) -> None:
    task = view.facts.tasks[event.task]
    index.withdraw(view, task)
    index.unreserve(view, task)
    task.reservation = event.reservation
    task.promise = event.new
    task.moved = event.cause
    task.placed = view.facts.position
    task.newer = is_newer(view, task)
    set_conflicts(view, task, event.conflicts)
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
    move(task, TaskState.ENDED)
    if task.unconfirmed is None:
        index.unreserve(view, task)
        task.reservation = None
    before = wasted(task)
    task.outcome = event.outcome
    plan = view.facts.plans[task.plan]
    replaced(plan, before, wasted(task))
    _remember_overrun(view, task, plan)
    plan.open_tasks -= 1
    if not plan.open_tasks:
        plan.ended_at = at
    index.task_ended(view, task)


def _remember_overrun(view: View, task: Task, plan: Plan) -> None:
    """What overran is not promised the same time again (LW604); what succeeds is forgiven."""
    outcome, overran = task.outcome, view.facts.overran
    if outcome is None or outcome.kind not in (OutcomeKind.OVERRAN, OutcomeKind.SUCCEEDED):
        return
    key = task_key(task.spec, plan.workdir, plan.workspace)
    overran.pop(key, None)
    reserved, ran = (outcome.cause.numbers.get(name) for name in ("reserved_ms", "ran_ms"))
    if outcome.kind is OutcomeKind.OVERRAN and isinstance(reserved, int) and isinstance(ran, int):
        overran[key] = Overrun(task.id, reserved, ran)
        while len(overran) > view.settings.overran_kept:
            del overran[next(iter(overran))]


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


CHANGES: Changes = {
    ev.PlanSubmitted: _plan_submitted,
    PlanDeclined: _plan_declined,
    PlacesDecided: _places_decided,
    ev.TaskSubmitted: _task_submitted,
    ev.TaskReserved: _task_reserved,
    ev.PromiseWithdrawn: _promise_withdrawn,
    ev.TasksAcknowledged: _tasks_acknowledged,
    ev.TaskEnded: _task_ended,
    ev.TasksForgotten: _tasks_forgotten,
}
"""What each of these events does."""
