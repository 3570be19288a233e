"""Wrong rules for a coordinator, each made from the real one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from leaseway.core.decisions import endings
from leaseway.core.decisions.decision import Accepted, Refused
from leaseway.core.model.events import Event
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef
from leaseway.ledger.errors import LedgerUnavailable

Real = Callable[..., Any]


def expiry_first(real: Real) -> Real:
    """What is overdue is called lost before the reports of its worker's sync are read."""

    def wrong(view: Any, command: Any, now: int) -> Any:
        worker = command.request.worker
        lost: list[Event] = []
        lease = view.facts.leases.get(worker)
        if lease is None or lease.incarnation != command.request.incarnation:
            return real(view, command, now)
        for name in view.index.attempts.get(worker, {}):
            task = view.facts.tasks[name]
            late = task.attempt.stop_at + lease.terms.guard.total_ms
            if now > late:
                unknown = Ending(EndKind.UNKNOWN, detail="not heard of")
                lost += endings.conclude(view, task, task.attempt, unknown, late, now)
        return Accepted(tuple(lost), then=(command,)) if lost else real(view, command, now)

    return wrong


def any_number_counts(real: Real) -> Real:
    """The ending of an older attempt ends the current one."""

    def wrong(reports: Any, at: int, report: Any) -> Iterator[Any]:
        task = reports.view.facts.tasks.get(report.ref.task)
        if task is not None and task.attempt is not None:
            report = replace(report, ref=AttemptRef(task.id, task.attempt.number))
            reports.lease = replace(reports.lease, worker=task.attempt.worker)
        yield from real(reports, at, report)

    return wrong


def answered_unstored(real: Real) -> Real:
    """An append that failed is taken for one that did not."""

    def wrong(service: Any, draft: Any) -> None:
        try:
            real(service, draft)
        except LedgerUnavailable:
            service.stale = False

    return wrong


def tokens_not_kept(real: Real) -> Real:
    """A grant takes its tokens and nobody notes it."""

    def wrong(view: Any, task: Any) -> None:
        real(view, task)
        for token in task.spec.holds:
            view.index.tokens.pop(token, None)

    return wrong


def lost_is_repeated(real: Real) -> Real:
    """What is overdue is called lost at its stop time, without waiting for kill and clocks."""

    def wrong(view: Any, now: int) -> Iterator[Any]:
        early = max((lease.terms.guard.total_ms for lease in view.facts.leases.values()), default=0)
        yield from real(view, now + 4 * early)

    return wrong


def freed_at_once(real: Real) -> Real:
    """Nothing is kept for what was given up."""
    return lambda event, cause, _: real(event, cause, 0)


def freed_too_soon(real: Real) -> Real:
    """The moment by which an unconfirmed attempt must have stopped is not waited for."""
    return lambda view, now: real(view, now + 600_000)


def another_ending(real: Real) -> Real:
    """Whatever was seen of the process, it exited well."""

    def wrong(view: Any, task: Any, attempt: Any, report: Any, arrived: int) -> Iterator[Any]:
        well = Ending(report.ending.kind, exit_code=0, ran_ms=report.ending.ran_ms)
        yield from real(view, task, attempt, replace(report, ending=well), arrived)

    return wrong


def no_policy(real: Real) -> Real:
    """As if nobody had set one."""
    return lambda view: 0


def asked_is_given(real: Real) -> Real:
    """Whoever has asked once may go on."""

    def wrong(view: Any, command: Any, judged: Any, now: int) -> Any:
        found = real(view, command, judged, now)
        mine = [
            each
            for each in view.facts.rules.approvals.values()
            if each.asked.principal == command.principal.name
        ]
        return mine[-1] if mine and isinstance(found, Refused) else found

    return wrong
