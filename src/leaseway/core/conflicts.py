"""Who must wait for whom across plans: edges of conflict, kept with the place that a task has.

Plain paths conflict on one machine only, so these edges belong to a placement and are made anew
when a task moves. The order among conflicting tasks is the order in which they got their places.
"""

from __future__ import annotations

from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.plan import Edge, EdgeKind
from leaseway.core.model.states import TaskState
from leaseway.core.model.view import Task, View


def machine_of(view: View, worker: str) -> str:
    """The machine on which a worker runs: workers of one machine share its disk."""
    lease = view.facts.leases.get(worker)
    return lease.machine_id if lease else worker


def descendants(view: View, task: str) -> set[str]:
    """Waiting tasks that stand behind this one, however far."""
    found: set[str] = set()
    stack = [task]
    while stack:
        for name in view.index.followers.get(stack.pop(), ()):
            if name not in found and view.facts.tasks[name].state is TaskState.WAITING:
                found.add(name)
                stack.append(name)
    return found


def register(view: View, task: Task) -> None:
    """A task has a place: newcomers that conflict with it there stand behind it."""
    if task.reservation is None:
        return
    plan = view.facts.plans[task.plan]
    accesses = accesses_of(task.spec, plan.workdir, plan.workspace)
    if accesses:
        attempt = task.holder
        machine = attempt.machine if attempt else machine_of(view, task.reservation.worker)
        view.index.touching.add(task.id, task.placed, machine, accesses)


def unregister(view: View, task: Task) -> None:
    """It has no place any more."""
    view.index.touching.remove(task.id)


def set_conflicts(view: View, task: Task, conflicts: tuple[Edge, ...]) -> None:
    """Replace the edges of conflict of a waiting task."""
    index = view.index
    old = [edge for edge in task.edges if edge.kind is EdgeKind.CONFLICT]
    kept = tuple(edge for edge in task.edges if edge.kind is not EdgeKind.CONFLICT)
    have = {edge.before for edge in kept}
    fresh = tuple(edge for edge in conflicts if edge.before not in have)
    task.edges = (*kept, *fresh)
    for edge in old:
        index.followers[edge.before].remove(task.id)
        index.pending[task.id] -= _is_open(view, edge)
    for edge in fresh:
        if edge.before in view.facts.tasks:
            index.followers.setdefault(edge.before, []).append(task.id)
            index.pending[task.id] += _is_open(view, edge)


def _is_open(view: View, edge: Edge) -> bool:
    before = view.facts.tasks.get(edge.before)
    return before is not None and not before.over
