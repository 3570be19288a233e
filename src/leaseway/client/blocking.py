"""The client for code that waits."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import httpx
from msgspec import structs

from leaseway.client import calls
from leaseway.client.answers import read_answer
from leaseway.client.calls import Call, TaskFilter
from leaseway.client.link import arguments_of, may_try_again, settings_of, unreachable
from leaseway.client.options import ClientOptions, client_options
from leaseway.core.model.lease import TermsChange
from leaseway.core.model.plan import PlanSpec
from leaseway.runtime import fresh_id
from leaseway.wire.history import HistoryList, RecordInfo
from leaseway.wire.plans import Changed, PlanInfo, PlanList, SubmitReply, SubmitRequest
from leaseway.wire.streams import AboutInfo, EventList, ExplainInfo, LogChunk
from leaseway.wire.tasks import InboxInfo, TaskInfo, TaskList
from leaseway.wire.workers import WorkerInfo, WorkerList

Reply = TypeVar("Reply")

_EVERY = TaskFilter()


class Client:
    """One method per verb. Each raises LeasewayError (`client.errors`)."""

    def __init__(
        self, options: ClientOptions, transport: httpx.BaseTransport | None = None
    ) -> None:
        """`transport` replaces the network, as in httpx. `http` is what carries calls."""
        self.options = options
        self.http = httpx.Client(transport=transport, **settings_of(options))

    @classmethod
    def find(
        cls,
        url: str | None = None,
        credential: str | None = None,
        state: str | Path | None = None,
    ) -> Self:
        """A client for the coordinator that arguments, environment or state folder name."""
        return cls(client_options(url, credential, state))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of connections."""
        self.http.close()

    def send(self, call: Call[Reply]) -> Reply:
        """Send a call, once more where that is harmless, and read the answer."""
        tried = 0
        while True:
            tried += 1
            try:
                answer = self.http.request(**arguments_of(call, self.options))
            except httpx.TransportError as broke:
                if may_try_again(call, self.options, tried, broke):
                    continue
                raise unreachable(call, self.options, broke) from broke
            return read_answer(call, answer.status_code, answer.headers, answer.content)

    def about(self) -> AboutInfo:
        """Versions, ledger and who is asking."""
        return self.send(calls.about())

    def submit(self, request: SubmitRequest) -> SubmitReply:
        """Hand in a plan. Without a key one is made, so that a retry is harmless."""
        if not request.key and not request.dry:
            request = structs.replace(request, key=fresh_id("key"))
        return self.send(calls.submit(request))

    def scan(self, plan: PlanSpec, *, strict: bool = False) -> SubmitReply:
        """What a submit would say against what runs now; changes nothing."""
        return self.send(calls.submit(SubmitRequest(plan, strict=strict, dry=True)))

    def plans(self, before: str | None = None, limit: int = 100) -> PlanList:
        """Plans, newest first."""
        return self.send(calls.plans(before, limit))

    def plan(self, id: str) -> PlanInfo:
        """One plan with counts of its tasks."""
        return self.send(calls.plan(id))

    def tasks(self, wanted: TaskFilter = _EVERY) -> TaskList:
        """Tasks, newest first."""
        return self.send(calls.tasks(wanted))

    def task(self, id: str, wait_ms: int = 0) -> TaskInfo:
        """One task; with `wait_ms` (at most 20 s) when it has ended or the time is over. Giving up
        waiting cancels nothing."""
        return self.send(calls.task(id, wait_ms))

    def explain(self, id: str) -> ExplainInfo:
        """Why it waits, was refused, or ended so."""
        return self.send(calls.explain(id))

    def workers(self) -> WorkerList:
        """All workers."""
        return self.send(calls.workers())

    def worker(self, name: str) -> WorkerInfo:
        """One worker."""
        return self.send(calls.worker(name))

    def change_lease(self, name: str, change: TermsChange) -> WorkerInfo:
        """Change terms; what runs is re-checked, not fenced."""
        return self.send(calls.change_lease(name, change))

    def set_state(self, name: str, state: str, reason: str = "") -> WorkerInfo:
        """Drain (`draining`), undrain (`active`), quarantine or end a lease."""
        return self.send(calls.set_state(name, state, reason))

    def revoke(self, name: str, reason: str = "") -> WorkerInfo:
        """Take a worker's grants back: what runs there is stopped and fenced."""
        return self.send(calls.revoke(name, reason))

    def cancel(self, target: str) -> Changed:
        """Cancel a task or every task of a plan."""
        return self.send(calls.cancel(target))

    def give_up(self, task: str) -> Changed:
        """End a task now instead of at its give-up time."""
        return self.send(calls.give_up(task))

    def acknowledge(self, tasks: Iterable[str] = ()) -> Changed:
        """Say seen. Nothing named: every outcome of who asks."""
        return self.send(calls.acknowledge(tuple(tasks)))

    def inbox(self, principal: str | None = None, limit: int = 100) -> InboxInfo:
        """Outcomes not acknowledged yet; by default one's own."""
        return self.send(calls.inbox(principal, limit))

    def log(
        self,
        task: str,
        attempt: int | None = None,
        stream: str = "stdout",
        offset: int = 0,
        wait_ms: int = 0,
    ) -> LogChunk:
        """A piece of a task's output from `offset` on; no attempt named: the latest."""
        return self.send(calls.log(task, attempt, stream, offset, wait_ms))

    def history(
        self, key: str | None = None, task: str | None = None, limit: int = 100
    ) -> HistoryList:
        """How long commands took before: all, or one history or those of one task, whole."""
        return self.send(calls.history(key, task, limit))

    def record(self) -> RecordInfo:
        """What became of promises, by worker, by principal and by what they rested on."""
        return self.send(calls.record())

    def events(self, after: int = 0, wait_ms: int = 0, limit: int = 500) -> EventList:
        """Events after a position; with `wait_ms` when there is one or the time is over."""
        return self.send(calls.events(after, wait_ms, limit))
