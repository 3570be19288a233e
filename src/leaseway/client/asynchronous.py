"""The client for code that awaits."""

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


class AsyncClient:
    """One method per verb. Each raises LeasewayError (`client.errors`)."""

    def __init__(
        self, options: ClientOptions, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        """`transport` replaces the network, as in httpx."""
        self.options = options
        self._http = httpx.AsyncClient(transport=transport, **settings_of(options))

    @classmethod
    def find(
        cls,
        url: str | None = None,
        credential: str | None = None,
        state: str | Path | None = None,
    ) -> Self:
        """A client for the coordinator that arguments, environment or state folder name."""
        return cls(client_options(url, credential, state))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of connections."""
        await self._http.aclose()

    async def send(self, call: Call[Reply]) -> Reply:
        """Send a call, once more where that is harmless, and read the answer."""
        tried = 0
        while True:
            tried += 1
            try:
                answer = await self._http.request(**arguments_of(call, self.options))
            except httpx.TransportError as broke:
                if may_try_again(call, self.options, tried, broke):
                    continue
                raise unreachable(call, self.options, broke) from broke
            return read_answer(call, answer.status_code, answer.headers, answer.content)

    async def about(self) -> AboutInfo:
        """Versions, ledger and who is asking."""
        return await self.send(calls.about())

    async def submit(self, request: SubmitRequest) -> SubmitReply:
        """Hand in a plan. Without a key one is made, so that a retry is harmless."""
        if not request.key and not request.dry:
            request = structs.replace(request, key=fresh_id("key"))
        return await self.send(calls.submit(request))

    async def scan(self, plan: PlanSpec, *, strict: bool = False) -> SubmitReply:
        """What a submit would say against what runs now; changes nothing."""
        return await self.send(calls.submit(SubmitRequest(plan, strict=strict, dry=True)))

    async def plans(self, before: str | None = None, limit: int = 100) -> PlanList:
        """Plans, newest first."""
        return await self.send(calls.plans(before, limit))

    async def plan(self, id: str) -> PlanInfo:
        """One plan with counts of its tasks."""
        return await self.send(calls.plan(id))

    async def tasks(self, wanted: TaskFilter = _EVERY) -> TaskList:
        """Tasks, newest first."""
        return await self.send(calls.tasks(wanted))

    async def task(self, id: str, wait_ms: int = 0) -> TaskInfo:
        """One task; with `wait_ms` (at most 20 s) when it has ended or the time is over. Giving up
        waiting cancels nothing."""
        return await self.send(calls.task(id, wait_ms))

    async def explain(self, id: str) -> ExplainInfo:
        """Why it waits, was refused, or ended so."""
        return await self.send(calls.explain(id))

    async def workers(self) -> WorkerList:
        """All workers."""
        return await self.send(calls.workers())

    async def worker(self, name: str) -> WorkerInfo:
        """One worker."""
        return await self.send(calls.worker(name))

    async def change_lease(self, name: str, change: TermsChange) -> WorkerInfo:
        """Change terms; what runs is re-checked, not fenced."""
        return await self.send(calls.change_lease(name, change))

    async def set_state(self, name: str, state: str, reason: str = "") -> WorkerInfo:
        """Drain (`draining`), undrain (`active`), quarantine or end a lease."""
        return await self.send(calls.set_state(name, state, reason))

    async def revoke(self, name: str, reason: str = "") -> WorkerInfo:
        """Take a worker's grants back: what runs there is stopped and fenced."""
        return await self.send(calls.revoke(name, reason))

    async def cancel(self, target: str) -> Changed:
        """Cancel a task or every task of a plan."""
        return await self.send(calls.cancel(target))

    async def give_up(self, task: str) -> Changed:
        """End a task now instead of at its give-up time."""
        return await self.send(calls.give_up(task))

    async def acknowledge(self, tasks: Iterable[str] = ()) -> Changed:
        """Say seen. Nothing named: every outcome of who asks."""
        return await self.send(calls.acknowledge(tuple(tasks)))

    async def inbox(self, principal: str | None = None, limit: int = 100) -> InboxInfo:
        """Outcomes not acknowledged yet; by default one's own."""
        return await self.send(calls.inbox(principal, limit))

    async def log(
        self,
        task: str,
        attempt: int | None = None,
        stream: str = "stdout",
        offset: int = 0,
        wait_ms: int = 0,
    ) -> LogChunk:
        """A piece of a task's output from `offset` on; no attempt named: the latest."""
        return await self.send(calls.log(task, attempt, stream, offset, wait_ms))

    async def history(
        self, key: str | None = None, task: str | None = None, limit: int = 100
    ) -> HistoryList:
        """How long commands took before: all, or one history or those of one task, whole."""
        return await self.send(calls.history(key, task, limit))

    async def record(self) -> RecordInfo:
        """What became of promises, by worker, by principal and by what they rested on."""
        return await self.send(calls.record())

    async def events(self, after: int = 0, wait_ms: int = 0, limit: int = 500) -> EventList:
        """Events after a position; with `wait_ms` when there is one or the time is over."""
        return await self.send(calls.events(after, wait_ms, limit))
