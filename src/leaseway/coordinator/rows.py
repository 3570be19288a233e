"""The rows of a batch: one for every task, plan and lease that changed, as it stands at its end."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from leaseway.core.model.view import Lease, Plan, Task, View
from leaseway.ledger.rows import PlanRow, Row, TaskRow, WorkerRow

_encode = msgspec.json.Encoder().encode
_task = msgspec.json.Decoder(Task)
_plan = msgspec.json.Decoder(Plan)


def rows_of(view: View, touched: Iterable[tuple[str, str]]) -> tuple[Row, ...]:
    """Rows of what changed. What has left the view keeps the row it had."""
    rows: list[Row] = []
    facts = view.facts
    for kind, name in touched:
        match kind:
            case "task":
                task = facts.tasks.get(name)
                if task is not None:
                    rows.append(_task_row(task, facts.plans[task.plan].principal))
            case "plan":
                plan = facts.plans.get(name)
                if plan is not None:
                    rows.append(_plan_row(plan))
            case _:
                rows.append(_worker_row(facts.leases[name]))
    return tuple(rows)


def task_of(row: TaskRow) -> Task:
    """The task that a row keeps."""
    return _task.decode(row.doc)


def plan_of(row: PlanRow) -> Plan:
    """The plan that a row keeps."""
    return _plan.decode(row.doc)


def _task_row(task: Task, principal: str) -> TaskRow:
    return TaskRow(
        id=task.id,
        plan=task.plan,
        name=task.spec.name,
        state=task.state.value,
        principal=principal,
        acknowledged=task.acknowledged,
        ended_at=None if task.outcome is None else task.outcome.at,
        doc=_encode(task),
    )


def _plan_row(plan: Plan) -> PlanRow:
    return PlanRow(
        id=plan.id,
        principal=plan.principal,
        key=plan.key,
        submitted_at=plan.submitted_at,
        ended_at=plan.ended_at,
        doc=_encode(plan),
    )


def _worker_row(lease: Lease) -> WorkerRow:
    return WorkerRow(name=lease.worker, state=lease.state.value, doc=_encode(lease))
