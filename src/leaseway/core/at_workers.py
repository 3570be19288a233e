"""What stands between a waiting task and each worker now: every reason, and asked, free, total.

The comparisons are those that decide: the gates, the share and the placement of admission, and
what a grant asks for. A worker without a reason would be given the task at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from leaseway.core.admission.asker import over_share
from leaseway.core.admission.caution import cautious
from leaseway.core.admission.gates import (
    closes_at,
    drift_of,
    gates,
    is_open,
    reserved_ms,
    usable_windows,
)
from leaseway.core.admission.place import earliest_on
from leaseway.core.admission.room import Room, Wanted, wanted
from leaseway.core.conflicts import descendants
from leaseway.core.decisions.advance import chunk_ms
from leaseway.core.model.capacity import RESOURCES, UNLIMITED
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import EdgeKind
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, Task, View
from leaseway.core.outlived import keeps_room
from leaseway.core.presence import takes_work
from leaseway.core.short_of import Stretch, short_later, short_now, short_shared

Numbers = dict[str, int | str | list[str]]
_OF_TIME = ("LW302", "LW309")


class Amount(Struct, frozen=True):
    """One resource of a worker now, in the unit of its name; None: unlimited."""

    resource: str
    asked: int
    free: int | None
    total: int | None


class AtWorker(Struct, frozen=True):
    """One worker: what stands against the task there, and what it asks and finds.

    `asked_ms`: reserved time and guard, which must lie in one window. `left_ms`: of the window that
    is open now; 0: none is open; None: it has no end. `chosen`: where the task has its place."""

    worker: str
    reasons: tuple[Finding, ...]
    amounts: tuple[Amount, ...]
    asked_ms: Millis
    left_ms: Millis | None
    chosen: bool = False


def at_workers(view: View, task: Task, now: Instant) -> list[AtWorker]:
    """Every worker that there is, in the order in which they joined."""
    looking = _Looking(view, task, now)
    return [looking.at(lease) for lease in view.facts.leases.values()]


def is_ready(view: View, task: Task) -> bool:
    """Whether every predecessor has ended."""
    return not any(_is_open(view, edge.before) for edge in task.edges)


def _is_open(view: View, name: str) -> bool:
    before = view.facts.tasks.get(name)
    return before is not None and not before.over


class _Looking:
    """One waiting task, held against one worker after the other."""

    def __init__(self, view: View, task: Task, now: Instant) -> None:
        self.view, self.task, self.now = view, task, now
        self.room = Room(view, now)
        skip = frozenset({task.id, *descendants(view, task.id)})
        self.asked: Wanted = wanted(view, task, now, skip=skip)
        self.bounded = reserved_ms(task.spec) is not None
        self.own = task.reservation
        self.receive_ms = self.asked.receive_ms

    def at(self, lease: Lease) -> AtWorker:
        """Everything about one worker."""
        close = closes_at(lease.terms, self.now)
        left = None if close is None else close - self.now
        return AtWorker(
            worker=lease.worker,
            reasons=tuple(self._reasons(lease)),
            amounts=tuple(self._amounts(lease)),
            asked_ms=self._length(lease) + self._after(lease),
            left_ms=left if is_open(lease.terms, self.now) else 0,
            chosen=self._is_chosen(lease),
        )

    def _is_chosen(self, lease: Lease) -> bool:
        return self.own is not None and self.own.worker == lease.worker

    def _is_due(self, lease: Lease) -> bool:
        """Its place here has begun: it is taken as it lies."""
        return self.own is not None and self._is_chosen(lease) and self.own.start <= self.now

    def _chunk(self, lease: Lease) -> Millis:
        """For how long best effort is taken on here; nothing or less: not now."""
        return chunk_ms(self.task, lease, self.now, self.receive_ms)

    def _after(self, lease: Lease) -> Millis:
        """What is kept free between its room and the end of the window that is open now."""
        close, guard = closes_at(lease.terms, self.now), lease.terms.guard
        return guard.clock_error_ms + drift_of(guard, None if close is None else close - self.now)

    def _length(self, lease: Lease) -> Millis:
        """What would be set aside here if it started now."""
        if self.own is not None and self._is_chosen(lease):
            return self.own.hold_ms
        need = reserved_ms(self.task.spec)
        if need is None:
            need = max(0, self._chunk(lease))
        return need + lease.terms.guard.overhead_ms + self.receive_ms

    def _reasons(self, lease: Lease) -> Iterator[Finding]:
        yield from self._willing(lease)
        back = self.task.handed_back.get(lease.worker)
        if back is not None and self.now < back.again_at:
            told: Numbers = {"count": back.count, "again_at": back.again_at}
            yield self._note("LW729", lease, told, "handed-back")
        closed = gates(
            self.task.spec, lease.terms, lease.worker, self.now, receive_ms=self.receive_ms
        )
        if self._is_due(lease):
            closed = [gate for gate in closed if gate.code not in _OF_TIME]
        yield from closed
        yield from self._open_now(lease, closed)
        yield from self._conflicts(lease)
        short = list(short_now(self.view, self.task, lease))
        yield from short
        if short:
            yield from keeps_room(self.view, self.task, lease.worker)
        if self._is_due(lease):
            yield from self._passed(lease)
            return
        if is_open(lease.terms, self.now):
            yield from self._promised(lease)
        if self.bounded and not self._is_chosen(lease):
            yield from self._placing(lease, closed)

    def _note(self, code: str, lease: Lease, numbers: Numbers, variant: str = "") -> Finding:
        return Finding(
            code=code,
            tasks=(self.task.id,),
            workers=(lease.worker,),
            numbers=numbers,
            variant=variant,
            severity=Severity.NOTE,
        )

    def _willing(self, lease: Lease) -> Iterator[Finding]:
        """Whether anything is granted to this worker now, and whether the plan asks for it."""
        view, worker = self.view, lease.worker
        if lease.state is not LeaseState.ACTIVE:
            said: Numbers = {"state": lease.state.value}
            yield self._note(
                "LW731", lease, said | ({"reason": lease.reason} if lease.reason else {})
            )
        if not takes_work(view, worker, self.now):
            heard = view.presence.heard.get(worker)
            yield self._note("LW724", lease, {"heard_at": heard.at} if heard else {})
        if not lease.ledger_accepted:
            old = view.facts.old_ledger_ids
            numbers: Numbers = {"old": old[-1] if old else "", "new": view.facts.ledger_id}
            yield self._note("LW805", lease, numbers)
        boundaries = self.asked.boundaries
        if boundaries.workers and worker not in boundaries.workers:
            yield self._note("LW734", lease, {"allowed": list(boundaries.workers)})
        if worker in boundaries.not_on:
            yield self._note("LW734", lease, {}, "not-on")

    def _open_now(self, lease: Lease, closed: list[Finding]) -> Iterator[Finding]:
        """Whether a window is open now, and for long enough. Where no window is (LW302, LW309),
        that is told already."""
        terms, now = lease.terms, self.now
        if not is_open(terms, now):
            windows = usable_windows(terms, now)
            opens: Numbers = {"opens_at": windows[0].opens_at} if windows else {}
            yield self._note("LW725", lease, opens)
            return
        close = closes_at(terms, now)
        if close is None or self._is_due(lease) or any(gate.code in _OF_TIME for gate in closed):
            return
        spare = close - now - self._length(lease) - self._after(lease)
        if not self.bounded:
            spare = self._chunk(lease) - 1  # as long as it may, but not for no time
        if spare >= 0:
            return
        later = [window.opens_at for window in usable_windows(terms, now) if window.opens_at > now]
        need = reserved_ms(self.task.spec) or 0
        numbers: Numbers = {
            "left_ms": close - now,
            "guard_ms": terms.guard.total_ms + drift_of(terms.guard, close - now),
            "short_ms": -spare,
        }
        numbers |= {"need_ms": need} if need else {}
        numbers |= {"receive_ms": self.receive_ms} if self.receive_ms else {}
        numbers |= {"opens_at": min(later)} if later else {}
        yield self._note("LW725", lease, numbers, "short")

    def _conflicts(self, lease: Lease) -> Iterator[Finding]:
        """Tasks of other plans that touch the same on this machine, and end first."""
        if self._is_chosen(lease):
            open_edges = [edge for edge in self.task.edges if edge.kind is EdgeKind.CONFLICT]
            met = [(edge.before, edge.over) for edge in open_edges]
        else:
            met = [(each.task, each.over) for each in self.room.met(self.asked, lease.worker)]
        for name, over in met:
            if not _is_open(self.view, name):
                continue
            state = self.view.facts.tasks[name].state
            if state is TaskState.ENDED and self._is_chosen(lease):
                continue  # ended, and may still run: told of the task (LW721/unconfirmed)
            numbers: Numbers = {"state": state.value, "over": over}
            told = self._note("LW721", lease, numbers, "conflict")
            yield Finding(
                told.code, (self.task.id, name), told.workers, numbers, told.variant, told.severity
            )

    def _passed(self, lease: Lease) -> Iterator[Finding]:
        """Its place has passed and a grant could not arrive in time: it is placed anew."""
        assert self.own is not None
        if self.now > self.own.start + lease.terms.guard.delivery_ms:
            yield self._note("LW727", lease, {"start_at": self.own.start}, "passed")

    def _promised(self, lease: Lease) -> Iterator[Finding]:
        """Free now, but not for as long as it takes: somebody was promised it before."""
        if not self.bounded and self._chunk(lease) <= 0:
            return
        end = self.now + self._length(lease)
        whole = Stretch(((self.now, end),))
        around = whole
        if self.own is not None:
            own = self.own
            around = Stretch(((self.now, min(end, own.start)), (max(self.now, own.end), end)))
        here = around if self._is_chosen(lease) else whole
        yield from short_later(self.view, self.task, lease, here)
        yield from short_shared(self.view, self.task, lease, around, self.room, self.asked)

    def _placing(self, lease: Lease, closed: list[Finding]) -> Iterator[Finding]:
        """What placing it here anew would have to say."""
        share = over_share(self.room, lease, self.asked.role, self.task.spec)
        if share is not None:
            yield share
        after = self.room.not_before(lease.worker, self.asked)
        if after > self.now:
            yield self._note("LW723", lease, {"start_at": after}, "ahead")
        if self.own is None and not closed and share is None and is_ready(self.view, self.task):
            careful = cautious(self.view, lease, self.now)
            found = earliest_on(self.room, self.asked, careful)
            if isinstance(found, Finding):
                yield found

    def _amounts(self, lease: Lease) -> Iterator[Amount]:
        nothing = (0,) * len(RESOURCES)
        used = self.view.index.used.get(lease.worker, nothing)
        offered = lease.terms.capacity.vector()
        for name, asked, taken, total in zip(
            RESOURCES, self.task.spec.uses.vector(), used, offered, strict=True
        ):
            if total >= UNLIMITED:
                yield Amount(name, asked, None, None)
            else:
                yield Amount(name, asked, max(0, total - taken), total)
