"""By when a task will have an outcome. Every task that has none yet has such a time."""

from __future__ import annotations

from leaseway.core.decisions.extend import last_stop, may_grow
from leaseway.core.model.lease import Guard
from leaseway.core.model.plan import Repeat
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Attempt, Task, View


def is_open_ended(view: View, task: Task) -> bool:
    """Whether nothing of its own bounds how long it runs: without a limit it goes on while nobody
    who was promised the room needs it."""
    attempt = task.attempt
    if task.outcome is not None or task.spec.limit_ms is not None:
        return False
    if attempt is None or attempt.stop_at is None or attempt.started_at is None:
        return True
    lease = view.facts.leases.get(attempt.worker)
    return lease is not None and attempt.stop_reason is None and attempt.cause is None


def outcome_by(view: View, task: Task) -> Instant:
    """The moment by which there will be an outcome, whatever happens. Where nothing bounds how
    long it runs (`is_open_ended`): by which it will have started or ended; once it runs, by which
    it will have an outcome if it is not let run on."""
    attempt = task.attempt
    if attempt is None:
        return _if_granted_last(view, task)
    by = _of_attempt(view, task, attempt)
    again = task.spec.repeat is not Repeat.NEVER and task.numbers < view.settings.attempts_most
    if again or attempt.started_at is None:
        by = max(by, _if_granted_last(view, task))
    return by


def _if_granted_last(view: View, task: Task) -> Instant:
    """Nothing is granted from its give-up time on: at worst it is granted just before."""
    give_up = task.give_up_at + view.settings.gap_ms
    if task.spec.limit_ms is None:
        return give_up
    guards = [lease.terms.guard for lease in view.facts.leases.values()] or [Guard()]
    guard = max(guards, key=lambda each: each.total_ms)
    return (
        give_up + guard.delivery_ms + task.spec.limit_ms + _heard(view, guard, task.spec.limit_ms)
    )


def _of_attempt(view: View, task: Task, attempt: Attempt) -> Instant:
    lease = view.facts.leases[attempt.worker]
    guard = lease.terms.guard
    if attempt.started_at is None:
        stop = attempt.start_by + (task.spec.limit_ms or attempt.reserved_ms)
    else:
        stop = attempt.stop_at or attempt.start_by
        last = last_stop(task, lease, view.facts.last_at)
        if last is not None and may_grow(task, lease, view.facts.last_at):
            stop = max(stop, last)
    stop = max(stop, attempt.until)
    return stop + view.settings.gap_ms + _heard(view, guard, stop - attempt.granted_at)


def _heard(view: View, guard: Guard, length: Millis) -> Millis:
    """From a stop time until the end is told, or the worker's silence means something."""
    drift = max(0, length) * view.settings.drift_ppm // 1_000_000
    return guard.total_ms + drift + view.settings.patience_ms
