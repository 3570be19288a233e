"""Invariants 16 and 29 over all tasks: who conflicts is in one order, and nobody waits for itself.

Nothing of the index or of what admission decides by is used, only places, edges and what a task
touches. Part of `core.invariants`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product

from leaseway.core.conflicts import machine_of
from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.touching import Access, meeting
from leaseway.core.model.view import Task, View

_Placed = tuple[str, tuple[Access, ...], str]  # a task, what it touches, on which machine


def disorder(view: View) -> Iterator[str]:
    """Every breach of the order in which tasks may run."""
    yield from _side_by_side(view)
    yield from _unordered(view)
    yield from _cycles(view)


def _side_by_side(view: View) -> Iterator[str]:
    """29: no two attempts that conflict are held at the same time, of whatever plans."""
    tasks = (task for task in view.facts.tasks.values() if task.holder is not None)
    held = [placed for task in tasks if (placed := _placed_at(view, task)) is not None]
    for (one, left, here), (two, right, there) in combinations(held, 2):
        over = meeting(left, right, one_machine=here == there)
        if over is not None:
            yield f"29 conflicts: {one} and {two} are held at once and meet over {over}"


def _unordered(view: View) -> Iterator[str]:
    """29: of two tasks with a place that conflict, of different plans, one waits for the other."""
    by_plan: dict[str, list[_Placed]] = {}
    for task in view.facts.tasks.values():
        placed = _placed_at(view, task)
        if placed is not None:
            by_plan.setdefault(task.plan, []).append(placed)
    before: dict[str, frozenset[str]] = {}
    for ours, theirs in combinations(by_plan.values(), 2):
        for (one, left, here), (two, right, there) in product(ours, theirs):
            over = meeting(left, right, one_machine=here == there)
            if over is None:
                continue
            if one not in _before(view, two, before) and two not in _before(view, one, before):
                yield f"29 conflicts: {one} and {two} meet over {over}, neither waits for the other"


def _cycles(view: View) -> Iterator[str]:
    """16: nobody waits for itself."""
    left = {task.id: task for task in view.facts.tasks.values() if not task.over}
    while left:
        free = [
            task for task in left.values() if not any(edge.before in left for edge in task.edges)
        ]
        if not free:
            yield f"16 order: {', '.join(left)} wait for each other"
            return
        for task in free:
            del left[task.id]


def _placed_at(view: View, task: Task) -> _Placed | None:
    """What a task touches, and on which machine, if it has a place."""
    plan = view.facts.plans.get(task.plan)
    if task.reservation is None or plan is None:
        return None
    accesses = accesses_of(task.spec, plan.workdir, plan.workspace)
    if not accesses:
        return None
    holder = task.holder
    machine = holder.machine if holder else machine_of(view, task.reservation.worker)
    return task.id, accesses, machine


def _before(view: View, name: str, known: dict[str, frozenset[str]]) -> frozenset[str]:
    """Everything that a task waits for, however far."""
    if name not in known:
        found, stack = set[str](), [name]
        while stack:
            for edge in view.facts.tasks[stack.pop()].edges:
                before = view.facts.tasks.get(edge.before)
                if before is not None and not before.over and before.id not in found:
                    found.add(before.id)
                    stack.append(before.id)
        known[name] = frozenset(found)
    return known[name]
