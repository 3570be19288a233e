"""Spawner and keepers of one machine: the real rules (`may_start`, `Bounds`, journal notes) around
tasks that do what their script says. They outlive the daemon."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from leaseway.core import book
from leaseway.core.model.capacity import Vector
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import (
    Book,
    LocalGrant,
    MoveStop,
    NoteEnded,
    NoteReturned,
    NoteStarted,
    WorkerNow,
)
from leaseway.sim.host import Process
from leaseway.sim.truth import Run
from leaseway.worker import bounds

if TYPE_CHECKING:
    from leaseway.sim.machine import Machine

_TERM, _KILL = 15, 9
WHOLE = 1_000
"""The pace of a task that has all the cpus it asks, in thousandths."""


class Script(NamedTuple):
    """What a task does: work so long, exit so, and on TERM `dies`, `tidies` or `ignores`."""

    work_ms: Millis
    exit_code: int
    on_term: str

    @classmethod
    def of(cls, run: str | tuple[str, ...]) -> Script:
        """As written in the task's command."""
        _, work_ms, exit_code, on_term = tuple(run)
        return cls(int(work_ms), int(exit_code), on_term)

    def command(self) -> tuple[str, ...]:
        """As a task's command."""
        return ("act", str(self.work_ms), str(self.exit_code), self.on_term)


class Keeper(Process):
    """One attempt from its start to its end."""

    def __init__(self, machine: Machine, grant: LocalGrant) -> None:
        super().__init__()
        self.grant = grant
        self.script = Script.of(grant.run)
        self.reason: StopReason | None = None
        self._machine = machine
        self._began = now = machine.host.read()
        self._done, self._seen, self._pace, self._turn = 0, now.awake_ms, WHOLE, 0
        machine.journal.append(
            NoteStarted(grant.ref, machine.host.boot_id, 1, 1, now.boot_ms, str(grant.ref))
        )
        own = min(now.boot_ms + grant.reserved_ms, grant.stop_latest_boot)
        self.run = Run(
            grant, machine.host, machine.agenda.now, now.boot_ms, own, machine.host.slept_true_ms
        )
        machine.truth.begin(self.run)
        self.bounds = bounds.Bounds.of(grant, now, machine.spawner.heard_boot)
        self._work()
        self.look()

    def look(self) -> None:
        """Stop it if that is due, else look again when it will be, or after a wake."""
        if not self.alive or self.reason is not None:
            return
        now = self._machine.host.read()
        reason = self.bounds.look(now)
        if reason is not None:
            self.stop(reason)
            return
        self._machine.host.later(self._left_ms(now), self.look, self)

    def _left_ms(self, now: WorkerNow) -> Millis:
        """The real keeper looks every fifth of a second; this one when something is due."""
        mine = self.bounds
        left = min(
            mine.stop_boot - now.boot_ms, mine.started.awake_ms + mine.reserved_ms - now.awake_ms
        )
        if mine.cut_off_ms is not None:
            left = min(left, mine.heard_boot + mine.cut_off_ms - now.boot_ms)
        return max(left, 5) if left > 0 else bounds.LOOK_MS

    def move(self, order: MoveStop) -> None:
        """Its stop time is another now."""
        self.bounds.move(order)
        self.run.stop_boot = order.stop_boot
        self.look()

    def stop(self, reason: StopReason) -> None:
        """TERM, and KILL after the grace."""
        if not self.alive or self.reason is not None:
            return
        self.reason, self.run.stopped = reason, True
        self._machine.spawner.tell_stopping(self.grant.ref)
        grace = self.grant.guard.stop_grace_ms
        host = self._machine.host
        if self.script.on_term == "dies":
            host.later(20, lambda: self._exit(None, _TERM), self)
        elif self.script.on_term == "tidies":
            host.later(grace * 3 // 4, lambda: self._exit(0, None), self)
        host.later(grace, lambda: self._exit(None, _KILL), self)

    def die(self) -> None:
        """The keeper is killed; the spawner clears its task away and writes what it knows."""
        if self.alive:
            self.alive = False
            self._machine.host.later(60, self._clear_away)

    def go_on(self, pace: int) -> None:
        """From now on it works at this pace, in thousandths of what it does alone."""
        if self.alive:
            self._count()
            self._pace = pace
            self._work()

    def _count(self) -> None:
        now = self._machine.host.read().awake_ms
        self._done += (now - self._seen) * self._pace
        self._seen = now

    def _work(self) -> None:
        """A task works on the clock that stops in sleep, slower where cpus are short."""
        self._count()
        left = self.script.work_ms * WHOLE - self._done
        if left <= 0:
            self._exit(self.script.exit_code, None)
            return
        self._turn += 1
        mine = self._turn

        def again() -> None:
            if self._turn == mine:
                self._work()

        self._machine.host.later(-(-left // self._pace), again, self)

    def _exit(self, exit_code: int | None, signal: int | None) -> None:
        kind = EndKind.EXITED if signal is None else EndKind.SIGNALED
        self._over(Ending(kind, exit_code, signal, self.reason))

    def _clear_away(self) -> None:
        self._over(Ending(EndKind.KEEPER_DIED, detail="its keeper was killed"))

    def _over(self, ending: Ending) -> None:
        self.alive = False
        now = self._machine.host.read()
        self.run.exit_code, self.run.signal = ending.exit_code, ending.signal
        self._machine.truth.end(self.run, self._machine.agenda.now)
        whole = Ending(
            kind=ending.kind,
            exit_code=ending.exit_code,
            signal=ending.signal,
            reason=ending.reason,
            ran_ms=now.awake_ms - self._began.awake_ms,
            held_ms=now.boot_ms - self._began.boot_ms,
            detail=ending.detail,
        )
        note = NoteEnded(
            self.grant.ref, whole, self._machine.host.boot_id, now.boot_ms, self._began.boot_ms
        )
        self._machine.journal.append(note)
        self.run.noted = True
        self._machine.spawner.over(self.grant.ref)


class Spawner:
    """The queue of one machine."""

    def __init__(self, machine: Machine) -> None:
        self.capacity: Vector = (0,) * 6
        self.accepting = False
        self.heard_boot: Millis = 0
        self.queue: dict[AttemptRef, LocalGrant] = {}
        self.held: dict[AttemptRef, Keeper] = {}
        self._due: Millis | None = None
        self._machine = machine

    def put(self, grants: tuple[LocalGrant, ...]) -> None:
        """Queue these, in promise order."""
        fresh = {grant.ref: grant for grant in grants if grant.ref not in self.held}
        merged = {**self.queue, **fresh}.values()
        ordered = sorted(merged, key=lambda grant: (grant.order, grant.ref))
        self.queue = {grant.ref: grant for grant in ordered}
        self.consider()

    def accept(self, accepting: bool) -> None:
        """Whether a daemon is there and lets start."""
        self.accepting = accepting
        self.consider()

    def stop(self, ref: AttemptRef, reason: StopReason) -> None:
        """Stop it if it runs, hand it back if it waits."""
        if ref in self.queue:
            self._hand_back(ref)
            self._machine.moved()
        elif ref in self.held:
            self.held[ref].stop(reason)

    def move(self, order: MoveStop) -> None:
        """Move a stop time; what waits shall know as well by when it would have to be over."""
        if order.ref in self.queue:
            grant = self.queue[order.ref]
            self.queue[order.ref] = replace(grant, stop_latest_boot=order.stop_boot)
            self.consider()
        elif order.ref in self.held:
            self.held[order.ref].move(order)

    def hear(self, heard_boot: Millis) -> None:
        """The coordinator was heard."""
        self.heard_boot = heard_boot
        for keeper in self.held.values():
            keeper.bounds.hear(heard_boot)

    def tell_stopping(self, ref: AttemptRef) -> None:
        """TERM was sent."""
        if self._machine.daemon is not None:
            self._machine.daemon.stopping(ref)

    def over(self, ref: AttemptRef) -> None:
        """Its ending is in the journal."""
        self.held.pop(ref, None)
        self._divide()
        self._machine.moved()
        self.consider()

    def consider(self) -> None:
        """Ask the rule, and do what it says."""
        if not self.queue:
            return
        running = tuple((ref, keeper.grant.taken) for ref, keeper in self.held.items())
        asked = Book(self.capacity, running, tuple(self.queue.values()), self.accepting)
        verdict = book.may_start(asked, self._machine.host.read())
        for ref in verdict.back:
            self._hand_back(ref)
        for ref in verdict.start:
            self._start(self.queue.pop(ref))
        if verdict.back or verdict.start:
            self._machine.moved()
        if verdict.again_ms is not None:
            self._look_again(max(1, verdict.again_ms))

    def _look_again(self, within_ms: Millis) -> None:
        now_ms = self._machine.host.read().boot_ms
        if self._due is None or not now_ms <= self._due <= now_ms + within_ms:
            self._due = now_ms + within_ms
            self._machine.host.later(within_ms, self._due_now)

    def _due_now(self) -> None:
        if self._due is not None and self._machine.host.read().boot_ms >= self._due:
            self._due = None
            self.consider()

    def _start(self, grant: LocalGrant) -> None:
        keeper = Keeper(self._machine, grant)
        if keeper.alive:
            self.held[grant.ref] = keeper
            self._divide()

    def _divide(self) -> None:
        """What runs here has the cpus of the machine, each its part by what it asks."""
        cpus = self._machine.offer.capacity.vector()[0]
        asked = sum(keeper.grant.uses.cpus_milli for keeper in self.held.values() if keeper.alive)
        pace = WHOLE if asked <= cpus else max(1, cpus * WHOLE // asked)
        for keeper in list(self.held.values()):
            keeper.go_on(pace)

    def _hand_back(self, ref: AttemptRef) -> None:
        del self.queue[ref]
        self._machine.journal.append(NoteReturned(ref))
