"""What can be said of a plan before anything is placed: sizes, names nobody knows, zeros."""

from __future__ import annotations

from leaseway.core.admission.names import bad_names
from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import Limits, PlanSpec, TaskSpec
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.scan.names import unknown_names
from leaseway.core.scan.outside import outside

LIMITS = Limits()


def check(plan: PlanSpec, view: View, now: Instant) -> list[Finding]:
    """Errors of a plan against the pool as it is, none of them about room or time."""
    too_big = _sizes(plan)
    if too_big:
        return too_big
    terms = {name: lease.terms for name, lease in view.facts.leases.items()}
    wrong = [*bad_names(plan), *_twice(plan), *_zeros(plan), *outside(plan)]
    return [*wrong, *unknown_names(plan, terms)]


def _sizes(plan: PlanSpec) -> list[Finding]:
    edges = sum(len(task.needs) for task in plan.tasks)
    longest = max((_command_bytes(task) for task in plan.tasks), default=0)
    return [
        Finding(code="LW902", variant=what, numbers={"have": have, "cap": cap, "what": what})
        for what, have, cap in (
            ("tasks", len(plan.tasks), LIMITS.tasks),
            ("needs", edges, LIMITS.edges),
            ("command", longest, LIMITS.command_bytes),
        )
        if have > cap
    ]


def _command_bytes(task: TaskSpec) -> int:
    if isinstance(task.run, str):
        return len(task.run)
    return sum(len(word) for word in task.run)


def _twice(plan: PlanSpec) -> list[Finding]:
    seen: set[str] = set()
    found: list[Finding] = []
    if not plan.tasks:
        found.append(Finding(code="LW901", variant="no-tasks", numbers={"name": plan.name}))
    for task in plan.tasks:
        if task.name in seen:
            found.append(Finding(code="LW901", variant="twice", numbers={"name": task.name}))
        seen.add(task.name)
    return found


def _zeros(plan: PlanSpec) -> list[Finding]:
    """Zero is not absent: a task that may run for no time can never run."""
    found: list[Finding] = []
    for task in plan.tasks:
        for key, value in (("limit", task.limit_ms), ("estimate", task.estimate_ms)):
            if value is not None and value <= 0:
                found.append(_zero(task.name, key))
        if not first_of(task.run).strip():
            found.append(_zero(task.name, "run"))
    if plan.max_parallel is not None and plan.max_parallel <= 0:
        found.append(_zero("", "max_parallel"))
    return found


def first_of(run: str | tuple[str, ...]) -> str:
    """The shell's text, or the program; empty where there is none."""
    return run if isinstance(run, str) else next(iter(run), "")


def _zero(task: str, key: str) -> Finding:
    return Finding(
        code="LW901", variant="zero", tasks=(task,) if task else (), numbers={"key": key}
    )
