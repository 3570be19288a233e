"""Core-time that led to no success, by the cause that ended it.

Core-time is cpus asked for × time run, whole milliseconds of one core, rounded down for each
attempt; so what is wasted of a plan is exactly the sum over its tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from leaseway.core.model.outcomes import Ending, EndKind, OutcomeKind, Waste
from leaseway.core.model.view import Attempt, Plan, Task

UNSEEN = "LW704"
OTHERWISE = "LW701"
LATE = "LW708"


def wasted(task: Task) -> tuple[Waste, ...]:
    """What attempts of this task came to nothing, most core-time first. An attempt whose end nobody
    saw is counted, and its time only if a late result tells it."""
    late = dict(zip(task.kept_numbers, task.evidence, strict=False))
    past = {attempt.number for attempt in task.past}
    lost = [part for _, part in lost_of(task)]
    lost += [_one(task, LATE, ending) for number, ending in late.items() if number not in past]
    return summed(lost)


def lost_of(task: Task) -> Iterator[tuple[str, Waste]]:
    """Each attempt of this task that came to nothing, oldest first: its worker and what it was."""
    won = _won(task)
    late = dict(zip(task.kept_numbers, task.evidence, strict=False))
    for attempt in task.past:
        if attempt.number != won:
            yield attempt.worker, _one(task, code_of(task, attempt), _seen(attempt, late))


def summed(parts: Iterable[Waste]) -> tuple[Waste, ...]:
    """One entry for each cause, most core-time first, then by code."""
    found: dict[str, Waste] = {}
    for part in parts:
        have = found.get(part.code, Waste(part.code))
        core_ms, attempts = have.core_ms + part.core_ms, have.attempts + part.attempts
        found[part.code] = Waste(part.code, core_ms, attempts)
    return tuple(sorted(_told(found.values()), key=lambda each: (-each.core_ms, each.code)))


def replaced(plan: Plan, before: tuple[Waste, ...], after: tuple[Waste, ...]) -> None:
    """What one task of the plan wasted was `before` and is `after`: the plan's own sum follows."""
    if before != after:
        less = [Waste(each.code, -each.core_ms, -each.attempts) for each in before]
        plan.wasted = summed([*plan.wasted, *less, *after])


def code_of(task: Task, attempt: Attempt) -> str:
    """The code of what ended an attempt."""
    if attempt.cause is not None:
        return attempt.cause.code
    if attempt.ending is None or attempt.ending.kind is EndKind.UNKNOWN:
        return UNSEEN
    outcome = task.outcome
    return outcome.cause.code if outcome and outcome.attempt == attempt.number else OTHERWISE


def _won(task: Task) -> int:
    """The attempt that succeeded; 0: none has."""
    outcome = task.outcome
    return outcome.attempt if outcome and outcome.kind is OutcomeKind.SUCCEEDED else 0


def _seen(attempt: Attempt, late: dict[int, Ending]) -> Ending | None:
    ending = attempt.ending
    unseen = ending is None or ending.kind is EndKind.UNKNOWN
    return late.get(attempt.number, ending) if unseen else ending


def _one(task: Task, code: str, ending: Ending | None) -> Waste:
    ran_ms = ending.ran_ms if ending is not None else 0
    return Waste(code, ran_ms * task.spec.uses.cpus_milli // 1000, 1)


def _told(found: Iterable[Waste]) -> Iterator[Waste]:
    return (each for each in found if each.attempts)
