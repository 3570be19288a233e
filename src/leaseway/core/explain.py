"""Why a task waits, runs, was refused or ended so. The first finding is the headline: it says
whether the boundary is the cause, and by how much. All of it comes from the view that decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from leaseway.core.admission.gates import reserved_ms
from leaseway.core.admission.place import place
from leaseway.core.admission.room import Room, wanted
from leaseway.core.at_workers import AtWorker, at_workers, is_ready
from leaseway.core.checkpoint.telling import running_note, with_last_told
from leaseway.core.conflicts import descendants
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import EdgeKind
from leaseway.core.model.states import TaskState
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Task, View
from leaseway.core.named_time import is_open_ended, outcome_by
from leaseway.core.outlived import may_still_run, waits_for
from leaseway.core.presence import heard_lately

Numbers = dict[str, int | str | list[str]]
_WAITS_AT = frozenset(("LW301", "LW302", "LW303", "LW309", "LW311", "LW401", "LW725"))
_BOUNDARY = _WAITS_AT | {"LW602", "LW702", "LW703", "LW705", "LW709"}
_NOT_ASKED = frozenset(("LW724", "LW731", "LW734", "LW805"))
_OWNERS = frozenset(("closed", "shrunk", "revoked", "drained", "quarantined"))
"""For these a promise is withdrawn by who owns the worker (LW605), else by how things went."""


def is_boundary(finding: Finding) -> bool:
    """Whether this finding says that a boundary is the cause, by itself or beside others."""
    if finding.code == "LW605":
        return finding.variant in _OWNERS
    return finding.code in _BOUNDARY


class Explanation(Struct, frozen=True, omit_defaults=True):
    """The headline, the reasons behind it, and whether a boundary is the cause. `workers`: of a
    waiting task, each worker with all that stands against it there. `by`: the moment by which the
    task will have an outcome; `open_ended`: see `named_time`."""

    task: str
    headline: Finding
    reasons: tuple[Finding, ...] = ()
    boundary: bool = False
    by: Instant | None = None
    open_ended: bool = False
    workers: tuple[AtWorker, ...] = ()


def explain(view: View, task: Task, now: Instant) -> Explanation:
    """Why this task is where it is."""
    if task.outcome is not None:
        return explain_ended(task)
    if task.attempt is not None:
        headline, reasons, found = _held(view, task, now), [*_of_checkpoint(view, task)], []
    else:
        headline, found = _waits(view, task), at_workers(view, task, now)
        reasons = [*_why_waiting(view, task, now), *_at_all(found)]
    if task.moved is not None:
        reasons.append(task.moved)
    if task.attempt is None and task.reservation is None:
        headline, reasons = _boundary_first(headline, reasons, found)
    return Explanation(
        task=task.id,
        headline=headline,
        reasons=tuple(reasons),
        boundary=is_boundary(headline),
        by=outcome_by(view, task),
        open_ended=is_open_ended(view, task),
        workers=tuple(found),
    )


def _at_all(found: list[AtWorker]) -> Iterator[Finding]:
    """What stands against it at the worker that has its place, else at every worker; of one that
    the plan does not ask for, only that."""
    chosen = [each for each in found if each.chosen]
    for each in chosen or found:
        outside = [reason for reason in each.reasons if reason.code == "LW734"]
        yield from outside or each.reasons


def _boundary_first(
    headline: Finding, reasons: list[Finding], found: list[AtWorker]
) -> tuple[Finding, list[Finding]]:
    """Without a place, a boundary that keeps it out says more than that it waits. It is the cause
    where it stands at every worker that could be asked; one without a boundary is waited for."""
    asked = [each for each in found if not _NOT_ASKED & {one.code for one in each.reasons}]
    stands = [[one for one in each.reasons if is_boundary(one)] for each in asked]
    if not all(stands):
        return headline, reasons
    first = next((one for each in stands for one in each), None)
    first = first or next(
        (one for one in reasons if one.code == "LW605" and is_boundary(one)), None
    )
    if first is None:
        return headline, reasons
    return first, [headline, *(one for one in reasons if one is not first)]


def explain_ended(task: Task) -> Explanation:
    """Why it ended so; needs nothing but the task, so that it serves rows of the past too."""
    assert task.outcome is not None
    reasons = [past.cause for past in task.past[:-1] if past.cause is not None]
    if task.moved is not None:
        reasons.append(task.moved)
    reasons += [*_kept_late(task), *may_still_run(task)]
    if task.outcome.late_ms:
        numbers: Numbers = {"late_ms": task.outcome.late_ms}
        reasons.append(_note("LW732", task, numbers=numbers))
    return Explanation(
        task=task.id,
        headline=task.outcome.cause,
        reasons=tuple(reasons),
        boundary=is_boundary(task.outcome.cause),
        by=task.outcome.at,
    )


def _kept_late(task: Task) -> Iterator[Finding]:
    """What a worker told of it after it no longer counted."""
    for number, ending in zip(task.kept_numbers, task.evidence, strict=True):
        numbers: Numbers = {"number": number, "ran_ms": ending.ran_ms}
        if ending.signal is not None:
            numbers["signal"] = ending.signal
        elif ending.exit_code is not None:
            numbers["exit_code"] = ending.exit_code
        workers = tuple(past.worker for past in task.past if past.number == number)
        yield _note("LW708", task, workers=workers, numbers=numbers)


def cut_output(task: Task, stream: str, left_out_bytes: int) -> Finding:
    """An output that was too long to be kept whole."""
    numbers: Numbers = {"stream": stream, "left_out_bytes": left_out_bytes}
    return _note("LW733", task, numbers=numbers)


def _note(
    code: str,
    task: Task,
    *,
    workers: tuple[str, ...] = (),
    other: str = "",
    numbers: Numbers | None = None,
    variant: str = "",
) -> Finding:
    return Finding(
        code=code,
        tasks=(task.id, other) if other else (task.id,),
        workers=workers,
        numbers=numbers or {},
        variant=variant,
        severity=Severity.NOTE,
    )


def _waits(view: View, task: Task) -> Finding:
    rectangle = task.reservation
    if rectangle is not None:
        numbers: Numbers = {"start_at": rectangle.start}
        if task.promise is not None:
            numbers["promise_at"] = task.promise
        return _note("LW727", task, workers=(rectangle.worker,), numbers=numbers)
    numbers = {"give_up_at": task.give_up_at}
    best_effort = reserved_ms(task.spec) is None
    return _note("LW730", task, numbers=numbers, variant="best-effort" if best_effort else "")


def _of_checkpoint(view: View, task: Task) -> Iterator[Finding]:
    """What its last checkpoint says of it, if it is not simply in time."""
    attempt = with_last_told(view, task).attempt
    if attempt is None or attempt.checkpoint is None:
        return
    note = running_note(attempt.checkpoint, task.id, attempt.worker)
    if note is not None:
        yield note


def _held(view: View, task: Task, now: Instant) -> Finding:
    attempt = task.attempt
    assert attempt is not None
    numbers: Numbers = {}
    if attempt.stop_at is not None:
        numbers["stop_at"] = attempt.stop_at
    workers = (attempt.worker,)
    if attempt.phase is Phase.GRANTED:
        numbers |= {"granted_at": attempt.granted_at, "start_by_at": attempt.start_by}
        return _note("LW729", task, workers=workers, numbers=numbers)
    if attempt.started_at is not None:
        numbers["start_at"] = attempt.started_at
    if attempt.stop_reason is not None and not heard_lately(view, attempt.worker, now):
        heard = view.presence.heard.get(attempt.worker)
        numbers |= {"heard_at": heard.at} if heard else {}
        numbers["by"] = attempt.stopped_by
        return _note("LW728", task, workers=workers, numbers=numbers, variant="unheard")
    if attempt.stop_reason is not None or attempt.phase is Phase.STOPPING:
        return _note("LW728", task, workers=workers, numbers=numbers, variant="stopping")
    if not heard_lately(view, attempt.worker, now):
        heard = view.presence.heard.get(attempt.worker)
        numbers |= {"heard_at": heard.at} if heard else {}
        return _note("LW728", task, workers=workers, numbers=numbers, variant="silent")
    return _note("LW728", task, workers=workers, numbers=numbers)


def _why_waiting(view: View, task: Task, now: Instant) -> Iterator[Finding]:
    """Every reason that is none of a single worker's."""
    yield from waits_for(view, task)
    yield from _predecessors(view, task)
    for token in task.spec.holds:
        holder = view.index.tokens.get(token)
        if holder is not None and view.facts.tasks[holder].attempt is not None:
            yield _note("LW722", task, other=holder, numbers={"name": token})
    plan = view.facts.plans[task.plan]
    most = plan.boundaries.max_parallel
    if most is not None and view.index.active_of_plan.get(plan.id, 0) >= most:
        yield _note("LW726", task, numbers={"cap": most})
    yield from _too_late(view, task, now)


def _too_late(view: View, task: Task, now: Instant) -> Iterator[Finding]:
    """There would be a place, but not by the moment that its plan names."""
    by = view.facts.plans[task.plan].boundaries.by
    if by is None or task.reservation is not None or reserved_ms(task.spec) is None:
        return
    if is_ready(view, task):
        skip = frozenset({task.id, *descendants(view, task.id)})
        found = place(Room(view, now), wanted(view, task, now, skip=skip))
        if isinstance(found, list):
            yield from (one for one in found if (one.code, one.variant) == ("LW303", "by"))


def _predecessors(view: View, task: Task) -> Iterator[Finding]:
    for edge in task.edges:
        before = view.facts.tasks.get(edge.before)
        if before is None or before.state is TaskState.ENDED:
            continue
        if edge.kind is EdgeKind.CONFLICT:
            continue  # of its place: told with its worker
        yield _note(
            "LW721",
            task,
            other=before.id,
            numbers={"state": before.state.value, "ends_at": outcome_by(view, before)},
            variant=edge.kind.value if edge.over else "",
        )
