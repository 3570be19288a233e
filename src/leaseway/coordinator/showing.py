"""Workers and answers as they are shown: what the view says, put into the words of the wire."""

from __future__ import annotations

from leaseway.core.admission.caution import early_of
from leaseway.core.admission.gates import closes_at, is_open, usable_windows
from leaseway.core.decisions.placing import Promised, Submitted
from leaseway.core.model.capacity import Vector, minus, plus
from leaseway.core.model.states import TaskState
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, Task, View
from leaseway.core.presence import is_leaving, is_present
from leaseway.wire.findings import finding_info, finding_infos
from leaseway.wire.history import estimate_info
from leaseway.wire.plans import PlacedTask, SubmitReply
from leaseway.wire.tasks import edge_info, outcome_info, reservation_info
from leaseway.wire.workers import HeldInfo, WorkerInfo, amounts, terms_info

_NONE: Vector = (0, 0, 0, 0, 0, 0)


def worker_info(view: View, lease: Lease, now: Instant) -> WorkerInfo:
    """One worker as it is shown."""
    terms, name = lease.terms, lease.worker
    used = _running(view, name)
    heard = view.presence.heard.get(name)
    opened = is_open(terms, now)
    close = closes_at(terms, now)
    return WorkerInfo(
        name=name,
        state=lease.state.value,
        open=opened,
        present=is_present(view, name, now),
        leaving=is_leaving(view, name),
        terms=terms_info(terms),
        terms_version=lease.version,
        incarnation=lease.incarnation,
        now=now,
        registered_at=lease.registered_at,
        remaining_ms=None if close is None else close - now,
        opens_in_ms=None if opened else _opens_in(lease, now),
        used=amounts(used),
        free=amounts(_free(terms.capacity.vector(), used)),
        held=_held(view, name),
        reserved_tasks=_waiting(view, name),
        heard_ago_ms=None if heard is None else now - heard.at,
        moved_by=lease.moved_by,
        reason=lease.reason,
        cause=finding_info(lease.cause) if lease.cause else None,
        software=lease.software,
        machine_id=lease.machine_id,
        ledger_accepted=lease.ledger_accepted,
        offset_ms=heard.offset_ms if heard else 0,
        slept_ms=lease.slept_ms,
        set_terms=lease.set_terms,
        set_at=lease.set_at,
        meter=heard.meter if heard else {},
        early_close_ms=early_of(view, name),
    )


def _opens_in(lease: Lease, now: Instant) -> Millis | None:
    coming = usable_windows(lease.terms, now)
    return coming[0].opens_at - now if coming else None


def _running(view: View, worker: str) -> Vector:
    """What is in use there now. What is granted ahead waits at the worker and uses nothing."""
    used = _NONE
    for held in view.index.attempts.get(worker, ()):
        task = view.facts.tasks[held]
        if task.attempt is not None and task.attempt.phase is not Phase.GRANTED:
            used = plus(used, task.spec.uses.vector())
    return used


def _free(whole: Vector, used: Vector) -> Vector:
    """Never less than nothing: an owner may have taken back what still runs."""
    cpus, memory, gpus, disk, processes, slots = minus(whole, used)
    some = (max(0, cpus), max(0, memory), max(0, gpus))
    return (*some, max(0, disk), max(0, processes), max(0, slots))


def _waiting(view: View, worker: str) -> int:
    """How many tasks have a place there and are not granted yet."""
    outstanding = view.index.outstanding.get(worker, ())
    return sum(view.facts.tasks[name].state is TaskState.WAITING for _, _, name in outstanding)


def _held(view: View, worker: str) -> tuple[HeldInfo, ...]:
    return tuple(
        HeldInfo(task.id, task.attempt.number, task.attempt.phase.value, task.attempt.stop_at)
        for task in (view.facts.tasks[name] for name in view.index.attempts.get(worker, ()))
        if task.attempt is not None
    )


def submit_reply(said: Submitted, gone: list[Task], view: View, now: Instant) -> SubmitReply:
    """The answer to a submit. `gone`: its tasks that have left the view, at a repeated submit."""
    placed = [*(_promised(each, view) for each in said.tasks), *(_placed(each) for each in gone)]
    return SubmitReply(
        plan=said.plan,
        tasks=tuple(placed),
        now=now,
        findings=finding_infos(said.findings),
        repeated=said.repeated,
        dry=said.dry,
    )


def _promised(promised: Promised, view: View) -> PlacedTask:
    task = view.facts.tasks.get(promised.task)
    outcome = task.outcome if task is not None else None
    return PlacedTask(
        id=promised.task,
        name=promised.name,
        promise=promised.promise,
        reservation=reservation_info(promised.reservation),
        edges=tuple(edge_info(edge) for edge in promised.edges),
        findings=finding_infos(promised.findings),
        outcome=outcome_info(outcome) if outcome else None,
        learned=estimate_info(promised.learned),
    )


def _placed(task: Task) -> PlacedTask:
    return PlacedTask(
        id=task.id,
        name=task.spec.name,
        promise=task.promise,
        edges=tuple(edge_info(edge) for edge in task.edges),
        outcome=outcome_info(task.outcome) if task.outcome else None,
        learned=estimate_info(task.spec.learned),
    )
