"""Longer stop times: what runs past its reserved time goes on while nobody promised needs the room.

Asked shortly before the stop time, in small steps, so that a newcomer is never refused for time
that may not be used; sooner, and for as long as it says that it needs, where a checkpoint shows
that it will be late. Then who runs without a promise gives way, if need be, and never a promise:
what a task needs beyond what it reserved is its own risk. `lead_ms` before the stop the worker is
asked to call.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from leaseway.core.admission.gates import reserved_ms, runs_until
from leaseway.core.admission.giving_way import longer_over_best_effort
from leaseway.core.admission.room import Room, wanted
from leaseway.core.admission.shared import leaves_enough
from leaseway.core.decisions.checkpoints import late_ms
from leaseway.core.model import events as ev
from leaseway.core.model.lease import Window, joined_windows
from leaseway.core.model.sync import Phase, SyncRequest
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Attempt, Lease, Task, View

_STEP_MOST: Millis = 30_000
_STEP_LEAST: Millis = 1_000


def lead_ms(attempt: Attempt) -> Millis:
    """How long before its stop time an extension is asked for."""
    return max(500, min(5_000, attempt.reserved_ms // 2))


def last_stop(task: Task, lease: Lease, now: Instant) -> Instant | None:
    """The latest stop time this attempt could ever get; None: nothing bounds it."""
    attempt = task.attempt
    assert attempt is not None
    started = attempt.started_at
    if started is None:
        return attempt.stop_at
    bounds: list[Instant] = []
    if task.spec.limit_ms is not None:
        bounds.append(started + task.spec.limit_ms)
    if lease.terms.max_run_ms is not None:
        bounds.append(started + lease.terms.max_run_ms)
    close = runs_until(lease.terms, now)
    if close is not None:
        guard = lease.terms.guard
        bounds.append(close - guard.tail_ms - guard.clock_error_ms)
    return min(bounds, default=None)


def may_grow(task: Task, lease: Lease, now: Instant) -> bool:
    """Whether an extension of this attempt is at all possible."""
    attempt = task.attempt
    if attempt is None or attempt.stop_at is None or attempt.stop_reason is not None:
        return False
    if attempt.shared:
        return False  # its stop time is as late as the others let it be
    if attempt.phase not in (Phase.RUNNING, Phase.SUSPENDED):
        return False
    last = last_stop(task, lease, now)
    return last is None or last > attempt.stop_at


def extensions(
    view: View, lease: Lease, request: SyncRequest, now: Instant, done: set[str]
) -> Iterator[ev.Event]:
    """Attempts that this sync says are running, near their stop time, with free room after it. One
    at a time: the next sync, which follows at once, sees that room taken."""
    for held in request.held:
        task = view.facts.tasks.get(held.ref.task)
        if task is None or task.id in done or task.attempt is None:
            continue
        if task.attempt.number != held.ref.number or not _may_grow_at_all(task, lease, now):
            continue
        stop_at = task.attempt.stop_at
        assert stop_at is not None
        late = late_ms(held, stop_at, now)
        if now > stop_at or (not late and stop_at - now > 2 * lead_ms(task.attempt)):
            continue
        kept_open = tuple(_with_longer_lease(view, task, lease, now, late)) if late else ()
        if kept_open:
            yield from kept_open
            return
        longer = _longer(view, task, lease, now, late)
        if longer is not None:
            yield longer
            return
        if late and _is_half_over(task.attempt, stop_at, now):
            yield from _over_best_effort(view, task, lease, now, late)


def _may_grow_at_all(task: Task, lease: Lease, now: Instant) -> bool:
    """In the window as it is, or as it might become."""
    longest = _kept_open(lease, lease.terms.extendable_until, now)
    return may_grow(task, longest or lease, now)


def _kept_open(lease: Lease, until: Instant | None, now: Instant) -> Lease | None:
    """The lease with its present window open until then; None: it is so already, or is not ours to
    keep open. Windows that come again are their owner's alone."""
    terms, close = lease.terms, runs_until(lease.terms, now)
    if until is None or close is None or terms.recurring or until <= close:
        return None
    windows = joined_windows(
        Window(each.opens_at, until) if each.closes_at == close else each for each in terms.windows
    )
    return replace(lease, terms=replace(terms, windows=windows))


def _with_longer_lease(
    view: View, task: Task, lease: Lease, now: Instant, late: Millis
) -> Iterator[ev.Event]:
    """Time for a promised task that will be late, from beyond the window's end, as far as the owner
    lets us keep it open."""
    attempt, until = task.attempt, lease.terms.extendable_until
    if until is None or reserved_ms(task.spec) is None:
        return
    assert attempt is not None
    assert attempt.stop_at is not None
    needed = attempt.stop_at + late + lease.terms.guard.total_ms
    kept = _kept_open(lease, min(until, needed), now)
    longer = _longer(view, task, kept, now, late) if kept is not None else None
    if kept is None or longer is None:
        return
    yield ev.LeaseChanged(lease.worker, lease.version + 1, kept.terms, "leaseway", follows=True)
    yield longer


def _is_half_over(attempt: Attempt, stop_at: Instant, now: Instant) -> bool:
    """Before that, nobody is stopped for what is projected of little."""
    started = attempt.started_at
    return started is not None and 2 * (now - started) >= stop_at - started


def _over_best_effort(
    view: View, task: Task, lease: Lease, now: Instant, late: Millis
) -> Iterator[ev.Event]:
    """Time for a promised task that will be late, taken from who runs without a promise."""
    attempt, rectangle = task.attempt, task.reservation
    assert attempt is not None
    assert attempt.stop_at is not None
    assert rectangle is not None
    if reserved_ms(task.spec) is None:
        return
    last, asked_for = last_stop(task, lease, now), attempt.stop_at + max(late, _STEP_LEAST)
    stop_at = asked_for if last is None else min(last, asked_for)
    end = stop_at + lease.terms.guard.tail_ms
    if stop_at <= attempt.stop_at or _delays_promise(view, task, end):
        return
    span = (max(now, rectangle.end), end)
    made = longer_over_best_effort(Room(view, now), lease, wanted(view, task, now), span)
    if made:
        yield from made
        whole = replace(rectangle, end=max(end, rectangle.end))
        yield ev.StopTimeMoved(task.id, attempt.number, stop_at, whole)


def _delays_promise(view: View, task: Task, until: Instant) -> bool:
    """Whether a promised follower that only waits for this end was to start before `until`. One
    that needs its success gains nothing from an end without it."""
    for name in view.index.followers.get(task.id, ()):
        follower = view.facts.tasks[name]
        if follower.reservation is None or follower.reservation.start >= until:
            continue
        if all(edge.before != task.id or not edge.kind.skips for edge in follower.edges):
            return True
    return False


def _longer(
    view: View, task: Task, lease: Lease, now: Instant, late: Millis
) -> ev.StopTimeMoved | None:
    attempt, rectangle = task.attempt, task.reservation
    assert attempt is not None
    assert attempt.stop_at is not None
    assert rectangle is not None
    own = reserved_ms(task.spec) or attempt.reserved_ms
    step = max(_STEP_LEAST, min(_STEP_MOST, own), late)
    last = last_stop(task, lease, now)
    room, asked, start = Room(view, now), wanted(view, task, now), max(now, rectangle.end)
    while step >= _STEP_LEAST // 2:
        stop_at = attempt.stop_at + step if last is None else min(last, attempt.stop_at + step)
        end = stop_at + lease.terms.guard.tail_ms
        if stop_at <= attempt.stop_at:
            return None
        if (
            room.is_free(lease, asked, start, end)
            and not _delays_promise(view, task, end)
            and leaves_enough(room, lease, asked, end)
        ):
            longer = replace(rectangle, end=max(end, rectangle.end))
            return ev.StopTimeMoved(task.id, attempt.number, stop_at, longer)
        step //= 2  # less room than a whole step is room all the same
    return None
