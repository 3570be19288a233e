"""Upkeep of the view's index: every change of facts has its counterpart here, and `rebuilding`
makes the same index from facts alone. Called by `core.evolve` only.
"""

from __future__ import annotations

from sortedcontainers import SortedList

from leaseway.core.conflicts import register, unregister
from leaseway.core.model.capacity import minus, plus
from leaseway.core.model.events import set_aside
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.core.model.plan import Edge, EdgeKind
from leaseway.core.model.profile import Profile
from leaseway.core.model.states import TaskState
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Task, View

_NONE = (0, 0, 0, 0, 0, 0)


def touch(
    view: View, *, task: str | None = None, plan: str | None = None, lease: str | None = None
) -> None:
    """Remember that these rows have changed."""
    for kind, name in (("task", task), ("plan", plan), ("lease", lease)):
        if name is not None:
            view.index.touched[kind, name] = None


def take_touched(view: View) -> list[tuple[str, str]]:
    """The rows that changed since the last call, and forget them."""
    touched = list(view.index.touched)
    view.index.touched.clear()
    return touched


def task_added(view: View, task: Task) -> None:
    """A task waits: count its predecessors that have not ended."""
    index = view.index
    open_edges = 0
    for edge in task.edges:
        before = view.facts.tasks.get(edge.before)
        if before is None:
            continue
        index.followers.setdefault(edge.before, []).append(task.id)
        open_edges += not before.over
        if edge.kind.skips and _failed(before) and task.state is TaskState.WAITING:
            index.doomed.setdefault(task.id, before.id)
    if task.state is TaskState.WAITING:
        index.pending[task.id] = open_edges
        index.give_ups.add((task.give_up_at, task.id))
    offer(view, task)
    touch(view, task=task.id, plan=task.plan)


def _failed(task: Task) -> bool:
    return task.outcome is not None and task.outcome.kind is not OutcomeKind.SUCCEEDED


def offer(view: View, task: Task) -> None:
    """A waiting task whose predecessors have ended may be granted: put it where grants look."""
    touch(view, task=task.id)
    if task.state is not TaskState.WAITING:
        return
    if task.id not in view.index.pending:
        view.index.pending[task.id] = 0
        view.index.give_ups.add((task.give_up_at, task.id))
    if view.index.pending[task.id]:
        return
    if task.reservation is None:
        entry = (task.seq, task.id)
        if entry not in view.index.unplaced:
            view.index.unplaced.add(entry)
        return
    ready = view.index.ready.setdefault(task.reservation.worker, SortedList())
    place = (task.reservation.start, task.seq, task.id)
    if place not in ready:
        ready.add(place)


def withdraw(view: View, task: Task) -> None:
    """Take a task from where grants look."""
    view.index.unplaced.discard((task.seq, task.id))
    if task.reservation is not None:
        ready = view.index.ready.get(task.reservation.worker)
        if ready is not None:
            ready.discard((task.reservation.start, task.seq, task.id))


def reserve(view: View, task: Task, now: Instant) -> None:
    """Set the task's rectangle aside, and drop what has passed."""
    rectangle = task.reservation
    touch(view, task=task.id)
    if rectangle is None:
        return
    profile = view.index.profiles.setdefault(rectangle.worker, Profile())
    profile.forget_before(now)
    profile.add(rectangle.start, rectangle.end, set_aside(task.spec.uses, rectangle))
    for token in task.spec.holds:
        of_token = view.index.token_profiles.setdefault(token, Profile(1))
        of_token.add(rectangle.start, rectangle.end, (1,))
    plan = view.facts.plans[task.plan]
    if plan.boundaries.max_parallel is not None and plan.open_tasks:
        lanes = view.index.lanes.setdefault(task.plan, Profile(1))
        lanes.add(rectangle.start, rectangle.end, (1,))
    view.index.outstanding.setdefault(rectangle.worker, SortedList()).add(
        (rectangle.start, task.seq, task.id)
    )
    _ahead(view, task, rectangle.reserved_ms)
    register(view, task)


def unreserve(view: View, task: Task) -> None:
    """Give the task's rectangle back."""
    rectangle = task.reservation
    if rectangle is None:
        return
    view.index.profiles[rectangle.worker].remove(
        rectangle.start, rectangle.end, set_aside(task.spec.uses, rectangle)
    )
    for token in task.spec.holds:
        view.index.token_profiles[token].remove(rectangle.start, rectangle.end, (1,))
    if task.plan in view.index.lanes:
        view.index.lanes[task.plan].remove(rectangle.start, rectangle.end, (1,))
    view.index.outstanding[rectangle.worker].discard((rectangle.start, task.seq, task.id))
    _ahead(view, task, -rectangle.reserved_ms)
    unregister(view, task)


def _ahead(view: View, task: Task, more_ms: Millis) -> None:
    """Time that principals of one kind have reserved on a worker, and who shares its cpus."""
    assert task.reservation is not None
    if task.reservation.work:
        sharing = view.index.sharing.setdefault(task.reservation.worker, {})
        sharing.pop(task.id) if more_ms < 0 else sharing.update({task.id: None})
    key = task.reservation.worker, view.facts.plans[task.plan].role
    if left := view.index.ahead_ms.get(key, 0) + more_ms:
        view.index.ahead_ms[key] = left
    else:
        view.index.ahead_ms.pop(key, None)


def attempt_added(view: View, task: Task) -> None:
    """An attempt was granted: capacity and tokens are taken."""
    assert task.attempt is not None
    index, worker = view.index, task.attempt.worker
    index.pending.pop(task.id, None)
    index.give_ups.discard((task.give_up_at, task.id))
    index.attempts.setdefault(worker, {})[task.id] = None
    _take(view, task, worker)


def _take(view: View, task: Task, worker: str) -> None:
    index = view.index
    index.used[worker] = plus(index.used.get(worker, _NONE), task.held)
    index.active_of_plan[task.plan] = index.active_of_plan.get(task.plan, 0) + 1
    for token in task.spec.holds:
        index.tokens[token] = task.id
    touch(view, task=task.id)


def attempt_removed(view: View, task: Task) -> None:
    """An attempt is over: capacity and tokens are free."""
    assert task.attempt is not None
    del view.index.attempts[task.attempt.worker][task.id]
    _let_go(view, task, task.attempt.worker)


def attempt_unconfirmed(view: View, task: Task) -> None:
    """An attempt no longer counts and may still run: what it holds stays taken."""
    assert task.attempt is not None
    worker = task.attempt.worker
    del view.index.attempts[worker][task.id]
    view.index.unconfirmed.setdefault(worker, {})[task.id] = None
    touch(view, task=task.id)


def outlived_added(view: View, task: Task, worker: str) -> None:
    """An attempt that no longer counts and may still run holds what it held."""
    view.index.unconfirmed.setdefault(worker, {})[task.id] = None
    _take(view, task, worker)


def room_freed(view: View, task: Task, worker: str) -> None:
    """Nothing of an unconfirmed attempt runs any more: capacity, tokens and followers are free."""
    index = view.index
    del index.unconfirmed[worker][task.id]
    _let_go(view, task, worker)
    for name in tuple(index.followers.get(task.id, ())):
        follower = view.facts.tasks[name]
        if follower.state is TaskState.WAITING:
            index.pending[name] -= sum(edge.before == task.id for edge in follower.edges)
            offer(view, follower)


def goes_back(view: View, task: Task) -> None:
    """What was promised nothing and has lost its place stands in nobody's way: who waited for it
    because they conflict goes ahead, and it will wait for them."""
    index = view.index
    if task.promise is not None:
        return
    for name in tuple(index.followers.get(task.id, ())):
        follower = view.facts.tasks[name]
        conflict = (task.id, EdgeKind.CONFLICT)
        kept = tuple(edge for edge in follower.edges if (edge.before, edge.kind) != conflict)
        if follower.state is not TaskState.WAITING or len(kept) == len(follower.edges):
            continue
        follower.edges = kept
        index.followers[task.id].remove(name)
        index.pending[name] -= 1
        offer(view, follower)


def _let_go(view: View, task: Task, worker: str) -> None:
    index = view.index
    index.used[worker] = minus(index.used[worker], task.held)
    left = index.active_of_plan[task.plan] - 1
    if left:
        index.active_of_plan[task.plan] = left
    else:
        del index.active_of_plan[task.plan]
    for token in task.spec.holds:
        if index.tokens.get(token) == task.id:
            del index.tokens[token]
    touch(view, task=task.id)


def task_ended(view: View, task: Task) -> None:
    """A task ended: its followers have one predecessor less, or are doomed by it. While it is
    unconfirmed they still wait for it, but who needed its success is doomed at once."""
    index = view.index
    index.pending.pop(task.id, None)
    index.doomed.pop(task.id, None)
    index.give_ups.discard((task.give_up_at, task.id))
    bad = _failed(task)
    left = [edge for edge in task.edges if _is_open(view, edge.before)]
    for name in tuple(index.followers.get(task.id, ())):
        follower = view.facts.tasks[name]
        if follower.state is not TaskState.WAITING:
            continue
        for edge in follower.edges:
            if edge.before == task.id:
                index.pending[name] -= task.over
                if bad and edge.kind.skips:
                    index.doomed.setdefault(name, task.id)
        _inherit(view, follower, left)
        offer(view, follower)
    plan = view.facts.plans[task.plan]
    if not plan.open_tasks:
        index.lanes.pop(plan.id, None)
    index.inbox.setdefault(plan.principal, {})[task.id] = None
    touch(view, task=task.id, plan=task.plan)


def _is_open(view: View, name: str) -> bool:
    before = view.facts.tasks.get(name)
    return before is not None and not before.over


def _inherit(view: View, follower: Task, left: list[Edge]) -> None:
    """What ended without having run no longer keeps its follower behind what stood before it: the
    follower now waits for that itself. Only waits: it is not skipped for it."""
    have = {edge.before for edge in follower.edges}
    fresh = tuple(
        Edge(edge.before, EdgeKind.INHERITED, edge.over) for edge in left if edge.before not in have
    )
    follower.edges += fresh
    for edge in fresh:
        view.index.followers.setdefault(edge.before, []).append(follower.id)
        view.index.pending[follower.id] += 1


def acknowledged(view: View, task: Task) -> None:
    """An outcome was seen."""
    principal = view.facts.plans[task.plan].principal
    view.index.inbox.get(principal, {}).pop(task.id, None)
    view.index.seen[task.id] = None
    touch(view, task=task.id)


def evidence(view: View, task: Task, number: int) -> None:
    """A late result of this attempt is kept."""
    view.index.kept[task.id, number] = None
    touch(view, task=task.id)


def forget(view: View, task: Task) -> None:
    """A task leaves the view; its row stays."""
    index = view.index
    index.followers.pop(task.id, None)
    index.seen.pop(task.id, None)
    for edge in task.edges:
        siblings = index.followers.get(edge.before)
        if siblings and task.id in siblings:
            siblings.remove(task.id)
    for number in range(1, task.numbers + 1):
        index.kept.pop((task.id, number), None)
    plan = view.facts.plans[task.plan]
    plan.forgotten += 1
