"""Earliest fit: where and when a task's rectangle goes, among what is already promised.

A rectangle is delivery of the grant + reserved time + stop grace + kill; with the clock error kept
free it must end before the window does. Later arrivals are placed around earlier rectangles, so no
promise is moved by them (conservative backfilling, `admission.md` §3).
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from leaseway.core.admission.gates import gates, guard_numbers, reserved_ms, usable_windows
from leaseway.core.admission.refusal import merged
from leaseway.core.model.capacity import Vector
from leaseway.core.model.events import Reservation
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import Boundaries, TaskSpec
from leaseway.core.model.profile import Profile
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, Task, View
from leaseway.core.presence import is_present


class Wanted(Struct, frozen=True):
    """A task to place: not before `ready`; within the requester's boundaries; never on `avoid`."""

    spec: TaskSpec
    ready: Instant
    boundaries: Boundaries = Boundaries()
    avoid: tuple[str, ...] = ()
    plan: str = ""


def wanted(view: View, task: Task, ready: Instant, avoid: tuple[str, ...] = ()) -> Wanted:
    """A task of an accepted plan, to be placed."""
    return Wanted(task.spec, ready, view.facts.plans[task.plan].boundaries, avoid, task.plan)


ONE: Vector = (1,)
"""Of a token there is one, and a task takes one of its plan's lanes."""


class Room:
    """Profiles to try placements on: the view's own, copied only where something is added."""

    def __init__(self, view: View, now: Instant) -> None:
        self.view = view
        self.now = now
        self._tried: dict[tuple[str, str], Profile] = {}
        self._ahead: dict[str, list[Task]] = {}

    def worker(self, name: str) -> Profile:
        """What is set aside on this worker, with what was added here."""
        return self._tried.get(("worker", name)) or self.view.index.profiles.get(name) or Profile()

    def shared(self, wanted: Wanted) -> list[tuple[Profile, Vector]]:
        """What it shares with tasks of any worker, and how much of it there is: every token it
        holds, and the lanes of its plan where that says how many may run at once."""
        index = self.view.index
        found: list[tuple[Profile, Vector]] = []
        for token in wanted.spec.holds:
            kept = self._tried.get(("token", token)) or index.token_profiles.get(token)
            found.append((kept or Profile(1), ONE))
        most = wanted.boundaries.max_parallel
        if most is not None:
            lanes = self._tried.get(("plan", wanted.plan)) or index.lanes.get(wanted.plan)
            found.append((lanes or Profile(1), (most,)))
        return found

    def is_free(self, lease: Lease, wanted: Wanted, start: Instant, end: Instant) -> bool:
        """Whether this task has room on this worker, and of all it shares, through [start, end)."""
        amount, capacity = wanted.spec.uses.vector(), lease.terms.capacity.vector()
        return self.worker(lease.worker).has_room(start, end, amount, capacity) and all(
            profile.has_room(start, end, ONE, most) for profile, most in self.shared(wanted)
        )

    def not_before(self, worker: str, wanted: Wanted) -> Instant:
        """What was granted ahead may start any moment: nothing new is placed in front of it, not
        on its worker, nor where a token of it or a lane of its plan is asked for."""
        held = list(self._granted_ahead(worker))
        for token in wanted.spec.holds:
            holder = self.view.index.tokens.get(token)
            if holder is not None:
                held += self._granted_ahead(_worker_of(self.view.facts.tasks[holder]))
        if wanted.boundaries.max_parallel is not None and wanted.plan in self.view.facts.plans:
            for name in self.view.index.attempts:
                held += [task for task in self._granted_ahead(name) if task.plan == wanted.plan]
        return max((task.reservation.start for task in held if task.reservation), default=0)

    def _granted_ahead(self, worker: str) -> list[Task]:
        if worker not in self._ahead:
            tasks = self.view.facts.tasks
            held = (tasks[name] for name in self.view.index.attempts.get(worker, {}))
            self._ahead[worker] = [task for task in held if _is_granted_ahead(task, self.now)]
        return self._ahead[worker]

    def add(self, wanted: Wanted, rectangle: Reservation) -> None:
        """Set a placement aside, here only."""
        for profile, amount in self._mine(wanted, rectangle.worker):
            profile.add(rectangle.start, rectangle.end, amount)

    def remove(self, wanted: Wanted, rectangle: Reservation) -> None:
        """Take a reservation out, here only."""
        for profile, amount in self._mine(wanted, rectangle.worker):
            profile.remove(rectangle.start, rectangle.end, amount)

    def _mine(self, wanted: Wanted, worker: str) -> list[tuple[Profile, Vector]]:
        """Copies of everything this task takes of, made when first asked for."""
        keys = [("worker", worker), *(("token", token) for token in wanted.spec.holds)]
        if wanted.boundaries.max_parallel is not None:
            keys.append(("plan", wanted.plan))
        kept = [self.worker(worker), *(profile for profile, _ in self.shared(wanted))]
        amounts = [wanted.spec.uses.vector(), *([ONE] * (len(keys) - 1))]
        for key, profile in zip(keys, kept, strict=True):
            if key not in self._tried:
                self._tried[key] = profile.copy()
        return [(self._tried[key], amount) for key, amount in zip(keys, amounts, strict=True)]


def _worker_of(task: Task) -> str:
    return task.attempt.worker if task.attempt else ""


def _is_granted_ahead(task: Task, now: Instant) -> bool:
    unstarted = task.attempt is not None and task.attempt.started_at is None
    return unstarted and task.reservation is not None and task.reservation.start > now


def place(room: Room, wanted: Wanted) -> Reservation | list[Finding]:
    """The rectangle with the earliest end over all workers, or why there is none."""
    best: Reservation | None = None
    refused: list[Finding] = []
    for lease in candidates(room.view, wanted):
        if not is_present(room.view, lease.worker, room.now):
            continue  # nothing is promised on a worker that is gone
        closed = gates(wanted.spec, lease.terms, lease.worker, room.now)
        if closed:
            refused.extend(closed)
            continue
        found = earliest_on(room, wanted, lease)
        if isinstance(found, Finding):
            refused.append(found)
        elif best is None or found.end < best.end:
            best = found
    if best is None:
        return merged(wanted.spec, refused, room.view, room.now)
    by = wanted.boundaries.by
    if by is not None and best.end > by:
        return [_too_late(wanted.spec, best, by)]
    return best


def candidates(view: View, wanted: Wanted) -> Iterable[Lease]:
    """The leases that may be asked at all, those with least set aside first among equals."""
    boundaries = wanted.boundaries
    return sorted(
        (
            lease
            for lease in view.facts.leases.values()
            if lease.state is LeaseState.ACTIVE
            and (not boundaries.workers or lease.worker in boundaries.workers)
            and lease.worker not in boundaries.not_on
            and lease.worker not in wanted.avoid
        ),
        key=lambda lease: (len(view.index.outstanding.get(lease.worker, ())), lease.worker),
    )


def earliest_on(room: Room, wanted: Wanted, lease: Lease) -> Reservation | Finding:
    """The earliest rectangle on this worker, or the finding LW303 with when it would be free."""
    terms, spec = lease.terms, wanted.spec
    reserved = reserved_ms(spec)
    assert reserved is not None, "best effort has no rectangle"
    length = reserved + terms.guard.overhead_ms
    free_at: Instant | None = None
    last_close: Instant | None = None
    for window in usable_windows(terms, room.now):
        start = _joint(room, wanted, lease, max(wanted.ready, room.now, window.opens_at), length)
        if window.closes_at is None or (
            start + length + terms.guard.clock_error_ms <= window.closes_at
        ):
            return Reservation(lease.worker, start, start + length, reserved)
        free_at, last_close = start, window.closes_at
    return _behind(wanted, lease, terms, free_at, last_close)


def _joint(room: Room, wanted: Wanted, lease: Lease, ready: Instant, length: Millis) -> Instant:
    """The first moment at which capacity and everything shared are free together."""
    amount, capacity = wanted.spec.uses.vector(), lease.terms.capacity.vector()
    profile, shared = room.worker(lease.worker), room.shared(wanted)
    moment = max(ready, room.not_before(lease.worker, wanted))
    while True:
        start = profile.earliest(moment, length, amount, capacity)
        assert start is not None, "the capacity gate has passed"
        for other, most in shared:
            start = other.earliest(start, length, ONE, most)
            assert start is not None, "one is asked of one or more"
        if start == moment or not shared:
            return start
        moment = start


def _behind(
    wanted: Wanted,
    lease: Lease,
    terms: Terms,
    free_at: Instant | None,
    close: Instant | None,
) -> Finding:
    reserved = reserved_ms(wanted.spec) or 0
    numbers: dict[str, int | str | list[str]] = {
        "need_ms": reserved,
        "free_at": free_at or 0,
        "close_at": close or 0,
        **guard_numbers(terms.guard),
    }
    if free_at is not None and close is not None:
        have = max(0, close - free_at - terms.guard.total_ms)
        numbers |= {"have_ms": have, "short_ms": reserved - have}
    return Finding(
        code="LW303", tasks=(wanted.spec.name,), workers=(lease.worker,), numbers=numbers
    )


def _too_late(spec: TaskSpec, best: Reservation, by: Instant) -> Finding:
    return Finding(
        code="LW303",
        tasks=(spec.name,),
        workers=(best.worker,),
        variant="by",
        numbers={"promise_at": best.end, "by_at": by, "short_ms": best.end - by},
    )


def any_open(room: Room, wanted: Wanted) -> list[Finding]:
    """Empty if some lease passes this task's gates; else why none does."""
    refused: list[Finding] = []
    for lease in candidates(room.view, wanted):
        closed = gates(wanted.spec, lease.terms, lease.worker, room.now)
        if not closed:
            return []
        refused.extend(closed)
    return merged(wanted.spec, refused, room.view, room.now)
