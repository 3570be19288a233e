"""Keeping the record: each event that makes, moves or ends a promise is counted as it is folded, so
that what is counted outlives the tasks."""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.model import events as ev
from leaseway.core.model.outcomes import Outcome, OutcomeKind, Waste
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.record import Tally
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Task, View
from leaseway.core.waste import lost_of, summed

NAMES_KEPT = 500
"""Of workers, and of principals; those of which nothing was counted for longest are forgotten."""

_BY_ITSELF = (OutcomeKind.SUCCEEDED, OutcomeKind.FAILED, OutcomeKind.INCOMPLETE)
_DROPPED = (OutcomeKind.CANCELLED, OutcomeKind.SKIPPED)


def keep(view: View, at: Instant, event: ev.Event) -> None:
    """Count one event that was just folded into the view."""
    match event:
        case ev.TaskReserved(task=name, reservation=reservation):
            _reserved(view, view.facts.tasks[name], reservation.worker)
        case ev.PromiseWithdrawn(task=name):
            _withdrawn(view, view.facts.tasks[name], at, event)
        case ev.TaskEnded(task=name, outcome=outcome):
            _ended(view, view.facts.tasks[name], outcome)
        case ev.ResultKept(task=name):
            _late(view, view.facts.tasks[name], event)
        case _:
            pass


def basis_of(spec: TaskSpec) -> str:
    """What a promise rests on: the task's own estimate, a history by its likeness, or the limit."""
    if spec.estimate_ms is not None:
        return "estimate"
    return "limit" if spec.learned is None else spec.learned.likeness.value


def _reserved(view: View, task: Task, worker: str) -> None:
    before = view.facts.record.held.get(task.id)
    if before is None:
        _made(view, task, worker)
    elif before != worker:
        _tally(view, view.facts.record.workers, before).moved += 1
        _tally(view, view.facts.record.workers, worker).made += 1
        view.facts.record.held[task.id] = worker


def _made(view: View, task: Task, worker: str) -> None:
    view.facts.record.held[task.id] = worker
    for tally in _tallies(view, task, worker):
        tally.made += 1


def _withdrawn(view: View, task: Task, at: Instant, event: ev.PromiseWithdrawn) -> None:
    worker = view.facts.record.held.pop(task.id, None)
    ahead = event.old - at
    for tally in () if worker is None else _tallies(view, task, worker):
        if ahead < 0:
            tally.broken += 1
        else:
            tally.withdrawn += 1
            tally.ahead_ms += ahead
            tally.ahead_least_ms = min(ahead, tally.ahead_least_ms or ahead)
        _caused(tally, event.cause.code)
    if event.new is not None and event.reservation is not None:
        _made(view, task, event.reservation.worker)


def _ended(view: View, task: Task, outcome: Outcome) -> None:
    worker = view.facts.record.held.pop(task.id, None)
    for tally in () if worker is None else _tallies(view, task, worker):
        if outcome.kind in _DROPPED:
            tally.dropped += 1
        elif outcome.kind is OutcomeKind.OVERRAN:
            tally.overran += 1
        elif outcome.kind in _BY_ITSELF and _over_at(task, outcome) <= (task.promise or 0):
            tally.kept += 1
        else:
            tally.broken += 1
            _caused(tally, outcome.cause.code)
    for lost_on, waste in lost_of(task):
        _wasted(view, task, lost_on, waste)


def _over_at(task: Task, outcome: Outcome) -> Instant:
    """When it was over, however late that was heard."""
    last = task.past[-1] if task.past else None
    if last is None or last.number != outcome.attempt or last.ended_at is None:
        return outcome.at
    return last.ended_at


def _late(view: View, task: Task, event: ev.ResultKept) -> None:
    """A late result tells how long an attempt ran whose end nobody saw; it counted as no time."""
    if event.number not in {attempt.number for attempt in task.past}:
        core_ms = event.ending.ran_ms * task.spec.uses.cpus_milli // 1000
        _wasted(view, task, event.worker, Waste("LW708", core_ms, 1))
        return
    if task.outcome is None:
        return  # it is counted when the task ends
    for attempt, (worker, waste) in zip(_lost(task), lost_of(task), strict=True):
        if attempt == event.number:
            _wasted(view, task, worker, Waste(waste.code, waste.core_ms, 0))


def _lost(task: Task) -> list[int]:
    won = task.outcome
    number = won.attempt if won is not None and won.kind is OutcomeKind.SUCCEEDED else 0
    return [attempt.number for attempt in task.past if attempt.number != number]


def _wasted(view: View, task: Task, worker: str, waste: Waste) -> None:
    for tally in _tallies(view, task, worker):
        same = next((each for each in tally.wasted if each.code == waste.code), Waste(waste.code))
        rest = [each for each in tally.wasted if each.code != waste.code]
        core_ms, attempts = same.core_ms + waste.core_ms, same.attempts + waste.attempts
        tally.wasted = summed([*rest, Waste(waste.code, core_ms, attempts)])


def _caused(tally: Tally, code: str) -> None:
    tally.causes[code] = tally.causes.get(code, 0) + 1


def _tallies(view: View, task: Task, worker: str) -> Iterator[Tally]:
    record, principal = view.facts.record, view.facts.plans[task.plan].principal
    yield _tally(view, record.workers, worker)
    yield _tally(view, record.principals, principal)
    yield _tally(view, record.bases, basis_of(task.spec))


def _tally(view: View, of: dict[str, Tally], name: str) -> Tally:
    found = of.get(name)
    if found is None:
        if len(of) >= NAMES_KEPT:
            del of[min(of, key=lambda each: (of[each].used, each))]
        found = of[name] = Tally()
    found.used = view.facts.position
    return found
