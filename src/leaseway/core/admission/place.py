"""Earliest fit: where and when a task's rectangle goes, among what is already promised.

A rectangle is delivery of the grant + reserved time + stop grace + kill; with the clock error kept
free it must end before the window does. Later arrivals are placed around earlier rectangles, so no
promise is moved by them (conservative backfilling, `admission.md` §3).
"""

from __future__ import annotations

from collections.abc import Iterable

from leaseway.core.admission.asker import over_share
from leaseway.core.admission.caution import cautious, named
from leaseway.core.admission.gates import (
    drift_of,
    gates,
    guard_numbers,
    left_of,
    reserved_ms,
    usable_windows,
)
from leaseway.core.admission.refusal import merged
from leaseway.core.admission.room import Placed, Room, Wanted
from leaseway.core.admission.shared import share_on, shared_until
from leaseway.core.model.events import Reservation
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Scope, Window
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease
from leaseway.core.presence import is_leaving, is_present

_ANY = Scope()
_NAMED = 3  # of those that stand before a newcomer


def place(room: Room, wanted: Wanted) -> Placed | list[Finding]:
    """The rectangle with the earliest end over all workers, or why there is none."""
    best: Placed | None = None
    closed: list[Lease] = []
    soonest = _soonest_end(room, wanted)
    for lease in candidates(room, wanted):
        if not _is_there(room, lease.worker):
            continue
        found = _known(room, wanted, lease)
        if found is None:
            closed.append(lease)
        elif best is None or found.rectangle.end < best.rectangle.end:
            best = found
            if best.rectangle.end <= soonest:
                break  # nowhere would it end before
    if best is None:
        refused = [one for lease in closed for one in _refusals(room, wanted, lease)]
        return merged(wanted.spec, refused, room.view, room.now)
    by = wanted.boundaries.by
    if by is not None and best.rectangle.end > by:
        return [_too_late(wanted.spec, best.rectangle, by)]
    return best


def _soonest_end(room: Room, wanted: Wanted) -> Instant:
    """It ends no sooner than this anywhere."""
    leases = room.view.facts.leases.values()
    least = min((lease.terms.guard.overhead_ms for lease in leases), default=0)
    own = reserved_ms(wanted.spec) or 0
    return max(room.now, wanted.ready) + own + least + wanted.receive_ms


def _known(room: Room, wanted: Wanted, lease: Lease) -> Placed | None:
    """Its place on this worker; None: it has none. A task like one that was asked for before is
    answered the same while nothing was added there."""
    key = _likeness(room, wanted, lease)
    if key is None:
        found = _on(room, wanted, lease)
        return found if isinstance(found, Placed) else None
    count, known = room.answers.get(key, (-1, None))
    if count != room.changes(lease.worker):
        found = _on(room, wanted, lease)
        known = found if isinstance(found, Placed) else None
        room.answers[key] = (room.changes(lease.worker), known)
    return known


def _likeness(room: Room, wanted: Wanted, lease: Lease) -> tuple[object, ...] | None:
    """What an answer rests on beside the room; None: on too much to be remembered."""
    spec, bounds = wanted.spec, wanted.boundaries
    task = room.view.facts.tasks.get(wanted.task)
    if wanted.accesses or spec.holds or bounds.max_parallel is not None or bounds.by is not None:
        return None
    if task is not None and task.handed_back:
        return None
    scope = (spec.run, spec.reads, spec.writes) if lease.terms.scope != _ANY else ()
    times = (reserved_ms(spec), wanted.ready, wanted.receive_ms)
    return lease.worker, wanted.role, times, spec.uses, spec.on, scope


def _on(room: Room, wanted: Wanted, declared: Lease) -> Placed | list[Finding]:
    """Its place on this worker, or why it has none there."""
    lease = cautious(room.view, declared, room.now)
    closed = gates(wanted.spec, lease.terms, lease.worker, room.now, receive_ms=wanted.receive_ms)
    share = over_share(room, lease, wanted.role, wanted.spec)
    closed = [*closed, share] if share is not None else closed
    if closed:
        return closed
    found = earliest_on(room, wanted, lease)
    return [found] if isinstance(found, Finding) else found


def _refusals(room: Room, wanted: Wanted, lease: Lease) -> list[Finding]:
    found = _on(room, wanted, lease)
    assert not isinstance(found, Placed), "it had no place there a moment ago"
    return list(named(found, room.view, lease, room.now))


def candidates(room: Room, wanted: Wanted) -> Iterable[Lease]:
    """The leases that may be asked at all, those with least set aside first among equals. What is
    set aside in the pool does not change while one room is tried."""
    if room.leases is None:
        outstanding = room.view.index.outstanding
        active = (each for each in room.view.facts.leases.values() if _is_active(each))
        room.leases = sorted(
            active, key=lambda lease: (len(outstanding.get(lease.worker, ())), lease.worker)
        )
    boundaries = wanted.boundaries
    if not (boundaries.workers or boundaries.not_on or wanted.avoid):
        return room.leases
    return [
        lease
        for lease in room.leases
        if (not boundaries.workers or lease.worker in boundaries.workers)
        and lease.worker not in boundaries.not_on
        and lease.worker not in wanted.avoid
    ]


def _is_active(lease: Lease) -> bool:
    return lease.state is LeaseState.ACTIVE


def _is_there(room: Room, worker: str) -> bool:
    """Nothing is promised on a worker that is gone, or about to."""
    known = room.there.get(worker)
    if known is None:
        view = room.view
        known = not is_leaving(view, worker) and is_present(view, worker, room.now)
        room.there[worker] = known
    return known


def earliest_on(room: Room, wanted: Wanted, lease: Lease) -> Placed | Finding:
    """The earliest rectangle on this worker, or the finding LW303 with when it would be free."""
    terms, spec = lease.terms, wanted.spec
    reserved = reserved_ms(spec)
    assert reserved is not None, "best effort has no rectangle"
    length = reserved + terms.guard.overhead_ms + wanted.receive_ms
    met = tuple(room.met(wanted, lease.worker))
    known = room.view.facts.tasks.get(wanted.task)
    again = 0 if known is None else known.again_at(lease.worker)
    ready = max([room.now, wanted.ready, again, *(room.end_of(each) for each in met)])
    if terms.shares:
        return share_on(room, wanted, lease, ready, met)
    ready = max([ready, *shared_until(room.view, lease.worker)])
    free_at: Instant | None = None
    last: Window | None = None
    for window in usable_windows(terms, room.now):
        start = room.joint(wanted, lease, max(ready, window.opens_at), length)
        after = terms.guard.clock_error_ms + drift_of(terms.guard, left_of(window, room.now))
        if window.closes_at is None or start + length + after <= window.closes_at:
            return Placed(Reservation(lease.worker, start, start + length, reserved), met)
        free_at, last = start, window
    return _behind(room, wanted, lease, free_at, last)


def _before(room: Room, worker: str, free_at: Instant | None) -> list[str]:
    """The last of those that are promised this room first."""
    tasks = room.view.facts.tasks
    order = [tasks[name] for _, _, name in room.view.index.outstanding.get(worker, ())]
    ends = [
        (task.reservation.end, task.id)
        for task in order
        if task.reservation is not None and (free_at is None or task.reservation.end <= free_at)
    ]
    return [name for _, name in sorted(ends)[-_NAMED:]]


def _behind(
    room: Room, wanted: Wanted, lease: Lease, free_at: Instant | None, window: Window | None
) -> Finding:
    """LW303: from when the last window has room, which is too late for its end."""
    guard, reserved = lease.terms.guard, reserved_ms(wanted.spec) or 0
    close = None if window is None else window.closes_at
    drift = 0 if window is None else drift_of(guard, left_of(window, room.now))
    before = _before(room, lease.worker, free_at)
    numbers: dict[str, int | str | list[str]] = {
        "need_ms": reserved,
        "free_at": free_at or 0,
        "close_at": close or 0,
        **guard_numbers(guard, drift),
    }
    if before:
        numbers["before"] = before
    if free_at is not None and close is not None:
        have = max(0, close - free_at - guard.total_ms - drift - wanted.receive_ms)
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
    for lease in candidates(room, wanted):
        closed = gates(
            wanted.spec, lease.terms, lease.worker, room.now, receive_ms=wanted.receive_ms
        )
        if not closed:
            return []
        refused.extend(closed)
    return merged(wanted.spec, refused, room.view, room.now)
