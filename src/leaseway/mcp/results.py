"""The tool `result`: outcome, cause and the end of each output; acknowledged only when asked."""

from __future__ import annotations

from typing import Any

from leaseway.client.blocking import Client
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.core.model.units import show_ms
from leaseway.mcp.answer import Answer, Next
from leaseway.mcp.asked import ResultAsked
from leaseway.mcp.naming import tasks_named
from leaseway.mcp.way import Way
from leaseway.wire.tasks import AttemptInfo, TaskInfo

_ROWS = 20
_ALL_TAILS = 24_000
_MARK = 200  # the line that stands where a long output was cut
_LATE_MS = 1_000
STREAMS = ("stdout", "stderr")
RUNNING, ENDED = "running", "ended"


def result(asked: ResultAsked, way: Way) -> Answer:
    """How it ended. LeasewayError."""
    with way.client() as pool:
        tasks = tasks_named(pool, asked.id)
        ended = [task for task in tasks if task.ended]
        fresh = [task for task in ended if not task.acknowledged]
        shown = [*fresh, *(task for task in ended if task.acknowledged)][:_ROWS]
        rows = _rows(pool, sorted(shown, key=lambda task: task.seq), asked.tail_bytes)
        fresh_shown = [task.id for task in shown if not task.acknowledged]
        if asked.seen and fresh_shown:
            pool.acknowledge(fresh_shown)
    unread = len(fresh) - (len(fresh_shown) if asked.seen else 0)
    more: dict[str, Any] = {"tasks": rows}
    more |= {"left_out": len(ended) - len(shown)} if len(ended) > len(shown) else {}
    status = ENDED if len(ended) == len(tasks) else RUNNING
    return Answer(
        status, _hint(asked, tasks, len(ended), unread), (), _next(asked, tasks, unread), more
    )


def _hint(asked: ResultAsked, tasks: list[TaskInfo], ended: int, unread: int) -> str:
    said = f"{ended} of {len(tasks)} tasks of {asked.id} have ended."
    if "/" in asked.id:
        said = f"{asked.id} has ended." if ended else f"{asked.id} has not ended."
    good = sum(_succeeded(task) for task in tasks)
    said += f" {good} succeeded." if ended else ""
    if unread:
        return f"{said} Once you have read this, say so with seen: true."
    return f"{said} All of it is acknowledged." if ended else said


def _next(asked: ResultAsked, tasks: list[TaskInfo], unread: int) -> Next | None:
    if unread:
        seen = {"id": asked.id, "seen": True, "tail_bytes": 0}
        return Next("result", seen, "acknowledges what was just read")
    if any(not task.ended for task in tasks):
        return Next("wait", {"id": asked.id}, "it has not ended")
    return None


def _rows(pool: Client, tasks: list[TaskInfo], tail_bytes: int) -> list[dict[str, Any]]:
    """One row each; those that did not succeed get their tails first."""
    room = _ALL_TAILS
    tails: dict[str, dict[str, Any]] = {}
    for task in sorted(tasks, key=_succeeded):
        tails[task.id] = {}
        for stream in STREAMS:
            said = tail_of(pool, task, stream, min(tail_bytes, room))
            room -= len(said.get(f"{stream}_tail", ""))
            tails[task.id] |= said
    return [_row(task) | tails[task.id] for task in tasks]


def _row(task: TaskInfo) -> dict[str, Any]:
    assert task.outcome is not None
    cause = task.outcome.cause
    row: dict[str, Any] = {"id": task.id, "outcome": task.outcome.kind, "cause": cause.sentence}
    row |= {"mend": cause.mend} if cause.mend and not _succeeded(task) else {}
    attempt = last_attempt(task)
    if attempt is not None:
        row["worker"] = attempt.worker
        row["whole_output"] = f"leaseway logs {task.id}"
    if attempt is not None and attempt.ending is not None:
        ending = attempt.ending
        row |= {"exit_code": ending.exit_code} if ending.exit_code is not None else {}
        row |= {"ran": show_ms(ending.ran_ms)} if ending.ran_ms else {}
        row |= {"files": f"leaseway bring {task.id}"} if ending.results or ending.extra else {}
    row |= {"left_out_bytes": task.left_out_bytes} if task.left_out_bytes else {}
    return row


def tail_of(pool: Client, task: TaskInfo, stream: str, most: int) -> dict[str, Any]:
    """The last bytes that an ended attempt wrote, as text; bytes that are no UTF-8 are replaced.
    What its worker has not delivered yet is waited for a moment, then said to be on its way."""
    attempt = last_attempt(task)
    if attempt is None or attempt.ending is None or most <= 0:
        return {}
    wrote = attempt.ending.stdout_bytes if stream == "stdout" else attempt.ending.stderr_bytes
    if not wrote:
        return {}
    kept = wrote - task.left_out_bytes.get(stream, 0)
    offset = max(0, kept - most - _MARK)
    data, complete, is_over = b"", False, False
    while not complete and not is_over:
        chunk = pool.log(task.id, attempt.number, stream, offset, _LATE_MS)
        data = (data + chunk.data)[-most:]
        offset, complete, is_over = chunk.next_offset, chunk.complete, not chunk.data
    said: dict[str, Any] = {f"{stream}_tail": data.decode(errors="replace")} if data else {}
    return said if complete else said | {f"{stream}_on_its_way": True}


def last_attempt(task: TaskInfo) -> AttemptInfo | None:
    """The attempt that the outcome rests on, or the last that was made."""
    return task.attempt or (task.past[-1] if task.past else None)


def _succeeded(task: TaskInfo) -> bool:
    return task.outcome is not None and task.outcome.kind == OutcomeKind.SUCCEEDED
