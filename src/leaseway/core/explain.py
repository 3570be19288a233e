"""Why a task waits, runs, was refused or ended so. The first finding is the headline: it says
whether the boundary is the cause, and by how much. All of it comes from the view that decides.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from leaseway.core.admission.gates import gates, is_open, reserved_ms, usable_windows
from leaseway.core.model.capacity import RESOURCES, UNLIMITED
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, Task, View
from leaseway.core.presence import heard_lately

Numbers = dict[str, int | str | list[str]]
_NONE = (0,) * len(RESOURCES)
_BOUNDARY = ("LW301", "LW302", "LW303", "LW309", "LW602", "LW605", "LW702", "LW703", "LW705")


class Explanation(Struct, frozen=True, omit_defaults=True):
    """The headline, the reasons behind it, and whether a boundary is the cause. `by`: the moment
    by which the task will have an outcome."""

    task: str
    headline: Finding
    reasons: tuple[Finding, ...] = ()
    boundary: bool = False
    by: Instant | None = None


def explain(view: View, task: Task, now: Instant) -> Explanation:
    """Why this task is where it is."""
    if task.outcome is not None:
        return explain_ended(task)
    if task.attempt is not None:
        headline = _held(view, task, now)
    else:
        headline = _waits(view, task)
    reasons = list(_why_waiting(view, task, now)) if task.state is TaskState.WAITING else []
    if task.moved is not None:
        reasons.append(task.moved)
    if task.reservation is None:
        headline, reasons = _boundary_first(headline, reasons)
    return Explanation(
        task=task.id,
        headline=headline,
        reasons=tuple(reasons),
        boundary=headline.code in _BOUNDARY,
        by=outcome_by(view, task),
    )


def _boundary_first(headline: Finding, reasons: list[Finding]) -> tuple[Finding, list[Finding]]:
    """Without a place, the first boundary that keeps it out says more than that it waits."""
    for at, reason in enumerate(reasons):
        if reason.code in _BOUNDARY:
            return reason, [headline, *reasons[:at], *reasons[at + 1 :]]
    return headline, reasons


def explain_ended(task: Task) -> Explanation:
    """Why it ended so; needs nothing but the task, so that it serves rows of the past too."""
    assert task.outcome is not None
    reasons = [past.cause for past in task.past[:-1] if past.cause is not None]
    if task.moved is not None:
        reasons.append(task.moved)
    reasons += _kept_late(task)
    if task.outcome.late_ms:
        numbers: Numbers = {"late_ms": task.outcome.late_ms}
        reasons.append(_note("LW732", task, numbers=numbers))
    return Explanation(
        task=task.id,
        headline=task.outcome.cause,
        reasons=tuple(reasons),
        boundary=task.outcome.cause.code in _BOUNDARY,
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


def outcome_by(view: View, task: Task) -> Instant:
    """The moment by which there will be an outcome, whatever happens."""
    if task.attempt is not None and task.attempt.stop_at is not None:
        lease = view.facts.leases.get(task.attempt.worker)
        guard = lease.terms.guard.total_ms if lease else 0
        return task.attempt.stop_at + guard + view.settings.patience_ms
    return task.give_up_at


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
    return _note("LW728", task, workers=workers, numbers=numbers)


def _why_waiting(view: View, task: Task, now: Instant) -> Iterator[Finding]:
    """Every reason, not only the first."""
    yield from _predecessors(view, task)
    for token in task.spec.holds:
        holder = view.index.tokens.get(token)
        if holder is not None:
            yield _note("LW722", task, other=holder, numbers={"name": token})
    plan = view.facts.plans[task.plan]
    most = plan.boundaries.max_parallel
    if most is not None and view.index.active_of_plan.get(plan.id, 0) >= most:
        yield _note("LW726", task, numbers={"cap": most})
    chosen = task.reservation.worker if task.reservation else None
    for lease in view.facts.leases.values():
        if chosen is None or lease.worker == chosen:
            yield from _on_worker(view, task, lease, now)


def _predecessors(view: View, task: Task) -> Iterator[Finding]:
    for edge in task.edges:
        before = view.facts.tasks.get(edge.before)
        if before is None or before.state is TaskState.ENDED:
            continue
        yield _note(
            "LW721",
            task,
            other=before.id,
            numbers={"state": before.state.value, "ends_at": outcome_by(view, before)},
            variant=edge.kind.value if edge.over else "",
        )


def _on_worker(view: View, task: Task, lease: Lease, now: Instant) -> Iterator[Finding]:
    """Worker by worker: not heard of, not taking work, closed, a gate, or no room now."""
    name = (lease.worker,)
    if lease.state is not LeaseState.ACTIVE:
        said: Numbers = {"state": lease.state.value}
        if lease.reason:
            said["reason"] = lease.reason
        yield _note("LW731", task, workers=name, numbers=said)
        return
    if not heard_lately(view, lease.worker, now):
        heard = view.presence.heard.get(lease.worker)
        yield _note("LW724", task, workers=name, numbers={"heard_at": heard.at} if heard else {})
        return
    closed = gates(task.spec, lease.terms, lease.worker, now)
    yield from closed
    if closed:
        return
    if not is_open(lease.terms, now):
        windows = usable_windows(lease.terms, now)
        numbers: Numbers = {"opens_at": windows[0].opens_at} if windows else {}
        yield _note("LW725", task, workers=name, numbers=numbers)
        return
    yield from _no_room(view, task, lease)


def _no_room(view: View, task: Task, lease: Lease) -> Iterator[Finding]:
    """Asked, free and total of each resource that is short on this worker now."""
    taken = view.index.used.get(lease.worker, _NONE)
    offered = lease.terms.capacity.vector()
    for resource, asked, used, total in zip(
        RESOURCES, task.spec.uses.vector(), taken, offered, strict=True
    ):
        if asked > total - used and total < UNLIMITED:
            stem, _, unit = resource.partition("_")
            end = f"_{unit}" if unit else ""
            numbers: Numbers = {
                "resource": stem,
                f"need{end}": asked,
                f"free{end}": max(0, total - used),
                f"cap{end}": total,
            }
            yield _note("LW723", task, workers=(lease.worker,), numbers=numbers)
