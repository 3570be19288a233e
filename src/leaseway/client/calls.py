"""Every verb as data: method, path, what goes along, what comes back. The asynchronous and the
blocking client send the same calls."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct, field

from leaseway.core.model.lease import TermsChange
from leaseway.core.model.sync import RegisterReply, RegisterRequest, SyncReply, SyncRequest
from leaseway.wire import paths
from leaseway.wire.history import HistoryList, RecordInfo
from leaseway.wire.plans import (
    AcknowledgeRequest,
    CancelRequest,
    Changed,
    GiveUpRequest,
    PlanInfo,
    PlanList,
    SubmitReply,
    SubmitRequest,
)
from leaseway.wire.streams import AboutInfo, BlobInfo, EventList, ExplainInfo, LogChunk, LogWritten
from leaseway.wire.tasks import InboxInfo, TaskInfo, TaskList
from leaseway.wire.workers import (
    LeaseChange,
    RevokeRequest,
    StateChange,
    WorkerInfo,
    WorkerList,
)

Reply = TypeVar("Reply")
_encode = msgspec.json.Encoder().encode


class Call(Struct, Generic[Reply], frozen=True):
    """One request. `again`: it may be sent once more when the connection broke under it.
    `wait_ms`: how long the answer may be held back."""

    method: str
    path: str
    reply: type[Reply]
    query: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    again: bool = True
    wait_ms: int = 0
    key: str = ""


class TaskFilter(Struct, frozen=True, kw_only=True):
    """Which tasks to list, newest first; `before` is the `next` of the page before."""

    plan: str | None = None
    state: str | None = None
    principal: str | None = None
    ended: bool | None = None
    before: str | None = None
    limit: int = 100


def _query(**asked: Any) -> dict[str, str]:
    """What was asked for, as text."""
    return {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in asked.items()
        if value is not None
    }


def about() -> Call[AboutInfo]:
    return Call("GET", paths.ABOUT, AboutInfo)


def submit(request: SubmitRequest) -> Call[SubmitReply]:
    return Call(
        "POST",
        paths.PLANS,
        SubmitReply,
        body=_encode(request),
        again=bool(request.key) or request.dry,
        key=request.key,
    )


def plans(before: str | None, limit: int) -> Call[PlanList]:
    return Call("GET", paths.PLANS, PlanList, _query(before=before, limit=limit))


def plan(id: str) -> Call[PlanInfo]:
    return Call("GET", paths.plan(id), PlanInfo)


def tasks(wanted: TaskFilter) -> Call[TaskList]:
    return Call("GET", paths.TASKS, TaskList, _query(**msgspec.structs.asdict(wanted)))


def task(id: str, wait_ms: int) -> Call[TaskInfo]:
    query = _query(wait=wait_ms or None)
    return Call("GET", paths.task(id), TaskInfo, query, wait_ms=wait_ms)


def blob(digest: str) -> Call[BlobInfo]:
    """An archive; its body is read as it comes (`client.archives`)."""
    return Call("GET", paths.blob(digest), BlobInfo)


def keep_blob(digest: str) -> Call[BlobInfo]:
    """Handing an archive in; its body is sent as it is read (`client.archives`)."""
    return Call("PUT", paths.blob(digest), BlobInfo, again=False)


def explain(id: str) -> Call[ExplainInfo]:
    return Call("GET", paths.explain(id), ExplainInfo)


def workers() -> Call[WorkerList]:
    return Call("GET", paths.WORKERS, WorkerList)


def worker(name: str) -> Call[WorkerInfo]:
    return Call("GET", paths.worker(name), WorkerInfo)


def change_lease(name: str, change: TermsChange) -> Call[WorkerInfo]:
    body = _encode(LeaseChange(change))
    return Call("POST", paths.lease(name), WorkerInfo, body=body, again=False)


def set_state(name: str, state: str, reason: str) -> Call[WorkerInfo]:
    body = _encode(StateChange(state, reason))
    return Call("POST", paths.lease_state(name), WorkerInfo, body=body)


def revoke(name: str, reason: str) -> Call[WorkerInfo]:
    body = _encode(RevokeRequest(reason))
    return Call("POST", paths.revoke(name), WorkerInfo, body=body)


def cancel(target: str) -> Call[Changed]:
    return Call("POST", paths.CANCEL, Changed, body=_encode(CancelRequest(target)))


def give_up(task: str) -> Call[Changed]:
    return Call("POST", paths.GIVE_UP, Changed, body=_encode(GiveUpRequest(task)))


def acknowledge(tasks: tuple[str, ...]) -> Call[Changed]:
    return Call("POST", paths.ACKNOWLEDGE, Changed, body=_encode(AcknowledgeRequest(tasks)))


def inbox(principal: str | None, limit: int) -> Call[InboxInfo]:
    return Call("GET", paths.INBOX, InboxInfo, _query(principal=principal, limit=limit))


def history(key: str | None, task: str | None, limit: int) -> Call[HistoryList]:
    query = _query(key=key, task=task, limit=limit)
    return Call("GET", paths.HISTORY, HistoryList, query)


def record() -> Call[RecordInfo]:
    return Call("GET", paths.RECORD, RecordInfo)


def events(after: int, wait_ms: int, limit: int) -> Call[EventList]:
    query = _query(after=after, wait=wait_ms or None, limit=limit)
    return Call("GET", paths.EVENTS, EventList, query, wait_ms=wait_ms)


def log(task: str, attempt: int | None, stream: str, offset: int, wait_ms: int) -> Call[LogChunk]:
    query = _query(attempt=attempt, stream=stream, offset=offset, wait=wait_ms or None)
    return Call("GET", paths.log(task), LogChunk, query, wait_ms=wait_ms)


class LogPiece(Struct, frozen=True):
    """A piece of output that a worker delivers. `end`: it is the last that the worker kept."""

    worker: str
    task: str
    attempt: int
    stream: str
    offset: int
    data: bytes
    end: bool = False


def write_log(piece: LogPiece) -> Call[LogWritten]:
    query = _query(
        worker=piece.worker,
        attempt=piece.attempt,
        stream=piece.stream,
        offset=piece.offset,
        end=piece.end or None,
    )
    return Call("POST", paths.log(piece.task), LogWritten, query, body=piece.data)


def register(request: RegisterRequest) -> Call[RegisterReply]:
    return Call("POST", paths.REGISTER, RegisterReply, body=_encode(request), again=False)


def sync(request: SyncRequest) -> Call[SyncReply]:
    """Not sent again by itself: a worker's next sync says the same and more."""
    return Call(
        "POST",
        paths.SYNC,
        SyncReply,
        body=_encode(request),
        again=False,
        wait_ms=request.hold_ms,
    )
