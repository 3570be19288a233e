"""Tick: time has passed. Nothing is judged before it could have been heard (`protocol.md` §3.5)."""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.decisions.cancel import gave_up
from leaseway.core.decisions.decision import Accepted, Decision
from leaseway.core.decisions.endings import conclude
from leaseway.core.decisions.idle import never_started
from leaseway.core.decisions.replace import Replacing
from leaseway.core.decisions.squeezed import overrunning
from leaseway.core.decisions.unconfirmed import gone_at, may_be_told, passed, stops_at
from leaseway.core.model import events as ev
from leaseway.core.model.commands import Advance, Recheck, Tick
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.states import TaskState
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Task, View
from leaseway.core.presence import is_present
from leaseway.core.workspaces import must_stay

_FORGOTTEN_AT_ONCE = 1_000
_MOVED_AT_ONCE = 500
"""So many are placed anew in one tick, in promise order; others are served between the ticks."""


def tick(view: View, command: Tick, now: Instant) -> Decision:
    """Expire, give up, place anew what is overdue or whose worker is gone; then advance."""
    gap = now - view.presence.looked_at > view.settings.gap_ms
    resumed = command.resumed or gap
    mark = ev.Judged(resumed=resumed)
    if resumed:
        return Accepted((mark,), then=(Advance(),))
    events: list[ev.Event] = [*_expired(view, now), *passed(view, now), *_given_up(view, now)]
    if not events:
        events += _isolated(view, now)
    if not events:
        events += never_started(view, now)
    if not events:
        events += moves(view, now)
    if not events:
        events += _forgotten(view, now)
    moved = [event.worker for event in events if isinstance(event, ev.LeaseMoved)]
    again = (Recheck(worker, "quarantined") for worker in moved)
    return Accepted((mark, *events), then=(*again, Advance()))


def _expired(view: View, now: Instant) -> Iterator[ev.Event]:
    """Attempts whose stop time + guard has passed and that their worker does not report."""
    for worker, names in view.index.attempts.items():
        for name in names:
            task = view.facts.tasks[name]
            attempt = task.attempt
            assert attempt is not None
            if now <= gone_at(view, attempt):
                continue
            if may_be_told(view, attempt, AttemptRef(name, attempt.number), now):
                continue  # its ending will come, or its silence will mean something
            heard, stop_at = view.presence.heard.get(worker), stops_at(attempt)
            ending = Ending(EndKind.UNKNOWN, detail="not heard of")
            for event in conclude(view, task, attempt, ending, stop_at, now):
                yield _with_heard(event, heard.at if heard else 0, stop_at)


def _with_heard(event: ev.Event, heard_at: Instant, stop_at: Instant) -> ev.Event:
    """The numbers of LW704: when the worker was last heard, when it had to stop by itself."""
    if not isinstance(event, ev.TaskEnded):
        return event
    cause = event.outcome.cause
    numbers = {**cause.numbers, "stop_at": stop_at}
    if heard_at:
        numbers["heard_at"] = heard_at
    told = Finding(cause.code, cause.tasks, cause.workers, numbers, cause.variant, cause.severity)
    outcome = event.outcome
    return ev.TaskEnded(
        event.task,
        type(outcome)(outcome.kind, told, outcome.at, outcome.attempt, outcome.late_ms),
    )


def _given_up(view: View, now: Instant) -> Iterator[ev.Event]:
    for give_up_at, name in view.index.give_ups:
        if give_up_at > now:
            return
        yield gave_up(view.facts.tasks[name], now)


def moves(view: View, now: Instant) -> list[ev.Event]:
    """Waiting tasks whose start has passed, and all of a worker that is gone."""
    for worker in sorted(view.index.outstanding):  # a fold may find them in any order
        order = view.index.outstanding[worker]
        if not order:
            continue
        lease = view.facts.leases[worker]
        gone = not is_present(view, worker, now)
        if gone:
            waiting = [
                task
                for _, _, name in order
                if (task := view.facts.tasks[name]).state is TaskState.WAITING
            ]
        else:
            latest = now - lease.terms.guard.delivery_ms
            waiting = _overdue(view, worker, latest)
        if not waiting:
            continue
        waiting = sorted(waiting, key=lambda task: task.seq)[:_MOVED_AT_ONCE]
        heard = view.presence.heard.get(worker)
        cause = Finding(
            code="LW605",
            workers=(worker,),
            variant="gone" if gone else "late",
            numbers={"heard_at": heard.at} if heard else {},
            severity=Severity.WARNING,
        )
        events = Replacing(view, now).move(waiting, cause, avoid=(worker,) if gone else ())
        if events:
            return events
    return []


def _isolated(view: View, now: Instant) -> Iterator[ev.Event]:
    """Who is past what it was promised, where cpus are shared and somebody suffers by it."""
    for worker in sorted(view.index.sharing):
        if view.index.sharing[worker]:
            yield from overrunning(view, view.facts.leases[worker], now)


def _overdue(view: View, worker: str, latest: Instant) -> list[Task]:
    found: list[Task] = []
    for start, _, name in view.index.outstanding[worker]:
        if start >= latest:
            break
        task = view.facts.tasks[name]
        if task.state is TaskState.WAITING:
            found.append(task)
    return found


def _forgotten(view: View, now: Instant) -> list[ev.Event]:
    """Tasks that nobody needs in the view any more: ended, seen, settled, no live successor."""
    done: list[str] = []
    for name in view.index.seen:
        task = view.facts.tasks[name]
        if not _still_needed(view, task, now):
            done.append(name)
        if len(done) >= _FORGOTTEN_AT_ONCE:
            break
    return [ev.TasksForgotten(tuple(done))] if done else []


def _still_needed(view: View, task: Task, now: Instant) -> bool:
    """Whether a live task follows it, or a worker may still have an ending of it to tell."""
    if task.unconfirmed is not None:
        return True
    for name in view.index.followers.get(task.id, ()):
        follower = view.facts.tasks.get(name)
        if follower is not None and follower.state is not TaskState.ENDED:
            return True
    assert task.outcome is not None
    if must_stay(view.facts.plans[task.plan]):
        return True
    if now - task.outcome.at > view.settings.key_kept_ms:
        return False
    return any(_unsettled(view, task, past) for past in task.past)


def _unsettled(view: View, task: Task, past: Attempt) -> bool:
    """Whether its worker may hold an ending of this attempt: settled is what a sync after the
    outcome, from the same spool, does not name any more. Forgotten too soon, an ending could
    neither be settled nor kept, and the worker would tell it for ever."""
    lease, heard = view.facts.leases.get(past.worker), view.presence.heard.get(past.worker)
    if lease is None or lease.spool_id != past.spool_id or heard is None or not heard.seq:
        return True
    assert task.outcome is not None
    ref = AttemptRef(task.id, past.number)
    return ref in heard.reported or heard.at < task.outcome.at
