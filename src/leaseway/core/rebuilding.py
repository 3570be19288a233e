"""The index of a view, made anew from facts alone: what keeping it in step must come to."""

from __future__ import annotations

from leaseway.core import index
from leaseway.core.model.states import TaskState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Index, Task, View


def rebuild(view: View, now: Instant) -> None:
    """Make the index from facts alone, as after loading a snapshot."""
    view.index = Index()
    for task in sorted(view.facts.tasks.values(), key=lambda each: each.seq):
        index.reserve(view, task, now)
        index.task_added(view, task)
        if task.attempt is not None:
            index.attempt_added(view, task)
        elif task.unconfirmed is not None:
            index.outlived_added(view, task, task.unconfirmed.worker)
        for number in task.kept_numbers:
            view.index.kept[task.id, number] = None
        if task.state is TaskState.ENDED:
            _restore_ended(view, task)
    view.index.touched.clear()


def _restore_ended(view: View, task: Task) -> None:
    if task.acknowledged:
        view.index.seen[task.id] = None
    else:
        principal = view.facts.plans[task.plan].principal
        view.index.inbox.setdefault(principal, {})[task.id] = None
