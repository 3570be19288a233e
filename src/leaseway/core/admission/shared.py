"""Places on a worker whose cpus are shared: nothing of them is set aside, everybody's end is
projected, and nobody is let in who would make anybody late (`admission.md` §2).

A task of `reserved_ms` may take up to `stretch` times as long; its stop time lies within the
window, the max run time and the plan's own bound, and that is what is promised. What a task has had
so far follows from when attempts started and ended there (`model.spans`), never from measurements.
"""

from __future__ import annotations

from msgspec.structs import replace

from leaseway.core.admission.candidates import TRIED, Answer, Harm, Verdict, answer, harmed
from leaseway.core.admission.gates import drift_of, left_of, reserved_ms, usable_windows
from leaseway.core.admission.projection import ends
from leaseway.core.admission.room import Placed, Room, Wanted
from leaseway.core.admission.work import Milli, Work
from leaseway.core.model.events import Reservation
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms, Window
from leaseway.core.model.spans import Span, served
from leaseway.core.model.touching import Met
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, Task, View

OVER: Instant = 1 << 62
"""The stop time of what has used up all that it was promised: it is owed nothing."""


def share_on(
    room: Room, wanted: Wanted, lease: Lease, ready: Instant, met: tuple[Met, ...]
) -> Placed | Finding:
    """The earliest place at which nobody is made late; else LW306, LW303 or LW302 with numbers."""
    refused: Finding | None = None
    for window in usable_windows(lease.terms, room.now):
        found = _in_window(room, wanted, lease, max(ready, window.opens_at), window)
        if isinstance(found, Placed):
            return replace(found, met=met)
        refused = refused or found
    assert refused is not None, "a window is open or to come: its gate has passed"
    return refused


def _in_window(
    room: Room, wanted: Wanted, lease: Lease, ready: Instant, window: Window
) -> Placed | Finding:
    """The first start at which nobody is late: as soon as all else is free, else behind others, and
    at last when one of them ends, with a stop time of its own."""
    reserved = reserved_ms(wanted.spec)
    assert reserved is not None
    length = reserved + lease.terms.guard.overhead_ms + wanted.receive_ms
    first: Finding | None = None
    for moment, behind in [(ready, ""), *_later(room, lease, ready)]:
        start = room.joint(wanted, lease, moment, length)
        found = _from(room, wanted, lease, start, window)
        if isinstance(found, Placed):
            return replace(found, behind=found.behind or behind)
        first = first or found
    assert first is not None
    return first


def _later(room: Room, lease: Lease, ready: Instant) -> list[tuple[Instant, str]]:
    """When those who share cpus there are projected to end, the first few."""
    works, cpus = works_on(room, lease, ready)
    found = zip(ends(works, cpus, room.now), (work.name for work in works), strict=True)
    return sorted({end: name for end, name in found if end > ready}.items())[:TRIED]


def _from(
    room: Room, wanted: Wanted, lease: Lease, start: Instant, window: Window
) -> Placed | Finding:
    spec, terms, reserved = wanted.spec, lease.terms, reserved_ms(wanted.spec) or 0
    begins_ms = terms.guard.delivery_ms + wanted.receive_ms
    stop = _stop(room, wanted, terms, start + begins_ms, window)
    if stop - start - begins_ms < reserved:
        return _too_late(wanted, lease, start, reserved, stop - start - begins_ms)
    cap = spec.uses.cpus_milli
    works, cpus = works_on(room, lease, stop)
    # It begins at its start at the soonest, and when its grant has come at the latest.
    newcomer = Work(wanted.task, reserved * cap, cap, stop, start, max(1, cap), begins_ms)
    found = answer(works, newcomer, cpus, room.now)
    if found.verdict not in (Verdict.ACCEPT, Verdict.REPLAN):
        return _no(room, wanted, lease, found)
    start, behind = max(start, found.start), found.tried[-1].task
    end = stop + terms.guard.tail_ms
    placed = Reservation(lease.worker, start, end, stop - start - begins_ms, newcomer.left)
    if not room.is_free(lease, wanted, placed.start, placed.end):
        return _too_late(wanted, lease, placed.start, reserved, 0)
    return Placed(placed, behind=behind)


def _stop(room: Room, wanted: Wanted, terms: Terms, begins: Instant, window: Window) -> Instant:
    """The stop time that would be promised to what begins then."""
    guard, reserved = terms.guard, reserved_ms(wanted.spec) or 0
    stops = [begins + reserved * terms.stretch_percent // 100]
    if terms.max_run_ms is not None:
        stops.append(begins + terms.max_run_ms)
    if window.closes_at is not None:
        kept = guard.clock_error_ms + drift_of(guard, left_of(window, room.now))
        stops.append(window.closes_at - kept - guard.tail_ms)
    if wanted.boundaries.by is not None:
        stops.append(wanted.boundaries.by - guard.tail_ms)
    return min(stops)


def works_on(room: Room, lease: Lease, until: Instant) -> tuple[list[Work], Milli]:
    """Everybody who was promised a share there, eldest promise first, and the cpus that they share:
    those that nobody has set aside before `until`."""
    view, now = room.view, room.now
    found: list[tuple[int, Work]] = []
    total = lease.terms.capacity.vector()[0]
    had = served(_spans(view, lease), total, now, lease.cpus_were)
    for name in view.index.sharing.get(lease.worker, ()):
        task = view.facts.tasks[name]
        place = task.reservation
        if place is not None and name not in room.lifted:
            found.append((task.seq, _left(task, place, lease.terms, had, now)))
    for name, (place, wanted) in room.added.items():
        if place.worker == lease.worker and place.work:
            seq = view.facts.tasks[name].seq if name in view.facts.tasks else OVER
            cap = wanted.spec.uses.cpus_milli
            found.append((seq, _waiting(name, place, cap, lease.terms, now)))
    busy = room.worker(lease.worker).most_between(now, until)[0]
    return [work for _, work in sorted(found, key=lambda each: each[0])], max(0, total - busy)


def _left(task: Task, place: Reservation, terms: Terms, had: dict[str, int], now: Instant) -> Work:
    """What is left of a task. One that has used up what it was promised competes until its stop
    time, and is owed nothing; nor is one that was told already that it will be late."""
    attempt, cap = task.attempt, task.spec.uses.cpus_milli
    waiting = _waiting(task.id, place, cap, terms, now)
    if attempt is None or attempt.started_at is None:
        return waiting
    left = place.work - had.get(task.id, 0)
    stop = attempt.stop_at or waiting.due
    if left <= 0:
        return Work(task.id, cap * max(0, stop - now), cap, OVER, 0, max(1, cap))
    return Work(task.id, left, cap, OVER if attempt.contended else stop, 0, max(1, cap))


def _waiting(name: str, place: Reservation, cap: Milli, terms: Terms, now: Instant) -> Work:
    """Of one that has not begun, as far as is known: it may at any moment until its start-by."""
    due = place.end - terms.guard.tail_ms
    late_ms = max(0, due - place.reserved_ms - max(now, place.start))
    return Work(name, place.work, cap, due, place.start, max(1, cap), late_ms)


def _spans(view: View, lease: Lease) -> tuple[Span, ...]:
    """When attempts ran there, with those that may have begun since they were granted, unheard of:
    the others may have had no more than their part beside these."""
    unheard = []
    for name in view.index.sharing.get(lease.worker, ()):
        task = view.facts.tasks[name]
        attempt = task.attempt
        if attempt is not None and attempt.started_at is None:
            cap = task.spec.uses.cpus_milli
            unheard.append(Span(name, attempt.number, cap, attempt.granted_at))
    return (*lease.spans, *unheard)


def shares_cpus(view: View, lease: Lease) -> bool:
    """Whether somebody shares cpus there, or would."""
    return lease.terms.shares or bool(view.index.sharing.get(lease.worker))


def shared_until(view: View, worker: str) -> list[Instant]:
    """The ends of those that share cpus there: who has cpus set aside comes after them."""
    places = (view.facts.tasks[name].reservation for name in view.index.sharing.get(worker, ()))
    return [place.end for place in places if place is not None]


def may_begin(room: Room, lease: Lease, task: Task, place: Reservation) -> Harm | None:
    """Admission at the release (invariant 17): whom this task, begun now, would make late, itself
    included; None: nobody."""
    works, cpus = works_on(room, lease, place.end)
    cap = task.spec.uses.cpus_milli
    mine = _waiting(task.id, place, cap, lease.terms, room.now)
    whole = [replace(mine, release=room.now) if each.name == task.id else each for each in works]
    return harmed(whole, ends(whole, cpus, room.now))


def leaves_enough(room: Room, lease: Lease, wanted: Wanted, until: Instant) -> bool:
    """Whether those who share cpus there would still end in time if this task had its own set aside
    until then: best effort, or a longer stop time."""
    if not room.view.index.sharing.get(lease.worker):
        return True
    works, cpus = works_on(room, lease, until)
    own = room.view.facts.tasks.get(wanted.task)
    if own is None or own.reservation is None:  # else its cpus are missing there already
        cpus = max(0, cpus - wanted.spec.uses.cpus_milli)
    return harmed(works, ends(works, cpus, room.now)) is None


# What is said --------------------------------------------------------------------------------


def _no(room: Room, wanted: Wanted, lease: Lease, found: Answer) -> Finding:
    """LW306 where others would be late, LW303 where only the newcomer would."""
    tail = lease.terms.guard.tail_ms
    proof = found.shortage
    numbers: dict[str, int | str | list[str]] = {}
    if proof is not None:
        numbers |= {
            "by_at": proof.by,
            "demand_ms": -(-proof.demand // 1_000),
            "supply_ms": proof.supply // 1_000,
            "short_ms": -(-(proof.demand - proof.supply) // 1_000),
        }
    harm = next((each.harm for each in found.tried if each.harm), None)
    others = harm is not None and harm.task != wanted.task
    if proof is not None and not others:
        return _said("LW303", "demand", (wanted.spec.name,), lease, numbers)
    if harm is None:
        return _said("LW303", "demand", (wanted.spec.name,), lease, numbers)
    numbers |= {
        "new_at": harm.end + tail,
        "promise_at": harm.end - harm.late_ms + tail,
        "short_ms": harm.late_ms,
    }
    if found.verdict is Verdict.NOT_FOUND:
        numbers["tried"] = [f"{each.way} {each.task}".strip() for each in found.tried if each.harm]
    if not others:
        return _said("LW303", "shared", (wanted.spec.name,), lease, numbers)
    plan = room.view.facts.tasks.get(harm.task)
    if plan is not None:
        numbers["by"] = room.view.facts.plans[plan.plan].principal
    return _said("LW306", "", (wanted.spec.name, harm.task), lease, numbers)


def _too_late(wanted: Wanted, lease: Lease, start: Instant, need: Millis, have: Millis) -> Finding:
    """There is too little time from when all else it needs is free."""
    numbers: dict[str, int | str | list[str]] = {
        "need_ms": need,
        "have_ms": max(0, have),
        "short_ms": need - max(0, have),
        "free_at": start,
        "close_at": start + max(0, have),
    }
    return _said("LW303", "", (wanted.spec.name,), lease, numbers)


def _said(
    code: str,
    variant: str,
    tasks: tuple[str, ...],
    lease: Lease,
    numbers: dict[str, int | str | list[str]],
) -> Finding:
    return Finding(code, tasks, (lease.worker,), numbers, variant)
