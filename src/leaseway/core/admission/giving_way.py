"""Best effort gives way: where a promise finds no place around what runs without one, the youngest
of those are stopped, as few as are needed (LW710)."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from leaseway.core.admission.gates import reserved_ms
from leaseway.core.admission.place import place
from leaseway.core.admission.room import Placed, Room, Wanted, wanted
from leaseway.core.model import events as ev
from leaseway.core.model.findings import Finding
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, Task


class Made(Struct, frozen=True):
    """A place, and the events by which others give way to it."""

    placed: Placed
    events: tuple[ev.Event, ...]


def over_best_effort(room: Room, asked: Wanted) -> Made | None:
    """Lift running best effort, youngest first, until there is a place; None: it would not help.
    Each keeps its room until it has been stopped (stop grace + kill)."""
    lifted: list[tuple[Task, ev.Reservation]] = []
    for task in _youngest_first(room):
        short = _until_stopped(room, task)
        _lift(room, task, short)
        lifted.append((task, short))
        found = place(room, asked)
        if not isinstance(found, list):
            return _kept(room, asked, found, lifted)
    for task, short in lifted:
        _put_back(room, task, short)
    return None


def longer_over_best_effort(
    room: Room, lease: Lease, asked: Wanted, span: tuple[Instant, Instant]
) -> tuple[ev.Event, ...] | None:
    """The same for a promised task that will be late: best effort gives way to it on its worker, so
    that `span` is free. None: it would not help. A promise never does, and nothing does for best
    effort."""
    lifted: list[tuple[Task, ev.Reservation]] = []
    for task in _youngest_first(room):
        if task.id == asked.task or task.reservation is None:
            continue
        if task.reservation.worker != lease.worker or task.reservation.end <= span[0]:
            continue
        short = _until_stopped(room, task)
        _lift(room, task, short)
        lifted.append((task, short))
        if room.is_free(lease, asked, *span):
            break
    else:
        for task, short in lifted:
            _put_back(room, task, short)
        return None
    events: list[ev.Event] = []
    for task, short in lifted:
        _put_back(room, task, short)
        if not room.is_free(lease, asked, *span):
            _lift(room, task, short)
            events += _gives_way(room, asked, task, short)
    return tuple(events)


def _gives_way(room: Room, asked: Wanted, task: Task, short: ev.Reservation) -> list[ev.Event]:
    assert task.attempt is not None
    number = task.attempt.number
    room.gave_way.add(task.id)
    cause = Finding(code="LW710", tasks=(task.id, asked.task), workers=(short.worker,))
    return [
        ev.StopTimeMoved(task.id, number, room.now, short, cause),
        ev.StopOrdered(task.id, number, StopReason.GAVE_WAY, asked.task),
    ]


def _kept(
    room: Room, asked: Wanted, found: Placed, lifted: list[tuple[Task, ev.Reservation]]
) -> Made:
    """Only those in the way give way: on the chosen worker, or elsewhere with something that is
    shared. The others are put back."""
    events: list[ev.Event] = []
    for task, short in lifted:
        if short.worker != found.rectangle.worker:
            _put_back(room, task, short)
            again = place(room, asked)
            if not isinstance(again, list) and again.rectangle == found.rectangle:
                continue
            _lift(room, task, short)
        events += _gives_way(room, asked, task, short)
    return Made(found, tuple(events))


def _lift(room: Room, task: Task, short: ev.Reservation) -> None:
    assert task.reservation is not None
    room.remove(wanted(room.view, task, room.now), task.reservation)
    room.add(wanted(room.view, task, room.now), short)


def _put_back(room: Room, task: Task, short: ev.Reservation) -> None:
    assert task.reservation is not None
    room.remove(wanted(room.view, task, room.now), short)
    room.add(wanted(room.view, task, room.now), task.reservation)


def _youngest_first(room: Room) -> list[Task]:
    view = room.view
    running = [view.facts.tasks[name] for names in view.index.attempts.values() for name in names]
    return sorted(
        (
            task
            for task in running
            if reserved_ms(task.spec) is None
            and task.attempt is not None
            and task.attempt.stop_reason is None
            and task.id not in room.gave_way
        ),
        key=lambda task: -task.seq,
    )


def _until_stopped(room: Room, task: Task) -> ev.Reservation:
    own = task.reservation
    assert own is not None
    guard = room.view.facts.leases[own.worker].terms.guard
    end = min(own.end, room.now + guard.tail_ms + guard.delivery_ms)
    return replace(own, end=max(own.start, end))
