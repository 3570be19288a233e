"""The one door to the service: commands wait here, are taken as a batch, and are answered only when
the batch is stored.

What a failure means:

    the append failed      every command of the batch: "503, nothing accepted"; the view anew
    the term is lost       silence: everything is answered 503, reads included; the process stops
    a command is a defect  that one: 500; the view anew; the others of its batch are decided again
    the replay is broken   silence, as with a lost term
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple

from leaseway.coordinator.errors import BrokenHistory, CoordinatorError, Defect, NotAccepted
from leaseway.coordinator.service import Draft, Reply, Service
from leaseway.coordinator.wakeups import Wakeups
from leaseway.core.decisions.decision import Refused
from leaseway.core.model.commands import Command, Tick
from leaseway.core.model.view import View
from leaseway.ledger.errors import LedgerError, LedgerUnavailable, LedgerUnreadable, TermLost

_log = logging.getLogger(__name__)
MOST_AT_ONCE = 1_000
SLOW_MS = 5
DEFECTS_MOST = 5
"""So many ticks in a row that break an invariant stop the process: nothing would ever expire."""

_ENDS = (TermLost, LedgerUnreadable, BrokenHistory)


class _Ask(NamedTuple):
    command: Command
    answer: asyncio.Future[Reply | Refused]


class Pace:
    """How long commits take here; slow ones go to a thread."""

    def __init__(self) -> None:
        self._last: deque[int] = deque(maxlen=15)

    def took(self, length_ms: int) -> None:
        """One more commit."""
        self._last.append(length_ms)

    @property
    def slow(self) -> bool:
        """Whether the median of the last commits is more than the loop should be kept waiting."""
        return len(self._last) >= 5 and median(self._last) > SLOW_MS


class Door:
    """Where every command goes in."""

    def __init__(self, service: Service, wakeups: Wakeups) -> None:
        self.service = service
        self.silent = ""  # why nothing is said any more
        self.closed = asyncio.Event()  # set when this door decides nothing any more
        self.pace = Pace()
        self._wakeups = wakeups
        self._asks: deque[_Ask] = deque()
        self._knock = asyncio.Event()
        self._rest = asyncio.Event()  # no commit is under way: the view may be read
        self._rest.set()
        self._bad_ticks = 0

    async def ask(self, command: Command) -> Reply | Refused:
        """Decide a command; returns when what it led to is stored. Giving up waiting takes
        nothing back. NotAccepted, Defect."""
        if self.silent:
            raise NotAccepted(self.silent)
        answer: asyncio.Future[Reply | Refused] = asyncio.get_running_loop().create_future()
        self._asks.append(_Ask(command, answer))
        self._knock.set()
        return await answer

    async def view(self) -> View:
        """The view as it is stored, for reading before the next `await`. NotAccepted."""
        while not self._rest.is_set():
            await self._rest.wait()
        if self.silent:
            raise NotAccepted(self.silent)
        if self.service.stale:
            raise NotAccepted("the ledger cannot be read just now")
        return self.service.view

    async def run(self) -> None:
        """Serve until `close`, a lost term, or a broken history."""
        try:
            while not self.silent:
                await self._knock.wait()
                self._knock.clear()
                while self._asks and not self.silent:
                    await self._serve()
        finally:
            self.silent = self.silent or "the coordinator is stopping"
            self._fail(self._taken(len(self._asks)), NotAccepted(self.silent))
            self.closed.set()

    def close(self) -> None:
        """Decide nothing more."""
        self.silent = self.silent or "the coordinator is stopping"
        self._knock.set()

    async def _serve(self) -> None:
        asks = self._taken(MOST_AT_ONCE)
        try:
            await self._decide(asks)
        except _ENDS as wrong:
            self.silent = f"this coordinator does not decide any more: {wrong}"
            _log.critical("%s", self.silent)
            self._fail(asks, NotAccepted(self.silent))
        except LedgerUnavailable as wrong:
            _log.error("a batch of %d was not stored: %s", len(asks), wrong)
            self._fail(asks, NotAccepted(f"the ledger did not take it: {wrong}"))
        except BaseException:
            self._fail(asks, NotAccepted("the coordinator stops over a defect"))
            raise

    async def _decide(self, asks: list[_Ask]) -> None:
        """One batch. Raises where the whole of it failed."""
        if self.service.stale:
            self.service.recover()
        try:
            draft = self.service.draft([ask.command for ask in asks])
        except Defect as wrong:
            self._defect(asks, wrong)
            return
        try:
            await self._append(draft)
        except LedgerUnavailable:
            self._recover()
            raise
        self._answer(asks, draft)
        self.service.stored(draft)

    def _answer(self, asks: list[_Ask], draft: Draft) -> None:
        for ask, said in zip(asks, draft.answers, strict=True):
            if not ask.answer.done():
                ask.answer.set_result(said)
            if isinstance(ask.command, Tick):
                self._bad_ticks = 0
        self._wakeups.ring(draft.rings)

    async def _append(self, draft: Draft) -> None:
        clock = self.service.clock.clock
        began = clock.awake_ms()
        if self.pace.slow and draft.batch is not None:
            self._rest.clear()
            try:
                await asyncio.to_thread(self.service.append, draft)
            finally:
                self._rest.set()
            await asyncio.sleep(0)  # who waits to read has its turn before the next batch
        else:
            self.service.append(draft)
        if draft.batch is not None:
            self.pace.took(clock.awake_ms() - began)

    def _defect(self, asks: list[_Ask], wrong: Defect) -> None:
        """Answer the one that broke an invariant, decide the others again."""
        _log.error("defect: %s", wrong, exc_info=wrong)
        culprit = asks.pop(wrong.at)
        self._asks.extendleft(reversed(asks))
        asks[:] = [culprit]
        if isinstance(culprit.command, Tick):
            self._bad_ticks += 1
            if self._bad_ticks >= DEFECTS_MOST:
                raise BrokenHistory(f"time cannot go on: {wrong}")
        self._fail([culprit], wrong)
        self.service.recover()

    def _recover(self) -> None:
        """Make the view anew, now if the ledger can be read, else before the next batch."""
        try:
            self.service.recover()
        except LedgerUnavailable as wrong:
            _log.error("the view cannot be made anew yet: %s", wrong)

    def _taken(self, most: int) -> list[_Ask]:
        taken = [self._asks.popleft() for _ in range(min(most, len(self._asks)))]
        # Reports first, then expiry: what came in with a tick is heard before it judges.
        return sorted(taken, key=lambda ask: isinstance(ask.command, Tick))

    @staticmethod
    def _fail(asks: Iterable[_Ask], wrong: CoordinatorError | LedgerError) -> None:
        for ask in asks:
            if not ask.answer.done():
                ask.answer.set_exception(wrong)
