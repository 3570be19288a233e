"""Unconfirmed: a task has its outcome, and its last attempt may still run, out of hearing.

Its outcome was not waited for, but its room is: capacity, tokens and what it touches stay taken
until its worker tells of its end, is known never to have started it, or until it must have stopped
by itself (`protocol.md` §4 and §8).
"""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.model import events as ev
from leaseway.core.model.outcomes import EndKind, Freed
from leaseway.core.model.sync import AttemptRef, EndingReport, SyncRequest
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Lease, Task, View
from leaseway.core.presence import is_present, reported


def stops_at(attempt: Attempt) -> Instant:
    """The latest stop time of which its worker may know."""
    stop_at = attempt.stop_at if attempt.stop_at is not None else attempt.start_by
    return max(stop_at, attempt.until)


def gone_at(view: View, attempt: Attempt) -> Instant:
    """When nothing of this attempt can run any more: stop time + guard, and what the two clocks may
    have parted meanwhile."""
    stop_at = stops_at(attempt)
    length_ms = max(0, stop_at - attempt.granted_at)
    drift_ms = length_ms * view.settings.drift_ppm // 1_000_000
    return stop_at + view.facts.leases[attempt.worker].terms.guard.total_ms + drift_ms


def may_be_told(view: View, attempt: Attempt, ref: AttemptRef, now: Instant) -> bool:
    """Whether its ending may still come: its worker is there, and either has not spoken since it
    had to stop or says that it holds it."""
    heard = view.presence.heard.get(attempt.worker)
    since = max(stops_at(attempt), view.presence.resumed_at)
    unheard = heard is None or heard.at < since
    return is_present(view, attempt.worker, now) and (
        unheard or reported(view, attempt.worker, ref)
    )


def passed(view: View, now: Instant) -> Iterator[ev.Event]:
    """Unconfirmed attempts whose stop time + guard has passed."""
    for names in view.index.unconfirmed.values():
        for name in names:
            task = view.facts.tasks[name]
            attempt, until = task.unconfirmed, task.unconfirmed_until
            assert attempt is not None
            assert until is not None
            ref = AttemptRef(name, attempt.number)
            if now >= until and not may_be_told(view, attempt, ref, now):
                yield ev.RoomFreed(name, attempt.number, attempt.worker, Freed.STOP_TIME)


def told(task: Task, report: EndingReport, worker: str) -> Iterator[ev.Event]:
    """Its worker tells how an unconfirmed attempt ended; the result itself is kept (LW708)."""
    attempt = task.unconfirmed
    if attempt is None or (attempt.number, attempt.worker) != (report.ref.number, worker):
        return
    never = report.ending.kind is EndKind.NOT_STARTED
    why = Freed.NEVER_STARTED if never else Freed.ENDED
    yield ev.RoomFreed(task.id, attempt.number, worker, why)


def not_named(
    view: View, lease: Lease, request: SyncRequest, named: set[AttemptRef]
) -> Iterator[ev.Event]:
    """Unconfirmed attempts that this sync hands back, or that the same spool does not know in a
    sync later than the grant: they never started, and an answer on its way can no longer start
    them, as a worker drops every answer but that to its latest call."""
    said = (request.incarnation, request.seq)
    for name in view.index.unconfirmed.get(lease.worker, {}):
        attempt = view.facts.tasks[name].unconfirmed
        assert attempt is not None
        ref = AttemptRef(name, attempt.number)
        unknown = (
            ref not in named
            and attempt.started_at is None
            and attempt.spool_id == request.spool_id
            and (attempt.incarnation, attempt.seq) < said
        )
        if unknown or (ref in request.back and ref not in named):
            yield ev.RoomFreed(name, attempt.number, lease.worker, Freed.NEVER_STARTED)
