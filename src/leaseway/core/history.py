"""What must hold between events, whatever view they are folded into (`admission.md` §11, the
action invariants). Fed with every stored event in order, it says what should not have happened.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from leaseway.core.model import events as ev
from leaseway.core.model.capacity import Vector, fits, plus, without_cpus
from leaseway.core.model.outcomes import EndKind, Freed, Outcome
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant, Millis
from leaseway.core.policy.history import Decided

_NONE: Vector = (0, 0, 0, 0, 0, 0)
_AFTER_THE_END = (ev.TasksAcknowledged, ev.TasksForgotten, ev.ResultKept, ev.RoomFreed)


class Life(Struct):
    """One task as its events tell it."""

    spec: TaskSpec
    numbers: int = 0
    open: int = 0  # number of the attempt that is granted or runs; 0: none
    worker: str = ""
    spool_id: str = ""  # two machines may go by one name in turn
    started: bool = False
    shared: bool = False  # its cpus are
    stop_at: Instant = 0  # the latest of which its worker may know
    unconfirmed: int = 0  # number of the attempt that outlived its outcome and may still run
    until: Instant = 0
    promise: Instant | None = None
    outcome: Outcome | None = None
    kept: list[int] = field(default_factory=list)


class History:
    """Everything that happened so far, as far as the checks need it."""

    def __init__(self) -> None:
        self.tasks: dict[str, Life] = {}
        self.position = 0
        self.last_at: Instant = 0
        self._offers: dict[str, Vector] = {}  # worker → what it offers
        self._guards: dict[str, Millis] = {}
        self._decided = Decided()
        self._most: dict[str, Vector] = {}  # worker → most it offered since it last held nothing

    def feed(self, at: Instant, event: ev.Event) -> list[str]:
        """One more event; what it breaks."""
        self.position += 1
        found = []
        if at < self.last_at:
            found.append(f"time: {type(event).__name__} happened at {at}, before {self.last_at}")
        self.last_at = max(self.last_at, at)
        found += self._one(event)
        found += self._decided.feed(at, event)
        return [f"{sentence} (event {self.position})" for sentence in found]

    def _one(self, event: ev.Event) -> Iterator[str]:
        match event:
            case (
                ev.WorkerRegistered(worker=worker, terms=terms)
                | ev.LeaseChanged(worker=worker, terms=terms)
            ):
                self._offered(worker, terms.capacity.vector())
                self._guards[worker] = terms.guard.total_ms
            case ev.TaskSubmitted(task=name, spec=spec):
                if name in self.tasks:
                    yield f"23 invention: {name} was submitted twice"
                self.tasks[name] = Life(spec)
            case ev.TasksAcknowledged(tasks=names) | ev.TasksForgotten(tasks=names):
                for name in names:
                    if name not in self.tasks or self.tasks[name].outcome is None:
                        yield f"2 outcome: {name} was {type(event).__name__} and has not ended"
            case _:
                name = str(getattr(event, "task", ""))
                if name:
                    yield from self._of_task(name, event)

    def _offered(self, worker: str, capacity: Vector) -> None:
        self._offers[worker] = capacity
        before = self._most.get(worker, _NONE)
        self._most[worker] = tuple(map(max, before, capacity))

    def _holds(self, worker: str) -> bool:
        return any(life.open and life.worker == worker for life in self.tasks.values())

    def _of_task(self, name: str, event: ev.Event) -> Iterator[str]:
        life = self.tasks.get(name)
        if life is None:
            yield f"23 invention: {type(event).__name__} of {name}, which nobody submitted"
            return
        if life.outcome is not None and not isinstance(event, _AFTER_THE_END):
            yield f"2 outcome: {name} has ended, then came {type(event).__name__}"
        match event:
            case ev.TaskReserved() | ev.PromiseWithdrawn():
                yield from _promised(name, life, event)
            case ev.AttemptGranted():
                yield from self._granted(name, life, event)
            case ev.ResultKept(number=number):
                yield from _kept(name, life, number)
            case ev.RoomFreed(number=number, why=why):
                yield from self._freed(name, life, number, why)
            case ev.TaskEnded(outcome=outcome):
                yield from _ended(name, life, outcome)
            case (
                ev.AttemptMoved(number=number)
                | ev.StopTimeMoved(number=number)
                | ev.StopOrdered(number=number)
                | ev.AttemptReturned(number=number)
                | ev.AttemptEnded(number=number)
            ):
                if number != life.open:
                    what = type(event).__name__
                    yield f"3 fence: {what} of {name}#{number} while {life.open} is out"
                yield from self._of_attempt(name, life, event)
            case _:
                pass

    def _of_attempt(self, name: str, life: Life, event: ev.Event) -> Iterator[str]:
        match event:
            case ev.AttemptMoved(phase=phase) if phase is not Phase.STARTING and not life.started:
                life.started = True
                life.stop_at = event.stop_at or life.stop_at
                yield from self._started(name, life)
            case ev.AttemptReturned(number=number):
                if life.started:
                    yield f"3 fence: {name}#{number} had started and was called never started"
                life.open, life.started = 0, False
            case ev.StopTimeMoved(stop_at=stop_at):
                life.stop_at = max(life.stop_at, stop_at)
            case ev.AttemptEnded(ending=ending, until=until):
                gone_at = life.stop_at + self._guards.get(life.worker, 0)
                if ending.kind is EndKind.UNKNOWN and max(self.last_at, until) < gone_at:
                    yield f"29 unconfirmed: {name} may run until {gone_at} and holds nothing"
                life.unconfirmed, life.until = (life.open, until) if until else (0, 0)
                life.open, life.started = 0, False
            case _:
                pass

    def _freed(self, name: str, life: Life, number: int, why: Freed) -> Iterator[str]:
        """29: what an unconfirmed attempt holds is freed once, and in silence never too soon."""
        if number != life.unconfirmed:
            yield f"29 unconfirmed: {name}#{number} is freed and {life.unconfirmed} is kept"
        if why is Freed.STOP_TIME and self.last_at < life.until:
            yield f"29 unconfirmed: {name}#{number} is freed before {life.until}"
        life.unconfirmed = 0

    def _granted(self, name: str, life: Life, event: ev.AttemptGranted) -> Iterator[str]:
        """4 and 5: numbers rise by one, and never a second grant beside the first."""
        if event.number != life.numbers + 1:
            yield f"4 numbers: {name} was granted {event.number} after {life.numbers}"
        if life.open:
            yield f"5 exclusive: {name}#{event.number} was granted while {life.open} is out"
        if not self._holds(event.worker):
            self._most[event.worker] = self._offers.get(event.worker, _NONE)
        for other, held in self.tasks.items():
            shared = set(held.spec.holds) & set(life.spec.holds) if held.unconfirmed else ()
            if shared:
                yield f"15 tokens: {name} is granted {shared}, kept for {other}, which may run"
        life.stop_at = event.start_by + event.reservation.reserved_ms
        life.numbers = life.open = event.number
        life.worker, life.spool_id, life.started = event.worker, event.spool_id, False
        life.shared = bool(event.reservation.work)

    def _started(self, name: str, life: Life) -> Iterator[str]:
        """13: what has started on a worker fits into what it offered while it ran."""
        used = _NONE
        for other in self.tasks.values():
            if other.started and other.spool_id == life.spool_id:
                asked = other.spec.uses.vector()
                used = plus(used, without_cpus(asked) if other.shared else asked)
        if not fits(self._most.get(life.worker, _NONE), used):
            yield f"13 capacity: {name} has started on {life.worker}, where {used} is in use"


def _promised(name: str, life: Life, event: ev.TaskReserved | ev.PromiseWithdrawn) -> Iterator[str]:
    """10: later only by a withdrawal, and that says what was promised before."""
    before = life.promise
    if isinstance(event, ev.PromiseWithdrawn):
        if before is not None and event.old != before:
            yield f"10 promise: {name} withdraws {event.old} and was promised {before}"
        life.promise = event.new
        return
    if before is not None and event.promise > before:
        yield f"10 promise: {name} moved from {before} to {event.promise} in silence"
    life.promise = event.promise if before is None else min(before, event.promise)


def _kept(name: str, life: Life, number: int) -> Iterator[str]:
    """A late result is kept once, and only of an attempt that does not count any more."""
    if number in life.kept:
        yield f"27 idempotent: the late result of {name}#{number} was kept twice"
    if number == life.open:
        yield f"3 fence: the result of {name}#{number} was kept aside while it is out"
    life.kept.append(number)


def _ended(name: str, life: Life, outcome: Outcome) -> Iterator[str]:
    """1, 2, 3: once, and for the attempt that was out last."""
    if life.outcome is not None:
        yield f"1 one outcome: {name} has ended twice"
    if life.open:
        yield f"3 fence: {name} has ended while attempt {life.open} is out"
    if outcome.attempt not in (0, life.numbers):
        yield f"3 fence: {name} has the outcome of {outcome.attempt}, {life.numbers} was out last"
    life.outcome = outcome
