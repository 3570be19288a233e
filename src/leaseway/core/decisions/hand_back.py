"""A worker that hands a grant back unstarted gets the task again after a pause, which grows: 1 s
after the first time in a row, twice that after each further one, 60 s at most. Others may take it
at once. One that hands back five grants in a row, each made after the one before it came back, and
starts none is quarantined, as one that never starts what it was granted (`idle`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leaseway.core.model import events as ev
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import MINUTE, SECOND, Instant, Millis
from leaseway.core.model.view import Attempt, Lease, Task, View

_FIRST_MS: Millis = SECOND
_MOST_MS: Millis = MINUTE
_TRUSTED = 5  # grants handed back in a row, none started


def pause_ms(count: int) -> Millis:
    """After so many times in a row, 1 being the first."""
    return min(_MOST_MS, _FIRST_MS << min(count - 1, 10))


def handed_back(task: Task, attempt: Attempt, now: Instant) -> ev.AttemptReturned | None:
    """The event of a hand-back by the worker's own choice; None: somebody had asked for it."""
    if attempt.stop_reason is not None:
        return None
    before = task.handed_back.get(attempt.worker)
    count = 1 if before is None else before.count + 1
    again_at = now + pause_ms(count)
    cause = Finding(
        code="LW729",
        tasks=(task.id,),
        workers=(attempt.worker,),
        numbers={"count": count, "again_at": again_at},
        variant="handed-back",
        severity=Severity.WARNING,
    )
    return ev.AttemptReturned(task.id, attempt.number, cause, again_at)


def distrusted(view: View, lease: Lease, made: Sequence[ev.Event]) -> Iterator[ev.Event]:
    """Quarantine of a worker whose hand-backs in `made` are one too many. Who has something running
    does start what it is granted."""
    back = [event for event in made if isinstance(event, ev.AttemptReturned) and event.again_at]
    started = any(isinstance(event, (ev.AttemptMoved, ev.AttemptEnded)) for event in made)
    if not back or started or lease.state not in (LeaseState.ACTIVE, LeaseState.DRAINING):
        return
    tasks = view.facts.tasks
    held = (tasks[name].attempt for name in view.index.attempts.get(lease.worker, {}))
    if any(attempt is not None and attempt.started_at is not None for attempt in held):
        return
    granted = (tasks[event.task].attempt for event in back)
    fresh = any(each is not None and counts(lease, each.granted_at) for each in granted)
    count = lease.handed_back + fresh
    if count < _TRUSTED:
        return
    cause = Finding(
        code="LW729",
        tasks=(back[-1].task,),
        workers=(lease.worker,),
        numbers={"count": count},
        variant="hands-back",
        severity=Severity.WARNING,
    )
    reason = "hands back what it is granted"
    yield ev.LeaseMoved(lease.worker, LeaseState.QUARANTINED, "leaseway", reason, cause)


def counts(lease: Lease, granted_at: Instant) -> bool:
    """Whether a hand-back says anything new: its grant was made after the last that came back.
    What was granted ahead together is handed back together, for one reason."""
    return not lease.handed_back or granted_at > lease.handed_back_at
