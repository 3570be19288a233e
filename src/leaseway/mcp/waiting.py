"""The tool `wait`: until it has ended, at most 20 s. Dropping it cancels nothing."""

from __future__ import annotations

from collections import Counter
from typing import Any

from leaseway.client.blocking import Client
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.mcp.answer import Answer, Next
from leaseway.mcp.asked import WaitAsked
from leaseway.mcp.naming import outcome_of, tasks_named
from leaseway.mcp.way import Way
from leaseway.runtime import Clock, local_clock
from leaseway.wire.tasks import TaskInfo

RUNNING, ENDED = "running", "ended"
ON_THE_WAY_MS = 500
"""So much earlier than 20 s, for the way of the answer."""
_ROWS = 20


def wait(asked: WaitAsked, way: Way) -> Answer:
    """`ended`, or `running`: still. LeasewayError."""
    with way.client() as pool:
        tasks = _when_ended(pool, asked)
    open_tasks = [task for task in tasks if not task.ended]
    counts = Counter(outcome_of(task) for task in tasks)
    more: dict[str, Any] = {"counts": dict(counts)}
    if open_tasks:
        more["open"] = [_row(task) for task in open_tasks[:_ROWS]]
        more |= _bad(tasks)
        hint = (
            f"{asked.id} is still running: {len(open_tasks)} of {len(tasks)} tasks have not ended."
        )
        hint += " Waiting again is harmless, so is not waiting: nothing is cancelled by it."
        return Answer(RUNNING, hint, next=Next("wait", {"id": asked.id}, "wait on"), more=more)
    more |= _bad(tasks)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    read = Next("result", {"id": asked.id}, "outcomes, causes and the end of each output")
    return Answer(ENDED, f"{asked.id} has ended: {told}.", next=read, more=more)


def _when_ended(pool: Client, asked: WaitAsked) -> list[TaskInfo]:
    """The tasks, once all have ended or the time is over."""
    clock = Clock.of_environment()
    until = clock.awake_ms() + max(0, asked.seconds * 1_000 - ON_THE_WAY_MS)
    tasks = tasks_named(pool, asked.id)
    for at, task in enumerate(tasks):
        left = until - clock.awake_ms()
        if left <= 0:
            break
        if not task.ended:
            tasks[at] = pool.task(task.id, wait_ms=left)
    if len(tasks) > 1 and any(not task.ended for task in tasks):
        return tasks_named(pool, asked.id)
    return tasks


def _row(task: TaskInfo) -> dict[str, Any]:
    row: dict[str, Any] = {"id": task.id, "state": task.state}
    row |= {"worker": task.attempt.worker} if task.attempt else {}
    return row | ({"promised": local_clock(task.promise)} if task.promise is not None else {})


def _bad(tasks: list[TaskInfo]) -> dict[str, Any]:
    """What has ended otherwise than well already, with its cause."""
    found = [
        {"id": task.id, "outcome": task.outcome.kind, "cause": task.outcome.cause.sentence}
        for task in tasks
        if task.outcome is not None and task.outcome.kind != OutcomeKind.SUCCEEDED
    ]
    return {"not_succeeded": found[:_ROWS]} if found else {}
