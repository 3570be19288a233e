"""What each attempt on a worker whose cpus are shared has had: when they ran, beside how many cpus.

A worker's daemon that starts again, an owner who offers more cpus, a mode that changes while tasks
run and a machine that sleeps must not make it look as if anybody had had more than it had.
"""

from __future__ import annotations

from leaseway.core.model.lease import Terms
from leaseway.core.model.spans import Span, ended, started
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Attempt, Lease, Task, View


def begins(lease: Lease, task: Task, attempt: Attempt) -> None:
    """Since when it takes its part of cpus that are shared."""
    if not (lease.terms.shares or lease.spans) or attempt.started_at is None:
        return
    span = Span(task.id, attempt.number, task.spec.uses.cpus_milli, attempt.started_at)
    lease.spans = started(lease.spans, span)


def is_over(lease: Lease, task: Task, attempt: Attempt, at: Instant) -> None:
    """It takes no part any more."""
    lease.spans = ended(lease.spans, task.id, attempt.number, at)
    first = min((span.start for span in lease.spans), default=None)
    kept = () if first is None else lease.cpus_were
    lease.cpus_were = tuple(were for were in kept if first is None or were[0] > first)


def becomes(view: View, lease: Lease, before: Terms, at: Instant) -> None:
    """Its terms are other ones now."""
    old, new = before.capacity.vector()[0], lease.terms.capacity.vector()[0]
    if old != new and (before.shares or lease.spans):
        lease.cpus_were = (*lease.cpus_were, (at, old))
    if lease.terms.shares and not before.shares:
        for name in view.index.attempts.get(lease.worker, ()):
            task = view.facts.tasks[name]
            if task.attempt is not None:
                begins(lease, task, task.attempt)


def sleeps(lease: Lease, slept_ms: Millis, at: Instant) -> None:
    """Nobody had anything for so long before now."""
    if not lease.spans:
        return
    known = lease.cpus_were[-1][0] if lease.cpus_were else 0
    total = lease.terms.capacity.vector()[0]
    lease.cpus_were = (*lease.cpus_were, (max(known, at - slept_ms), total), (at, 0))
