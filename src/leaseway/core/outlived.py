"""What is said of attempts that outlived their task's outcome: who waits for them, until when."""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.view import Task, View


def may_still_run(task: Task) -> Iterator[Finding]:
    """Of the task itself: until when its last attempt may run, and what is kept for it."""
    if task.unconfirmed is not None:
        yield _note("LW728", (task.id,), task)


def waits_for(view: View, task: Task) -> Iterator[Finding]:
    """Of a waiting task: unconfirmed attempts that it follows, or that keep a token of it."""
    tasks = view.facts.tasks
    for edge in task.edges:
        before = tasks.get(edge.before)
        if before is not None and before.unconfirmed is not None:
            yield _note("LW721", (task.id, before.id), before)
    for token in task.spec.holds:
        holder = view.index.tokens.get(token)
        if holder is not None and tasks[holder].unconfirmed is not None:
            yield _note("LW722", (task.id, holder), tasks[holder], token)


def keeps_room(view: View, task: Task, worker: str) -> Iterator[Finding]:
    """Of a worker without room for a task: unconfirmed attempts for which it keeps some."""
    for name in view.index.unconfirmed.get(worker, ()):
        yield _note("LW723", (task.id, name), view.facts.tasks[name])


def _note(code: str, tasks: tuple[str, ...], outlived: Task, token: str = "") -> Finding:
    attempt, until = outlived.unconfirmed, outlived.unconfirmed_until
    assert attempt is not None
    assert until is not None
    numbers: dict[str, int | str | list[str]] = {"until_at": until}
    if token:
        numbers["name"] = token
    return Finding(
        code=code,
        tasks=tasks,
        workers=(attempt.worker,),
        numbers=numbers,
        variant="unconfirmed",
        severity=Severity.NOTE,
    )
