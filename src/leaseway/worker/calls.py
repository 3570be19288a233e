"""When to call the coordinator, and what to do when it does not answer.

A call is nearly always out: parked there while there is nothing to do, so that a grant arrives the
moment it is made. News goes out at once with a newer call, which lets the parked one go; but a call
that is still on its way is waited for, else a busy worker would let go of every answer it gets.
"""

from __future__ import annotations

import asyncio
import contextlib

from msgspec.structs import replace

from leaseway.core.agent import next_request
from leaseway.core.model import worker as wk
from leaseway.core.model.sync import SPEAKS, RegisterRequest, SyncReply, SyncRequest
from leaseway.core.model.units import Millis
from leaseway.runtime import fresh_id
from leaseway.wire.findings import finding_info
from leaseway.worker import messages, meter
from leaseway.worker.carrier import Carrier
from leaseway.worker.link import Declined, Link, LinkError
from leaseway.worker.options import WorkerOptions
from leaseway.worker.own_terms import OwnTerms

TRIPS = 3
SHORTEST_TRIP_MS, LONGEST_TRIP_MS = 2, 50
"""A call that has been out for three times as long as an answer with news takes is parked: there
was nothing to say to it."""

AHEAD_MS: Millis = 10
"""After an answer that brought grants."""

PACE_MS: Millis = 100
"""After an answer that brought nothing and came at once."""

FIRST_BACK_OFF_MS: Millis = 200
LONGEST_BACK_OFF_MS: Millis = 10_000


def back_off_ms(failures: int, chance: int, most_ms: Millis = LONGEST_BACK_OFF_MS) -> Millis:
    """How long to wait after so many failures in a row: doubled each time, and between half and
    all of that, so that many workers do not come back in step. `chance`: 0 … 255."""
    longest = min(most_ms, FIRST_BACK_OFF_MS << min(failures - 1, 16))
    return longest // 2 + longest * chance // 510


class Calls:
    """All that is said to one coordinator but outputs."""

    def __init__(self, options: WorkerOptions, carrier: Carrier, link: Link) -> None:
        self._options = options
        self._carrier = carrier
        self._link = link
        self._terms = OwnTerms(options, carrier.clock, options.tell)
        self._is_registered = False
        self._was_registered = False
        self.refused: asyncio.Future[Declined] = asyncio.get_running_loop().create_future()
        self._failures = 0
        self._most_back_off_ms = LONGEST_BACK_OFF_MS
        self._told = ""
        self._due_boot: Millis = 0
        self._not_before_boot: Millis = 0
        self._changed = asyncio.Event()
        self._trip_ms = float(SHORTEST_TRIP_MS)
        self._out: dict[int, Millis] = {}  # seq → sent at, for calls without an answer
        self._tasks: set[asyncio.Task[None]] = set()

    def wake(self) -> None:
        """Something was asked of us; see when a call is due now."""
        asked = self._carrier.call_within_ms
        if asked is not None:
            self._carrier.call_within_ms = None
            self._due_boot = min(self._due_boot, self._boot() + asked)
        self._changed.set()

    async def run(self, group: asyncio.TaskGroup) -> None:
        """For as long as the daemon lives."""
        while True:
            await self._until_due()
            if not self._is_registered:
                await self._register()
                if self.refused.done():
                    return
                continue
            sent = self._boot()
            self._due_boot = sent + self._options.longest_silence_ms
            self._carrier.agent.meter = meter.readings(self._options.state_dir)
            request = next_request(self._carrier.agent, self._carrier.now())
            if windows := self._terms.news():
                request = replace(request, windows=windows)
            self._out[request.seq] = sent
            task = group.create_task(self._call(request, sent))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    @property
    def is_failing(self) -> bool:
        """Whether the last call had no answer."""
        return self._failures > 0

    def look_at_terms(self) -> None:
        """See whether the owner has written something else; then it is offered at once."""
        if self._terms.look():
            self.hang_up()
            self._out.clear()
            self._is_registered = False
            self._due_boot = self._not_before_boot = 0
            self._stir()

    def hang_up(self) -> None:
        """Let go of every call that has no answer yet."""
        for task in self._tasks:
            task.cancel()

    async def _until_due(self) -> None:
        """Due, not backing off, and nobody on the way."""
        while True:
            now = self._boot()
            wait = max(self._due_boot, self._not_before_boot) - now
            if self._is_registered and self._out:
                parked = max(self._out.values()) + int(TRIPS * self._trip_ms)
                wait = max(wait, parked - now)
            if wait <= 0:
                return
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait / 1000):
                    await self._changed.wait()

    async def _register(self) -> None:
        agent, options = self._carrier.agent, self._options
        sent = self._boot()
        offer, offered_ago_ms = self._terms.offering()
        request = RegisterRequest(
            name=options.name,
            machine_id=meter.machine_id(options.state_dir),
            spool_id=agent.spool_id,
            boot_id=agent.boot_id,
            speaks=SPEAKS,
            offer=offer,
            offered_ago_ms=offered_ago_ms,
            version=options.version,
            ledger_id=agent.ledger_id,
        )
        try:
            reply = await self._link.register(request)
        except LinkError as error:
            if isinstance(error, Declined) and error.is_final and not self._was_registered:
                self.refused.set_result(error)
            self._failed(error)
            return
        self._answered()
        self._is_registered = self._was_registered = True
        self._terms.told(offer.windows, sent)
        # A coordinator that is back judges who was silent for its patience.
        self._most_back_off_ms = min(LONGEST_BACK_OFF_MS, reply.patience_ms // 2)
        self._carrier.tell_agent(wk.Registered(reply, sent))
        self._carrier.tell(f"registered at {self._link.url} as {options.name}")
        for finding in reply.findings:
            self._carrier.tell(finding_info(finding).sentence)
        self.wake()

    async def _call(self, request: SyncRequest, sent: Millis) -> None:
        try:
            reply = await self._link.sync(request)
        except LinkError as error:
            self._out.pop(request.seq, None)
            if request.seq == self._carrier.agent.seq:
                self._not_answered(request, error)
            self._stir()
            return
        self._out.pop(request.seq, None)
        if not reply.superseded and reply.for_seq == self._carrier.agent.seq:
            if request.windows:
                self._terms.told(request.windows, sent)
            self._take(reply, sent)
        self._stir()

    def _stir(self) -> None:
        self._changed.set()
        self._carrier.news.set()

    def _take(self, reply: SyncReply, sent: Millis) -> None:
        self._answered()
        self._carrier.hand.send(messages.Heard(sent))
        self._carrier.tell_agent(wk.SyncReplied(reply, sent))
        now = self._boot()
        has_work = reply.start or reply.stop or reply.stop_times or reply.settled
        if reply.settled:  # such an answer was not held
            trip = min(LONGEST_TRIP_MS, max(SHORTEST_TRIP_MS, now - sent))
            self._trip_ms += (trip - self._trip_ms) / 8
        if reply.start:  # what is short has ended by then, and goes along at once
            self._due_boot = now + AHEAD_MS
        else:
            self._due_boot = now if has_work or now - sent > PACE_MS else now + PACE_MS
        self.wake()

    def _not_answered(self, request: SyncRequest, error: LinkError) -> None:
        fence = ""
        if isinstance(error, Declined):
            fence = error.fence(request.incarnation, request.spool_id)
        if fence == "unknown":
            self._is_registered = False
        self._failed(error)
        self._carrier.tell_agent(wk.SyncFailed(str(error), fenced=fence == "superseded"))
        self._carrier.call_within_ms = None  # backing off is decided here

    def _failed(self, error: LinkError) -> None:
        self._failures += 1
        chance = int(fresh_id("try")[-2:], 16)
        wait_ms = back_off_ms(self._failures, chance, self._most_back_off_ms)
        self._not_before_boot = self._boot() + wait_ms
        self._due_boot = 0
        if self.refused.done():
            return
        no = "declined" if isinstance(error, Declined) else "does not answer"
        # Of the request nothing came; of what runs here that would not be true.
        why = str(error).replace(" Nothing ran.", "").rstrip(".")
        said = f"{self._link.url} {no}: {why}"
        if said != self._told:  # once, not at every try
            self._told = said
            self._carrier.tell(f"{said}; trying on")
            for line in error.told()[1:] if isinstance(error, Declined) else ():
                self._carrier.tell(line)

    def _answered(self) -> None:
        if self._failures:
            self._carrier.tell(f"{self._link.url} answers")
        self._failures, self._told, self._not_before_boot = 0, "", 0

    def _boot(self) -> Millis:
        return self._carrier.clock.boot_ms()
