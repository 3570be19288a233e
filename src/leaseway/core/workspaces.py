"""What a task's view is made of when its plan travels with its tree, and how long that takes.

A view is the tree as it was handed in, and over it, in order, what each predecessor changed of what
it declared. A predecessor that did not succeed adds nothing: what it left may be half done.
"""

from __future__ import annotations

from leaseway.core.model.outcomes import Ending, OutcomeKind
from leaseway.core.model.plan import Archive, EdgeKind, TaskSpec, Workspace
from leaseway.core.model.units import Millis
from leaseway.core.model.view import Plan, Task, View

_BYTES_A_MS = 8_000  # a poor wireless link
_FILES_A_MS = 4
_FIRST_MS: Millis = 500


def receive_ms(workspace: Workspace | None) -> Millis:
    """What a reservation keeps for receiving the tree and making a view of it, before the run:
    0.5 s, 8 MB in a second, 4,000 files in a second."""
    if workspace is None:
        return 0
    archive = workspace.archive
    return _FIRST_MS + archive.bytes // _BYTES_A_MS + archive.files // _FILES_A_MS


def brings(spec: TaskSpec) -> tuple[str, ...]:
    """What a task declares to change, and what is to be brought back."""
    return tuple(dict.fromkeys((*(spec.writes or ()), *spec.outputs)))


def results_of(task: Task) -> Archive | None:
    """What a task that succeeded changed of what it declared."""
    ending = _counted(task)
    return None if ending is None else ending.results


def layers(view: View, task: Task) -> tuple[Archive, ...]:
    """The archives of a task's view, each laid over those before; none: it runs in place."""
    plan = view.facts.plans[task.plan]
    if plan.workspace is None:
        return ()
    found = (results_of(each) for each in predecessors(view, task))
    return (plan.workspace.archive, *(each for each in found if each is not None))


def predecessors(view: View, task: Task) -> list[Task]:
    """All tasks of its plan that stand before this one, however far, in the order of the plan."""
    found: dict[str, Task] = {}
    stack = [task]
    while stack:
        for edge in stack.pop().edges:
            before = view.facts.tasks.get(edge.before)
            waits_only = edge.kind in (EdgeKind.CONFLICT, EdgeKind.INFERRED)
            if waits_only or before is None or before.id in found:
                continue
            if before.plan == task.plan:
                found[before.id] = before
                stack.append(before)
    return sorted(found.values(), key=lambda each: each.seq)


def may_receive(view: View, worker: str, digest: str) -> bool:
    """Whether this archive belongs to a view of an attempt that this worker holds."""
    for name in view.index.attempts.get(worker, ()):
        if any(each.digest == digest for each in layers(view, view.facts.tasks[name])):
            return True
    return False


def needed(view: View) -> set[str]:
    """Digests of archives that must be kept: trees of plans that are not over, results that may
    still be fetched or laid into a view."""
    found: set[str] = set()
    for plan in view.facts.plans.values():
        if plan.workspace is not None and plan.open_tasks:
            found.add(plan.workspace.archive.digest)
    for task in view.facts.tasks.values():
        for past in task.past:
            if past.ending is not None:
                both = (past.ending.results, past.ending.extra)
                found.update(each.digest for each in both if each is not None)
    return found


def must_stay(plan: Plan) -> bool:
    """Whether tasks of this plan stay in the view because a view may still be made of them."""
    return plan.workspace is not None and plan.open_tasks > 0


def _counted(task: Task) -> Ending | None:
    outcome = task.outcome
    if outcome is None or outcome.kind is not OutcomeKind.SUCCEEDED:
        return None
    return next((past.ending for past in task.past if past.number == outcome.attempt), None)
