"""Where workers call: the parking of `coordinator.syncs` without its loop, by its own rules
(`has_work`, `differs`, `superseded`, how long a call is held)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from leaseway.coordinator.syncs import HOLD_MOST_MS, differs, has_work, superseded
from leaseway.core.model.commands import Sync
from leaseway.core.model.sync import SyncReply, SyncRequest
from leaseway.core.model.units import Instant, Millis

if TYPE_CHECKING:
    from leaseway.sim.coordinator import Coordinator

Said = object
"""A reply, `Refused`, or `Failed`."""

Answer = Callable[[Said], None]


class Call:
    """One sync that has not been answered."""

    def __init__(self, request: SyncRequest, arrived: Instant, answer: Answer) -> None:
        self.rank = (request.incarnation, request.seq)
        self.request = request
        self.arrived = arrived
        self.began: Millis = 0
        self.hold_ms: Millis = 0
        self.rung = False
        self.parked = False
        self.done = False
        self.first: SyncReply | None = None
        self._answer = answer

    def say(self, said: Said) -> None:
        """Answer it, once."""
        if not self.done:
            self.done = True
            self._answer(said)


class Desk:
    """The calls of one life of a coordinator."""

    def __init__(self, coordinator: Coordinator, patience_ms: Millis) -> None:
        self._seat = coordinator
        self._patient_ms = patience_ms // 2
        self._calls: dict[str, Call] = {}

    def waiting(self) -> list[Answer]:
        """Everybody who has no answer."""
        return [call.say for call in self._calls.values()]

    def called(self, request: SyncRequest, arrived: Instant, answer: Answer) -> None:
        """A worker calls; a newer call lets the older go at once, superseded."""
        call = Call(request, arrived, answer)
        before = self._calls.get(request.worker)
        if before is not None and before.rank > call.rank:
            if before.rank[0] == call.rank[0]:
                call.say(superseded(request.seq))
            else:
                self._decide(call, call.say)
            return
        if before is not None:
            before.say(superseded(before.request.seq))
        self._calls[request.worker] = call
        call.began = self._boot()
        self._decide(call, lambda said: self._first(call, said))

    def ring(self, worker: str) -> None:
        """Something happened that may concern this worker."""
        call = self._calls.get(worker)
        if call is None:
            return
        if call.parked:
            self._again(call, last=False)
        else:
            call.rung = True

    def _first(self, call: Call, said: Said) -> None:
        if not isinstance(said, SyncReply) or has_work(said) or not call.request.hold_ms:
            self._finish(call, said)
            return
        call.first = said
        self._park(call, said)

    def _park(self, call: Call, said: SyncReply) -> None:
        if call.done:
            return
        if call.rung:
            self._again(call, last=False)
            return
        call.parked = True
        call.hold_ms = min(call.request.hold_ms, HOLD_MOST_MS, self._patient_ms, said.call_by_ms)
        left = call.began + call.hold_ms - self._boot()
        self._seat.later(left, lambda: self._hold_over(call))

    def _hold_over(self, call: Call) -> None:
        if call.parked and not call.done and self._boot() >= call.began + call.hold_ms:
            self._again(call, last=True)

    def _again(self, call: Call, *, last: bool) -> None:
        call.parked = call.rung = False
        self._decide(call, lambda said: self._said_again(call, said, last))

    def _said_again(self, call: Call, said: Said, last: bool) -> None:
        first = call.first
        if last or first is None or not isinstance(said, SyncReply):
            self._finish(call, said)
        elif has_work(said) or differs(said, first):
            self._finish(call, said)
        else:
            self._park(call, said)

    def _finish(self, call: Call, said: Said) -> None:
        if self._calls.get(call.request.worker) is call:
            del self._calls[call.request.worker]
        call.say(said)

    def _decide(self, call: Call, then: Answer) -> None:
        command = Sync(call.request, call.arrived, self._seat.fresh("ledger"))
        self._seat.take(command, then)

    def _boot(self) -> Millis:
        return self._seat.host.read().boot_ms
