"""Syncs: one outstanding call per worker, parked while there is nothing to do.

A parked call is decided again, with the moment it arrived, when its worker's bell rings or the hold
ends. A newer call of the same worker lets the older go at once, superseded: nothing in it counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from leaseway.coordinator.door import Door
from leaseway.coordinator.errors import CoordinatorError, NotAccepted
from leaseway.coordinator.logs import Full, LogStore, Piece
from leaseway.coordinator.wakeups import Bell, Wakeups, deadline_in
from leaseway.core.decisions.decision import Refused
from leaseway.core.model.commands import Sync
from leaseway.core.model.sync import AttemptRef, EndingReport, SyncReply, SyncRequest
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import View

HOLD_MOST_MS = 20_000

Gone = Callable[[], Awaitable[None]]
"""Returns when whoever asked is not there any more."""


class _Call:
    """One sync that has not been answered."""

    def __init__(self, request: SyncRequest, arrived: Instant, bell: Bell) -> None:
        self.rank = (request.incarnation, request.seq)
        self.request = request
        self.arrived = arrived
        self.bell = bell
        self.let_go = False

    def release(self) -> None:
        """Answer it at once, empty."""
        self.let_go = True
        self.bell.ring()


class Syncs:
    """The desk where workers call."""

    def __init__(self, door: Door, wakeups: Wakeups, logs: LogStore) -> None:
        self._door = door
        self._wakeups = wakeups
        self._logs = logs
        self._calls: dict[str, _Call] = {}  # worker → its newest call

    async def answer(self, request: SyncRequest, gone: Gone) -> SyncReply | Refused:
        """Answer one sync, held back while there is nothing to do and the worker is ready to wait.
        NotAccepted: nothing of it counted, the next sync says the same again."""
        arrived = self._door.service.now()
        with self._wakeups.listen(f"worker:{request.worker}") as bell:
            call = _Call(request, arrived, bell)
            before = self._calls.get(request.worker)
            if before is not None and before.rank > call.rank:
                if before.rank[0] == call.rank[0]:
                    return superseded(request.seq)
                return await self._decide(call)  # an older daemon: it is told so
            if before is not None:
                before.release()
            self._calls[request.worker] = call
            try:
                return await self._held(call, gone)
            finally:
                if self._calls.get(request.worker) is call:
                    del self._calls[request.worker]

    def parked(self, worker: str) -> int | None:
        """The number of the call that waits here for this worker."""
        call = self._calls.get(worker)
        return None if call is None else call.request.seq

    async def _held(self, call: _Call, gone: Gone) -> SyncReply | Refused:
        began = deadline_in(0)
        self._keep_outputs(call.request, await self._door.view())
        first = await self._decide(call)
        outcome: SyncReply | Refused | CoordinatorError
        if isinstance(first, Refused) or has_work(first) or not call.request.hold_ms:
            return first
        async with asyncio.TaskGroup() as group:
            watching = group.create_task(_watch(gone, call))
            try:
                outcome = await self._parked(call, first, began)
            except CoordinatorError as wrong:  # raised here it would leave as a group
                outcome = wrong
            watching.cancel()
        if isinstance(outcome, CoordinatorError):
            raise outcome
        return outcome

    async def _parked(self, call: _Call, first: SyncReply, began: float) -> SyncReply | Refused:
        said = first
        while True:
            hold_ms = self._hold_ms(call.request, said)
            rung = await call.bell.until(began + hold_ms / 1000)
            if call.let_go:
                return superseded(call.request.seq)
            if self._wakeups.closed:
                return said
            again = await self._decide(call)
            if isinstance(again, Refused) or has_work(again) or differs(again, first):
                return again
            if not rung:
                return again
            said = again

    def _hold_ms(self, request: SyncRequest, said: SyncReply) -> Millis:
        """A worker that waits is not heard meanwhile, so half of the patience is the most."""
        patient = self._door.service.options.settings.patience_ms // 2
        return min(request.hold_ms, HOLD_MOST_MS, patient, said.call_by_ms)

    async def _decide(self, call: _Call) -> SyncReply | Refused:
        fresh = self._door.service.options.fresh("ledger")
        said: SyncReply | Refused = await self._door.ask(Sync(call.request, call.arrived, fresh))
        return said

    def _keep_outputs(self, request: SyncRequest, view: View) -> None:
        """Small outputs that came with endings, stored before the ending counts."""
        for report in request.endings:
            if (report.stdout or report.stderr) and may_write(view, report.ref, request.worker):
                self._keep(report)

    def _keep(self, report: EndingReport) -> None:
        for stream, data in (("stdout", report.stdout), ("stderr", report.stderr)):
            if not data:
                continue
            try:
                self._logs.write(Piece(report.ref, stream, 0, data, end=True))
            except Full:
                continue  # its log stays incomplete, and says so
            except OSError as wrong:
                raise NotAccepted(f"an output could not be kept: {wrong.strerror}") from wrong


def has_work(reply: SyncReply) -> bool:
    """Whether the worker has something to do because of this reply."""
    return bool(
        reply.start or reply.stop or reply.stop_times or reply.settled or reply.terms is not None
    )


def differs(now: SyncReply, before: SyncReply) -> bool:
    """Whether the worker's standing has changed."""
    return (now.state, now.ledger_id, now.ledger_accepted, now.terms_version) != (
        before.state,
        before.ledger_id,
        before.ledger_accepted,
        before.terms_version,
    )


def superseded(seq: int) -> SyncReply:
    """The answer to a call that a newer one has overtaken."""
    return SyncReply(for_seq=seq, superseded=True)


def may_write(view: View, ref: AttemptRef, worker: str) -> bool:
    """Whether this worker holds or held this attempt of a task that is still in the view."""
    task = view.facts.tasks.get(ref.task)
    if task is None:
        return False
    attempts = (*task.past, task.attempt) if task.attempt is not None else task.past
    return any(each.number == ref.number and each.worker == worker for each in attempts)


async def _watch(gone: Gone, call: _Call) -> None:
    await gone()
    call.release()
