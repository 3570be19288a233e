"""The coordinator's process: the real service, driven without a loop.

`Service.draft`, `append` and `stored` are the ones of `leaseway.coordinator.service`; what stands
here instead of asyncio is the turn-taking of its `door`: a batch at a time, answers only after the
append, a failed append answers "nothing accepted". Where workers call is in `desk`.
"""

from __future__ import annotations

from leaseway.coordinator.errors import BrokenHistory, CoordinatorError, Defect
from leaseway.coordinator.service import Draft, Service, ServiceOptions
from leaseway.core.model.commands import Command, Tick
from leaseway.core.model.sync import SyncRequest
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Settings
from leaseway.ledger.errors import LedgerUnavailable
from leaseway.ledger.memory import Disk, MemoryLedger
from leaseway.sim.agenda import Act
from leaseway.sim.chance import Chance
from leaseway.sim.desk import Answer, Desk, Said
from leaseway.sim.host import WALL_START, Host, HostClock, Process

TICK_MS: Millis = 1_000
SETTINGS = Settings()
_RETRY_MS: Millis = 500
_OFTEN = 30
"""Events between snapshots in half of all worlds; the others never take one."""


class Failed:
    """No decision: the ledger did not take it, or the connection broke."""


class Watcher:
    """Who looks at every draft, every stored batch and every answer."""

    def drafted(self, service: Service, draft: Draft) -> None:
        """Decided and folded, not stored yet."""

    def stored(self, draft: Draft) -> None:
        """In the ledger."""

    def answered(self, command: Command, said: Said) -> None:
        """Somebody was told."""

    def defect(self, wrong: CoordinatorError | ValueError) -> None:
        """A decision, or the history, broke an invariant by itself."""


class Coordinator:
    """One machine with a coordinator on it."""

    def __init__(self, host: Host, chance: Chance, watcher: Watcher) -> None:
        self.host = host
        self.disk = Disk()
        self.service: Service | None = None
        self.slow_disk = False
        self.began = 0  # true time since which it has been up and awake
        self.heard: dict[str, int] = {}  # worker → true time of its last call since then
        self._dozed = 0
        self._telling = False  # answers go out: the next batch waits
        self._chance = chance
        self._watcher = watcher
        self._process = Process()
        self._desk = Desk(self, SETTINGS.patience_ms)
        self._asks: list[tuple[Command, Answer]] = []
        self._draft: tuple[Draft, list[tuple[Command, Answer]]] | None = None
        self._names = 0

    # Life ----------------------------------------------------------------------------------------

    def start(self) -> None:
        """Take a term, replay, tick; once the machine is awake."""
        if self.service is not None:
            return
        if self.host.asleep:
            self.host.later(0, self.start)
            return
        self._process, self._desk = Process(), Desk(self, SETTINGS.patience_ms)
        every = self._chance.pick((_OFTEN, 1_000_000))
        options = ServiceOptions(settings=SETTINGS, snapshot_every=every, fresh=self.fresh)
        ledger, clock = MemoryLedger(self.disk), HostClock(self.host)
        try:
            self.service = Service.lead(ledger, clock, "sim", options)
        except LedgerUnavailable:
            self.host.later(_RETRY_MS, self.start)
            return
        self._begin()
        self._tick()

    def crash(self) -> None:
        """SIGKILL. A batch on its way to the disk may have arrived there or not; nobody is told."""
        if self.service is None:
            return
        self._process.alive = False
        if self._draft is not None and not self.disk.broken and self._chance.happens(500):
            self.service.append(self._draft[0])
            self._watcher.stored(self._draft[0])
        waiting = [answer for _, answer in (self._draft[1] if self._draft else [])]
        waiting += [answer for _, answer in self._asks]
        waiting += self._desk.waiting()
        self.service, self._draft = None, None
        self._asks.clear()
        for answer in waiting:
            answer(Failed())

    def sleep(self) -> None:
        """The lid is closed."""
        self._dozed = self.host.agenda.now
        self.host.sleep()

    def wake(self) -> None:
        """The lid is opened."""
        if self.host.asleep:
            self.host.wake()
            if self.host.agenda.now - self._dozed > SETTINGS.gap_ms + TICK_MS:
                self._begin()

    @property
    def at_rest(self) -> bool:
        """Whether the view holds what is stored, and nothing else."""
        return self._draft is None

    def ledger_at(self, true_ms: int) -> Instant:
        """Ledger time at this true time."""
        return WALL_START + self.host.counted(true_ms)

    def later(self, length_ms: Millis, act: Act) -> None:
        """In this life, so much later."""
        self.host.later(length_ms, act, self._process)

    def fresh(self, kind: str) -> str:
        """A name that nobody else has."""
        self._names += 1
        return f"{kind}-{self._names}"

    def _begin(self) -> None:
        self.began = self.host.agenda.now
        self.heard.clear()

    def _tick(self) -> None:
        self.take(Tick(), lambda _: None)
        self.later(TICK_MS, self._tick)

    # The door ------------------------------------------------------------------------------------

    def post(self, command: Command, answer: Answer) -> None:
        """A command arrives; late if the machine sleeps, in vain if no process is up."""
        if self.service is not None:
            self.later(0, lambda: self.take(command, answer))

    def sync(self, request: SyncRequest, answer: Answer) -> None:
        """A worker calls."""
        if self.service is not None:
            self.later(0, lambda: self._called(request, answer))

    def _called(self, request: SyncRequest, answer: Answer) -> None:
        assert self.service is not None
        self.heard[request.worker] = self.host.agenda.now
        self._desk.called(request, self.service.now(), answer)

    def take(self, command: Command, answer: Answer) -> None:
        """Decide it with the next batch."""
        self._asks.append((command, answer))
        self._serve()

    def _serve(self) -> None:
        """Decide everything that waits, as one batch, and send it to the disk."""
        service = self.service
        if service is None or self._draft is not None or self._telling or not self._asks:
            return
        asks, self._asks = self._asks, []
        if service.stale:
            service.recover()
        try:
            draft = service.draft([command for command, _ in asks])
        except (Defect, BrokenHistory) as wrong:
            self._watcher.defect(wrong)
            return
        self._watcher.drafted(service, draft)
        self._draft = (draft, asks)
        if draft.batch is None:
            self._commit()
        else:
            slow = self.slow_disk
            took = self._chance.between(100, 1_500) if slow else self._chance.between(1, 5)
            self.later(took, self._commit)

    def _commit(self) -> None:
        assert self._draft is not None
        assert self.service is not None
        (draft, asks), self._draft = self._draft, None
        try:
            self.service.append(draft)
            self.service.stored(draft)
        except LedgerUnavailable:
            self.service.recover()
            for _, answer in asks:
                answer(Failed())
            self._serve()
            return
        except (BrokenHistory, ValueError) as wrong:
            self._watcher.defect(wrong)
            return
        self._watcher.stored(draft)
        self._telling = True
        for (command, answer), said in zip(asks, draft.answers, strict=True):
            self._watcher.answered(command, said)
            answer(said)
        for name in draft.rings:
            if name.startswith("worker:"):
                self._desk.ring(name.removeprefix("worker:"))
        self._telling = False
        self._serve()
