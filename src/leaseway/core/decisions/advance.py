"""Advance: do what has become due. One round: skips first, then placements, then at most one grant
per worker; the door repeats it until a round has nothing to do, so that each grant sees the last.
"""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.admission.gates import closes_at, drift_of, gates, is_open, reserved_ms
from leaseway.core.admission.room import Room, wanted
from leaseway.core.admission.shared import leaves_enough
from leaseway.core.conflicts import descendants
from leaseway.core.decisions.decision import Accepted, Decision
from leaseway.core.decisions.release import next_grant
from leaseway.core.decisions.replace import Replacing
from leaseway.core.model import events as ev
from leaseway.core.model.commands import Advance
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Outcome, OutcomeKind
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import MINUTE, Instant, Millis
from leaseway.core.model.view import Lease, Task, View
from leaseway.core.presence import takes_work

BEST_EFFORT_CHUNK: Millis = MINUTE
"""How much a task without a bound takes at a time; extended while nobody promised needs it."""

_LOOKED_AT = 64  # unplaced tasks looked at in one round


def advance(view: View, command: Advance, now: Instant) -> Decision:
    """One round of what is due; followed by another if it did anything."""
    events = list(_skips(view, now))
    if not events:
        events = list(placements(view, now))
    if not events:
        events = list(_grants(view, now))
    return Accepted(tuple(events), then=(command,) if events else ())


def _skips(view: View, now: Instant) -> Iterator[ev.Event]:
    """Followers of what ended badly (LW707)."""
    for name, before in view.index.doomed.items():
        outcome = view.facts.tasks[before].outcome
        assert outcome is not None
        cause = Finding(
            code="LW707",
            tasks=(name, before),
            numbers={"outcome": outcome.kind.value},
            severity=Severity.CAUSE,
        )
        yield ev.TaskEnded(name, Outcome(OutcomeKind.SKIPPED, cause, now))


def placements(view: View, now: Instant) -> Iterator[ev.Event]:
    """Ready tasks without a reservation: a withdrawn or repeated one is placed anew if there is
    room, best effort starts where there is room at once."""
    for _, name in view.index.unplaced[:_LOOKED_AT]:
        task = view.facts.tasks[name]
        if reserved_ms(task.spec) is not None:
            found = Replacing(view, now).again(task)
            if found is not None:
                yield found
                return
            continue
        started = _best_effort(view, task, now)
        if started is not None:
            yield started
            return


def _best_effort(view: View, task: Task, now: Instant) -> ev.Event | None:
    """A rectangle from now on, as short as is useful, on the first worker with room."""
    boundaries = view.facts.plans[task.plan].boundaries
    room = Room(view, now)
    asked = wanted(view, task, now, skip=frozenset({task.id, *descendants(view, task.id)}))
    for _, lease in sorted(view.facts.leases.items()):
        length = chunk_ms(task, lease, now, asked.receive_ms)
        if (
            length <= 0
            or lease.state is not LeaseState.ACTIVE
            or not lease.ledger_accepted
            or not takes_work(view, lease.worker, now)
            or (boundaries.workers and lease.worker not in boundaries.workers)
            or lease.worker in boundaries.not_on
            or any(token in view.index.tokens for token in task.spec.holds)
            or now < task.again_at(lease.worker)
            or gates(task.spec, lease.terms, lease.worker, now, receive_ms=asked.receive_ms)
        ):
            continue
        end = now + length + lease.terms.guard.overhead_ms + asked.receive_ms
        if (
            not room.met(asked, lease.worker)
            and room.is_free(lease, asked, now, end)
            and leaves_enough(room, lease, asked, end)
        ):
            rectangle = ev.Reservation(lease.worker, now, end, length)
            return next_grant(view, lease, now, task=task, rectangle=rectangle)
    return None


def chunk_ms(task: Task, lease: Lease, now: Instant, receive_ms: Millis = 0) -> Millis:
    """For how long best effort is taken on here at first; nothing or less: not now."""
    terms = lease.terms
    if not is_open(terms, now):
        return 0
    bounds = [BEST_EFFORT_CHUNK]
    if task.spec.limit_ms is not None:
        bounds.append(task.spec.limit_ms)
    if terms.max_run_ms is not None:
        bounds.append(terms.max_run_ms)
    close = closes_at(terms, now)
    if close is not None:
        kept_ms = terms.guard.total_ms + drift_of(terms.guard, close - now)
        bounds.append(close - now - kept_ms - receive_ms)
    return min(bounds)


def _grants(view: View, now: Instant) -> Iterator[ev.Event]:
    """At most one grant per worker that was heard, is active, open and follows this ledger. The
    round ends with a grant that takes something the pool shares, a token or a lane of its plan:
    the next worker must see it taken."""
    for worker, ready in view.index.ready.items():
        if not ready:
            continue
        lease = view.facts.leases[worker]
        if (
            lease.state is LeaseState.ACTIVE
            and lease.ledger_accepted
            and takes_work(view, worker, now)
            and is_open(lease.terms, now)
        ):
            granted = next_grant(view, lease, now)
            if granted is not None:
                yield granted
                if _takes_shared(view, view.facts.tasks[granted.task]):
                    return


def _takes_shared(view: View, task: Task) -> bool:
    limited = view.facts.plans[task.plan].boundaries.max_parallel is not None
    return limited or bool(task.spec.holds)
