"""Release: which ready task of a worker is granted next.

Two kinds of grant. *Now*: its rectangle, moved to now, is free, and so is the capacity; it starts
at once. *Ahead*: it is the next in the worker's order of rectangles and everything before it is
already held there, so the worker may start it by itself as capacity frees. The worker's queue never
overtakes, and with no overtaking an earlier end can only make later starts earlier, so promises
hold (the anomalies of `admission.md` §2.4 need precedence; predecessors here have all ended).
"""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.admission.gates import closes_at, drift_of
from leaseway.core.admission.room import ONE, Room, wanted
from leaseway.core.admission.shared import may_begin, shares_cpus
from leaseway.core.model.capacity import Vector, fits, minus
from leaseway.core.model.events import AttemptGranted, Reservation, set_aside
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, Task, View
from leaseway.core.workspaces import receive_ms

_LOOKED_AT = 50  # ready tasks looked at behind a head that cannot start
_NONE = (0, 0, 0, 0, 0, 0)
_LONG_AHEAD = 2  # long tasks are granted this many ahead: each can still be placed elsewhere


def next_grant(
    view: View,
    lease: Lease,
    now: Instant,
    *,
    task: Task | None = None,
    rectangle: Reservation | None = None,
) -> AttemptGranted | None:
    """The next grant for this worker, or the given best-effort one; None: nothing may start."""
    if task is not None and rectangle is not None:
        if now >= task.give_up_at or not _plan_allows(view, task):
            return None
        if not fits(_free(view, lease), task.spec.uses.vector()):
            return None
        return _granted(view, lease, task, now, rectangle)
    ahead = _next_ahead(view, lease, now)
    free = _free(view, lease)
    for _, _, name in view.index.ready[lease.worker][:_LOOKED_AT]:
        candidate = view.facts.tasks[name]
        if (
            now >= candidate.give_up_at
            or now < candidate.again_at(lease.worker)
            or not _plan_allows(view, candidate)
            or any(token in view.index.tokens for token in candidate.spec.holds)
        ):
            continue
        own = candidate.reservation
        if own is not None and fits(free, set_aside(candidate.spec.uses, own)):
            moved = _now(view, lease, candidate, now)
            if moved is not None:
                return _granted(view, lease, candidate, now, moved)
        if name == ahead:
            return _granted(view, lease, candidate, now, None)
    return None


def _plan_allows(view: View, task: Task) -> bool:
    most = view.facts.plans[task.plan].boundaries.max_parallel
    return most is None or view.index.active_of_plan.get(task.plan, 0) < most


def _free(view: View, lease: Lease) -> Vector:
    """Capacity that neither granted nor running attempts take."""
    return minus(lease.terms.capacity.vector(), view.index.used.get(lease.worker, _NONE))


def _now(view: View, lease: Lease, task: Task, now: Instant) -> Reservation | None:
    """The task's rectangle moved to now, if it is free there (its own counted as free). Never
    later than it lies: from its start on it is taken as it is, while the grant can still arrive;
    what has passed that is placed anew, and a promise that it breaks is withdrawn."""
    own = task.reservation
    assert own is not None
    if own.work:
        return _shared(view, lease, task, own, now)
    if own.start <= now:
        return own if now <= own.start + lease.terms.guard.delivery_ms else None
    end = now + own.hold_ms
    close = closes_at(lease.terms, now)
    guard = lease.terms.guard
    if close is not None and end + guard.clock_error_ms + drift_of(guard, close - now) > close:
        return None
    room, asked = Room(view, now), wanted(view, task, now)
    for start, until in ((now, min(end, own.start)), (max(now, own.end), end)):
        if not room.is_free(lease, asked, start, until):
            return None
    return Reservation(lease.worker, now, end, own.reserved_ms)


def _shared(
    view: View, lease: Lease, task: Task, own: Reservation, now: Instant
) -> Reservation | None:
    """The place of a task that shares cpus, from now on: it is admitted anew, for whoever ends
    early releases others early, and that may make a third one late (`admission.md` §2.4)."""
    if own.start <= now:
        place = own if now <= own.start + lease.terms.guard.delivery_ms else None
    else:
        room, asked = Room(view, now), wanted(view, task, now)
        earlier = replace(own, start=now, reserved_ms=own.reserved_ms + own.start - now)
        place = earlier if room.is_free(lease, asked, now, own.start) else None
    if place is None or may_begin(Room(view, now), lease, task, place) is not None:
        return None
    return place


def _next_ahead(view: View, lease: Lease, now: Instant) -> str | None:
    """The task that may be granted ahead: the first in this worker's order that is not held there,
    if everything before it is, the queue there is not long enough already, and nobody was promised
    what it shares (tokens, lanes of its plan) before its own time."""
    if shares_cpus(view, lease):
        return None  # each is admitted anew when it begins
    index = view.index
    held = {
        **index.attempts.get(lease.worker, {}),
        **index.unconfirmed.get(lease.worker, {}),
    }
    order = index.outstanding[lease.worker]
    if len(held) >= len(order):
        return None
    name: str = order[len(held)][2]
    if not all(before in held for _, _, before in order[: len(held)]):
        return None
    own = view.facts.tasks[name].reservation
    assert own is not None
    if now > own.start + lease.terms.guard.delivery_ms:
        return None  # dead on arrival: it is placed anew
    close = closes_at(lease.terms, now)
    if close is not None and own.start >= close:
        return None  # it lies in a later window: the worker would start it in this one
    if own.start >= view.facts.tasks[name].give_up_at:
        return None  # given up before it could start
    short = own.reserved_ms <= view.settings.ahead_of_ms
    most = view.settings.grants_ahead if short else _LONG_AHEAD
    queued = sum(1 for each in held if _unstarted(view.facts.tasks[each]))
    if queued >= most:
        return None
    shared = Room(view, now).shared(wanted(view, view.facts.tasks[name], now))
    free = all(profile.has_room(now, own.start, ONE, some) for profile, some in shared)
    return name if free else None


def _unstarted(task: Task) -> bool:
    return task.attempt is not None and task.attempt.phase is Phase.GRANTED


def _granted(
    view: View, lease: Lease, task: Task, now: Instant, moved: Reservation | None
) -> AttemptGranted:
    rectangle = moved or task.reservation
    assert rectangle is not None
    heard = view.presence.heard.get(lease.worker)
    plan = view.facts.plans[task.plan]
    return AttemptGranted(
        task=task.id,
        number=task.numbers + 1,
        worker=lease.worker,
        incarnation=lease.incarnation,
        reservation=rectangle,
        start_by=rectangle.start + lease.terms.guard.delivery_ms + receive_ms(plan.workspace),
        order=rectangle.start,
        spool_id=lease.spool_id,
        seq=heard.seq if heard else 0,
        ahead=moved is None,
    )
