"""Room goes away where cpus are shared: who has to go so that the promises of the others hold.

First what has used up all that it was promised: that is its own affair, and is served only while
nobody suffers by it (invariant 19). Then the youngest promise, never an elder for its sake
(invariant 18). Removing one never makes another later, so one after the other is enough.
"""

from __future__ import annotations

from msgspec import structs

from leaseway.core.admission.candidates import harmed
from leaseway.core.admission.projection import ends
from leaseway.core.admission.room import Room
from leaseway.core.admission.shared import OVER, works_on
from leaseway.core.admission.work import Work
from leaseway.core.model import events as ev
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.states import TaskState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, Task, View


def squeezed(view: View, lease: Lease, now: Instant) -> tuple[list[Task], list[ev.Event]]:
    """Waiting tasks that lose their places, youngest first, and what is told to running ones."""
    works, cpus = works_on(Room(view, now), lease, now)
    moved: list[Task] = []
    events: list[ev.Event] = []
    while (harm := harmed(works, found := ends(works, cpus, now))) is not None:
        goes = _goes(works, harm.task)
        task = view.facts.tasks[goes.name]
        if task.state is TaskState.WAITING:
            moved.append(task)
        else:
            end = found[works.index(goes)]
            evicted = StopReason.WINDOW if goes.name != harm.task else None
            events += _told(lease, task, now, end, evicted)
        works = [each for each in works if each is not goes]
    return moved, events


def overrunning(view: View, lease: Lease, now: Instant) -> list[ev.Event]:
    """Stops for those past all that they were promised, as many as others suffer by."""
    works, cpus = works_on(Room(view, now), lease, now)
    over = [each for each in works if each.due == OVER]
    events: list[ev.Event] = []
    while over and harmed(works, found := ends(works, cpus, now)) is not None:
        goes = over.pop()
        task, end = view.facts.tasks[goes.name], found[works.index(goes)]
        late = task.attempt is not None and task.attempt.contended
        why = StopReason.WINDOW if late else StopReason.RESERVED
        events += _told(lease, task, now, end, why)
        works = [each for each in works if each is not goes]
    return events


def _goes(works: list[Work], late: str) -> Work:
    """Whom it costs: who is past its own, else the youngest that is no elder of the late one."""
    over = [each for each in works if each.due == OVER]
    return over[-1] if over else works[-1]


def _told(
    lease: Lease, task: Task, now: Instant, end: Instant, evicted: StopReason | None
) -> list[ev.Event]:
    """LW602: it gets less than it was promised, and would end then. `evicted`: it has to end now,
    for this reason; None: it runs on to its stop time and harms nobody by that."""
    attempt, rectangle = task.attempt, task.reservation
    if attempt is None or rectangle is None or attempt.stop_reason is not None:
        return []
    if evicted is None and attempt.contended:
        return []
    guard, old = lease.terms.guard, attempt.stop_at or rectangle.end
    stop_at = old if evicted is None else min(old, now)
    cause = Finding(
        code="LW602",
        tasks=(task.id,),
        workers=(lease.worker,),
        numbers={"new_at": end, "old_at": old},
        variant="contention",
        severity=Severity.WARNING,
    )
    over_at = min(rectangle.end, stop_at + guard.tail_ms + guard.delivery_ms)
    shorter = structs.replace(rectangle, end=max(rectangle.start, over_at))
    moved = ev.StopTimeMoved(task.id, attempt.number, stop_at, shorter, cause)
    if evicted is None:
        return [moved]
    return [moved, ev.StopOrdered(task.id, attempt.number, evicted, "leaseway")]
