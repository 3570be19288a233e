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


def is_newer(view: View, task: Task) -> bool:
    """Whether something that stands behind it, however far, has an older place than it."""
    seen: set[str] = set()
    stack = [task.id]
    while stack:
        for name in view.index.followers.get(stack.pop(), ()):
            follower = view.facts.tasks[name]
            if name in seen or follower.state is not TaskState.WAITING:
                continue
            if follower.reservation is not None and follower.placed < task.placed:
                return True
            seen.add(name)
            stack.append(name)
    return False


def register(view: View, task: Task) -> None:
    """A task has a place: newcomers that conflict with it there stand behind it."""
    if task.reservation is None:
        return
    plan = view.facts.plans[task.plan]
    accesses = accesses_of(task.spec, plan.workdir, plan.workspace)
    if accesses:
        attempt = task.holder
        machine = attempt.machine if attempt else machine_of(view, task.reservation.worker)
        view.index.touching.add(task.id, task.placed, machine, accesses, closes=not task.newer)


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
    now = {edge.before for edge in task.edges}
    _keep_behind(view, task, [edge for edge in old if edge.before not in now])


def _keep_behind(view: View, task: Task, left: list[Edge]) -> None:
    """What stands behind a task that moved away stood behind these only through it, and still
    does where it keeps its place: until it moves too, it waits for them itself."""
    for edge in left:
        if not _is_open(view, edge):
            continue
        for name in tuple(view.index.followers.get(task.id, ())):
            follower = view.facts.tasks[name]
            if follower.state is not TaskState.WAITING or follower.reservation is None:
                continue
            if any(each.before == edge.before for each in follower.edges):
                continue
            follower.edges += (Edge(edge.before, EdgeKind.CONFLICT, edge.over),)
            view.index.followers.setdefault(edge.before, []).append(name)
            view.index.pending[name] += 1
            view.index.touched["task", name] = None


def _is_open(view: View, edge: Edge) -> bool:
    before = view.facts.tasks.get(edge.before)
    return before is not None and not before.over
