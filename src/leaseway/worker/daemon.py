"""The worker daemon: puts clock, spool, spawner, link and agent together, and keeps them going.

It may die at any moment. What runs goes on under its keepers, what has ended stands in the journal,
and the next daemon takes both over.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path

from leaseway.core.agent import Agent, adopt
from leaseway.core.model import worker as wk
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Millis
from leaseway.runtime import Clock
from leaseway.worker import messages
from leaseway.worker.bounds import SLEEP_MS, asleep_ms
from leaseway.worker.calls import Calls
from leaseway.worker.carrier import Carrier
from leaseway.worker.folded import Folded
from leaseway.worker.journal import START
from leaseway.worker.link import Link, LinkError
from leaseway.worker.locks import DAEMON
from leaseway.worker.options import WorkerOptions
from leaseway.worker.recovery import adopted, end_older_boots
from leaseway.worker.spawner_hand import NoSpawner, SpawnerHand
from leaseway.worker.spool import Spool
from leaseway.worker.trees import Trees
from leaseway.worker.uploads import Uploads

TICK_S = 1.0
WATERMARK_S = 0.01
"""Endings that come within this of each other are synced and told together."""

LEAVE_MS: Millis = 3_000
"""How long leaving waits for the coordinator to hear of it."""

GONE, BUSY, FENCED, BROKEN = 0, 3, 4, 1
REFUSED = 3


class Daemon:
    """One daemon, from adopting to leaving."""

    def __init__(self, options: WorkerOptions, spool: Spool, clock: Clock) -> None:
        self._options = options
        self._spool = spool
        self._clock = clock
        self._link = Link(options.url, options.credential, options.ca)
        self._uploads = Uploads(spool, self._link, options.name)
        agent = Agent(worker=options.name, spool_id=spool.spool_id, boot_id=clock.boot_id())
        hand = SpawnerHand(spool)
        self._trees = Trees(options, spool, clock, self._link)
        self._carrier = Carrier(agent, spool, hand, (self._uploads, self._trees), options.tell)
        self._calls = Calls(options, self._carrier, self._link)
        self._done = asyncio.Event()
        self._leaving = asyncio.Event()
        self._code = GONE

    async def run(self) -> int:
        """Until told to leave, or superseded."""
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, self._leaving.set)
        try:
            self._adopt(self._recovered())
        except OSError as error:
            self._options.tell(f"the spool {self._spool.root} cannot be used: {error.strerror}")
            return BROKEN
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(work)
                for work in (
                    self._with_spawner(),
                    self._ticks(),
                    self._outputs(),
                    self._trees.run(),
                    self._travels(),
                    self._leave(),
                    self._refused(),
                    self._calls.run(group),
                )
            ]
            await self._done.wait()
            for task in tasks:
                task.cancel()
            self._calls.hang_up()
        self._carrier.keep_up()
        self._carrier.hand.close()
        self._link.close()
        return self._code

    def _recovered(self) -> Folded:
        """The journal, shortened, with the endings of earlier boots in it."""
        end_older_boots(self._spool, self._spool.fold(), self._clock.boot_id())
        compacted = None
        with contextlib.suppress(OSError):  # no room for a second journal; the long one will do
            compacted = self._spool.compact(START)
        return compacted[1] if compacted is not None else self._spool.fold()

    def _adopt(self, folded: Folded) -> None:
        self._carrier.take_over(folded)
        records = adopted(folded, self._clock.boot_id())
        for ref in self._trees.take_over(records):
            self._carrier.tell_agent(wk.Kept(ref))
        self._carrier.go_on(adopt(self._carrier.agent, records))
        for ref, entry in folded.entries.items():
            if entry.started is not None or entry.ended is not None:
                ending = entry.ended.ending if entry.ended else None
                self._uploads.resume(ref, ending, is_settled=entry.settled)
        if records:
            attempts = "1 attempt" if len(records) == 1 else f"{len(records)} attempts"
            self._options.tell(f"took over {attempts} from the spool")

    async def _with_spawner(self) -> None:
        """Hold on to a spawner; when it dies, to the next."""
        while True:
            try:
                self._carrier.greet(await self._carrier.hand.connect())
            except NoSpawner as error:
                self._options.tell(str(error))
                self._end(BROKEN)
                return
            self._after()
            async for message in self._carrier.hand.hear():
                if isinstance(message, wk.Stopping):
                    self._carrier.tell_agent(message)
                elif isinstance(message, messages.Moved):
                    self._feed()
                self._after()
                if isinstance(message, messages.Moved):
                    await asyncio.sleep(WATERMARK_S)
                    self._carrier.hand.send(messages.Watch())

    def _feed(self) -> None:
        try:
            self._carrier.feed()
        except FileNotFoundError:
            self._lose_spool()

    def _lose_spool(self) -> None:
        """What ran here cannot be told any more; the coordinator says so when its time is over."""
        self._options.tell(f"leaving: the spool {self._spool.root} was removed or replaced")
        self._end(BROKEN)

    async def _ticks(self) -> None:
        before = self._carrier.now()
        while True:
            await asyncio.sleep(TICK_S)
            now = self._carrier.now()
            slept = asleep_ms(before, now)
            before = now
            if slept > SLEEP_MS:
                self._carrier.tell_agent(wk.Woke(slept))
            self._carrier.tell_agent(wk.Ticked())
            if not self._spool.is_there:
                self._lose_spool()
                return
            self._carrier.keep_up()
            self._calls.look_at_terms()
            self._after()

    async def _outputs(self) -> None:
        """Send what is printed, while it is printed."""
        while True:
            await asyncio.sleep(TICK_S)
            try:
                done = await self._uploads.send()
            except LinkError:
                continue  # told by the calls; the outputs are on the disk
            for ref in done:
                self._carrier.tell_agent(wk.Uploaded(ref))

    async def _travels(self) -> None:
        """What becomes of trees that are received and brought back."""
        async for happening in self._trees.happenings():
            self._carrier.take(happening)
            self._after()

    async def _leave(self) -> None:
        """Told to go: start nothing more, say so, and go. What runs goes on, or is stopped."""
        await self._leaving.wait()
        stops = self._options.stop_running
        self._options.tell("leaving; what runs " + ("is stopped" if stops else "goes on"))
        carrier = self._carrier
        carrier.accepting = False
        carrier.is_leaving_softly = not stops
        carrier.hand.send(messages.Accept(yes=False))
        carrier.tell_agent(wk.Leave(now=stops))
        self._after()
        longest = LEAVE_MS + (self._longest_stop_ms() if stops else 0)
        try:
            async with asyncio.timeout(longest / 1000):
                await self._until(lambda: not self._waits_for_stops())
                await self._until(lambda: self._is_all_told() or self._calls.is_failing)
        except TimeoutError:
            self._options.tell("the coordinator did not hear that this worker leaves")
        self._end(GONE)

    async def _refused(self) -> None:
        """The coordinator does not take this worker, and would say the same again."""
        refusal = await self._calls.refused
        self._options.tell(f"{self._options.url} does not take this worker:")
        for line in refusal.told():
            self._options.tell(line)
        self._end(REFUSED)

    def _is_all_told(self) -> bool:
        agent = self._carrier.agent
        return not agent.back and not any(m.is_over for m in agent.attempts.values())

    async def _until(self, holds: Callable[[], bool]) -> None:
        news = self._carrier.news
        while not holds():
            news.clear()
            await news.wait()

    def _waits_for_stops(self) -> bool:
        """Whether something was told to stop, or is to be handed back, and has not been yet."""
        stops = self._options.stop_running
        return any(
            not mine.is_over and mine.told_to_stop and (stops or mine.phase is Phase.GRANTED)
            for mine in self._carrier.agent.attempts.values()
        )

    def _longest_stop_ms(self) -> Millis:
        tails = (mine.grant.guard.tail_ms for mine in self._carrier.agent.attempts.values())
        return max(tails, default=0)

    def _after(self) -> None:
        """After something was told to the agent: see whether to call, or to go."""
        self._calls.wake()
        self._carrier.news.set()
        if self._carrier.quit_reason is not None and not self._done.is_set():
            self._options.tell(f"leaving: {self._carrier.quit_reason}")
            self._end(FENCED)

    def _end(self, code: int) -> None:
        self._code = code
        self._done.set()


def spool_folder(options: WorkerOptions) -> Path:
    """Where a worker keeps what must not be lost."""
    return options.state_dir / "spool"


def run_worker(options: WorkerOptions) -> int:
    """Run a worker daemon until it is told to leave. 0: it left; 4: a newer daemon has taken its
    name; 3: the coordinator
    refused it, or another daemon uses this state directory; 1: it could not go on."""
    try:
        options.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        spool = Spool(spool_folder(options))
    except OSError as error:
        options.tell(f"{error.filename or spool_folder(options)}: {error.strerror}")
        return BROKEN
    if not spool.locks.take(DAEMON):
        options.tell(f"another worker daemon uses {options.state_dir}")
        return BUSY
    try:
        return asyncio.run(_run(options, spool))
    finally:
        spool.close()


async def _run(options: WorkerOptions, spool: Spool) -> int:
    return await Daemon(options, spool, Clock.of_environment()).run()
