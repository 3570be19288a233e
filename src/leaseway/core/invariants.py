"""What must hold for every view, whoever decided what. Numbers are those of `admission.md` §11.

`violations` looks at one view and is cheap enough for every step of a simulation;
`index_differences` makes the index anew and compares. What can only be seen in what *happened* is
in `core.history`. Each sentence names its invariant first, so that a test can say which one spoke.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from leaseway.core.model.capacity import fits
from leaseway.core.model.outcomes import OutcomeKind
from leaseway.core.model.profile import Profile
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Lease, Task, View
from leaseway.core.rebuilding import rebuild
from leaseway.core.waiting_order import disorder

_SHRUNK = "LW602"
_PHASES = {
    TaskState.GRANTED: (Phase.GRANTED, Phase.STARTING),
    TaskState.RUNNING: (Phase.RUNNING, Phase.SUSPENDED, Phase.STOPPING),
}


def violations(view: View, now: Instant) -> list[str]:
    """Every broken state predicate; empty if all hold."""
    found: list[str] = []
    for task in view.facts.tasks.values():
        found += _states(task)
        found += _order(view, task)
        attempt = task.attempt
        if attempt is not None:
            found += _nesting(view, task, attempt, now)
            found += _exclusive(view, task, attempt)
        elif task.state is TaskState.WAITING:
            found += _placed(view, task)
        found += _promise(task)
    for lease in view.facts.leases.values():
        found += _capacity(view, lease, now)
    found += _tokens(view, now)
    found += disorder(view)
    found += _conservation(view)
    return found


# One task -----------------------------------------------------------------------------------------


def _states(task: Task) -> Iterator[str]:
    """1 and the table: what a task carries fits the state it is in."""
    attempt, ended = task.attempt, task.state is TaskState.ENDED
    if (task.outcome is not None) is not ended:
        yield f"1 one outcome: {task.id} is {task.state} and its outcome is {task.outcome}"
    if (attempt is not None) is not (task.state in _PHASES):
        yield f"states: {task.id} is {task.state} with attempt {attempt and attempt.number}"
    elif attempt is not None and attempt.phase not in _PHASES[task.state]:
        yield f"states: {task.id} is {task.state} and its attempt {attempt.phase}"
    if ended and (task.reservation is None) is not (task.unconfirmed is None):
        yield f"states: {task.id} has ended, reserved {task.reservation}, {task.unconfirmed}"
    if task.unconfirmed is not None and not ended:
        yield f"states: {task.id} is {task.state} and unconfirmed"
    if attempt is not None and task.reservation is None:
        yield f"states: {task.id} has an attempt and no reservation"
    numbers = [past.number for past in task.past]
    if attempt is not None:
        if attempt.number != task.numbers:
            yield f"4 numbers: {task.id} counts {task.numbers} and runs {attempt.number}"
        numbers.append(attempt.number)
    if numbers != sorted(set(numbers)) or (numbers and numbers[-1] > task.numbers):
        yield f"4 numbers: {task.id} had attempts {numbers} of {task.numbers}"


def _order(view: View, task: Task) -> Iterator[str]:
    """16: who may run has only predecessors that ended, and well where that is asked."""
    if task.attempt is None:
        return
    for edge in task.edges:
        before = view.facts.tasks.get(edge.before)
        if before is None:
            continue
        if not before.over:
            yield f"16 order: {task.id} is {task.state} before {before.id} is over"
        elif edge.kind.skips and (
            before.outcome is None or before.outcome.kind is not OutcomeKind.SUCCEEDED
        ):
            yield f"16 order: {task.id} is {task.state} though {before.id} ended badly"


def _nesting(view: View, task: Task, attempt: Attempt, now: Instant) -> Iterator[str]:
    """8: a stop time to come leaves room for the end within the window, unless that shrank."""
    lease = view.facts.leases.get(attempt.worker)
    if lease is None:
        yield f"states: {task.id} runs on {attempt.worker}, which never joined"
        return
    if attempt.stop_at is None:
        yield f"8 nesting: {task.id}#{attempt.number} has no stop time"
        return
    if attempt.stop_at <= now or (attempt.cause is not None and attempt.cause.code == _SHRUNK):
        return
    guard = lease.terms.guard
    end = attempt.stop_at + guard.tail_ms + guard.clock_error_ms
    closes = [window.closes_at for window in lease.terms.windows]
    if all(close is not None and close < end for close in closes):
        yield (
            f"8 nesting: {task.id}#{attempt.number} may stop at {attempt.stop_at},"
            f" too late for every window of {attempt.worker}"
        )


def _placed(view: View, task: Task) -> Iterator[str]:
    """8: a waiting task's rectangle lies in a window of an active lease."""
    rectangle = task.reservation
    if rectangle is None:
        return
    lease = view.facts.leases[rectangle.worker]
    if lease.state is not LeaseState.ACTIVE:
        yield f"8 nesting: {task.id} is promised room on {lease.worker}, which is {lease.state}"
    end = rectangle.end + lease.terms.guard.clock_error_ms
    if not any(
        window.opens_at <= rectangle.start and (window.closes_at is None or end <= window.closes_at)
        for window in lease.terms.windows
    ):
        yield (
            f"8 nesting: {task.id} is promised {rectangle.start}..{rectangle.end},"
            f" in no window of {lease.worker}"
        )


def _promise(task: Task) -> Iterator[str]:
    """10: what has not started is set aside so that it ends by what was promised."""
    if task.state not in (TaskState.WAITING, TaskState.GRANTED):
        return
    rectangle = task.reservation
    if rectangle is None or task.promise is None or rectangle.end <= task.promise:
        return
    yield f"10 promise: {task.id} is set aside until {rectangle.end}, promised by {task.promise}"


def _exclusive(view: View, task: Task, attempt: Attempt) -> Iterator[str]:
    """5: an attempt is held in one place, by a daemon that was there."""
    places = [worker for worker, names in view.index.attempts.items() if task.id in names]
    if places != [attempt.worker]:
        yield f"5 exclusive: {task.id}#{attempt.number} is held at {places}"
    if attempt.incarnation > view.facts.leases[attempt.worker].incarnation:
        yield f"5 exclusive: {task.id}#{attempt.number} was granted to a daemon to come"


# All together -------------------------------------------------------------------------------------


def _capacity(view: View, lease: Lease, now: Instant) -> Iterator[str]:
    """13: what is set aside fits at every moment to come. Where a lease shrank below what already
    runs, at least nothing that waits is promised room in the same moments."""
    profile = view.index.profiles.get(lease.worker)
    if profile is None:
        return
    capacity = lease.terms.capacity.vector()
    steps = profile.steps()
    for at, (start, used) in enumerate(steps):
        end = steps[at + 1][0] if at + 1 < len(steps) else None
        if (end is not None and end <= now) or fits(capacity, used):
            continue
        for _, _, name in view.index.outstanding[lease.worker]:
            task = view.facts.tasks[name]
            rectangle = task.reservation
            if task.state is TaskState.WAITING and rectangle is not None:
                over = end is None or rectangle.start < end
                if over and max(start, now) < rectangle.end:
                    yield f"13 capacity: {task.id} is promised room that {lease.worker} has not"


def _tokens(view: View, now: Instant) -> Iterator[str]:
    """15: a token is held by one attempt at a time, and set aside for one at every moment."""
    held: dict[str, str] = {}
    for task in view.facts.tasks.values():
        if task.holder is None:
            continue
        for token in task.spec.holds:
            if token in held:
                yield f"15 tokens: {token} is held by {held[token]} and {task.id}"
            held[token] = task.id
    if held != view.index.tokens:
        yield f"15 tokens: held are {held}, kept are {view.index.tokens}"
    for token, profile in view.index.token_profiles.items():
        steps = profile.steps()
        for at, (start, used) in enumerate(steps):
            if used[0] > 1 and (at + 1 == len(steps) or steps[at + 1][0] > now):
                yield f"15 tokens: {token} is set aside for {used[0]} at once from {start}"


def _conservation(view: View) -> Iterator[str]:
    """24: no task of an accepted plan is anywhere but waiting, granted, running or ended."""
    there: dict[str, int] = {}
    still_open: dict[str, int] = {}
    for task in view.facts.tasks.values():
        there[task.plan] = there.get(task.plan, 0) + 1
        if task.state is not TaskState.ENDED:
            still_open[task.plan] = still_open.get(task.plan, 0) + 1
    for plan in view.facts.plans.values():
        known = there.pop(plan.id, 0) + plan.forgotten
        if known != len(plan.tasks):
            yield f"24 conservation: {plan.id} has {len(plan.tasks)} tasks, {known} are known"
        if plan.open_tasks != still_open.get(plan.id, 0):
            yield f"24 conservation: {plan.id} counts {plan.open_tasks} open tasks"
        if (plan.ended_at is not None) is not (plan.open_tasks == 0):
            yield f"24 conservation: {plan.id} has {plan.open_tasks} open, ended {plan.ended_at}"
    for name in there:
        yield f"24 conservation: tasks of {name}, which is no plan"


# The index ----------------------------------------------------------------------------------------


def index_differences(view: View, now: Instant) -> list[str]:
    """Where the index that was kept in step differs from the one that facts alone make."""
    twin = View(view.settings)
    twin.facts = view.facts
    rebuild(twin, now)
    found = []
    for name, shown in _SHOWN.items():
        kept, made = shown(view, now), shown(twin, now)
        if kept != made:
            found.append(f"index: {name} is {kept}, facts make it {made}")
    return found


def _steps(profiles: Mapping[str, Profile], now: Instant) -> dict[str, Any]:
    shown: dict[str, Any] = {}
    for name, profile in profiles.items():
        twin = profile.copy()
        twin.forget_before(now)
        steps = twin.steps()
        if len(steps) > 1 or any(steps[0][1]):
            shown[name] = steps
    return shown


def _filled(things: Mapping[Any, Any]) -> dict[Any, list[Any]]:
    return {name: sorted(inner) for name, inner in things.items() if inner}


_SHOWN: dict[str, Callable[[View, Instant], Any]] = {
    "profiles": lambda view, now: _steps(view.index.profiles, now),
    "token_profiles": lambda view, now: _steps(view.index.token_profiles, now),
    "lanes": lambda view, now: _steps(view.index.lanes, now),
    "outstanding": lambda view, now: _filled(view.index.outstanding),
    "sharing": lambda view, now: _filled(view.index.sharing),
    "followers": lambda view, now: {
        name: sorted(after)
        for name, after in view.index.followers.items()
        if after and name in view.facts.tasks
    },
    "pending": lambda view, now: view.index.pending,
    "doomed": lambda view, now: sorted(view.index.doomed),
    "ready": lambda view, now: _filled(view.index.ready),
    "unplaced": lambda view, now: list(view.index.unplaced),
    "attempts": lambda view, now: _filled(view.index.attempts),
    "unconfirmed": lambda view, now: _filled(view.index.unconfirmed),
    "used": lambda view, now: {name: used for name, used in view.index.used.items() if any(used)},
    "tokens": lambda view, now: view.index.tokens,
    "active_of_plan": lambda view, now: view.index.active_of_plan,
    "give_ups": lambda view, now: list(view.index.give_ups),
    "inbox": lambda view, now: _filled(view.index.inbox),
    "seen": lambda view, now: sorted(view.index.seen),
    "kept": lambda view, now: sorted(view.index.kept),
}
