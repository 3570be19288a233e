"""An ending arrives: the attempt ends, and its task ends with one outcome or is tried again."""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.decisions.hand_back import handed_back
from leaseway.core.decisions.outcome import judge, late_by, may_repeat
from leaseway.core.model import events as ev
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Ending, EndKind, Outcome, OutcomeKind, StopReason
from leaseway.core.model.sync import EndingReport
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Task, View


def ended(
    view: View, task: Task, attempt: Attempt, report: EndingReport, arrived: Instant
) -> Iterator[ev.Event]:
    """The current attempt ended, however late this is heard."""
    if report.ending.kind is EndKind.NOT_STARTED:
        yield from back(task, attempt, arrived)
        return
    at = max(attempt.granted_at, arrived - report.ended_ago_ms)
    yield from conclude(view, task, attempt, report.ending, at, arrived)


def back(task: Task, attempt: Attempt, now: Instant) -> Iterator[ev.Event]:
    """Its worker hands it back unstarted: by its own choice, or because somebody stopped it."""
    own = handed_back(task, attempt, now)
    if own is None:
        yield from returned(task, attempt, now)
    else:
        yield own


def returned(task: Task, attempt: Attempt, now: Instant) -> Iterator[ev.Event]:
    """Never started: the task waits again, or ends if somebody had it cancelled. A grant that its
    owner took back is placed anew, perhaps elsewhere."""
    why = {StopReason.WINDOW: "shrunk", StopReason.REVOKE: "revoked"}.get(
        attempt.stop_reason or StopReason.CANCEL
    )
    cause = None
    if why is not None:
        cause = Finding(
            "LW605", (task.id,), (attempt.worker,), variant=why, severity=Severity.WARNING
        )
    yield ev.AttemptReturned(task.id, attempt.number, cause)
    if attempt.stop_reason is StopReason.CANCEL:
        yield cancelled(task, attempt.stopped_by, now)


def cancelled(task: Task, actor: str, now: Instant) -> ev.TaskEnded:
    """A task that is not running is ended by somebody."""
    cause = Finding(
        code="LW712",
        tasks=(task.id,),
        numbers={"by": actor, "ran_ms": 0},
        variant="waiting",
        severity=Severity.CAUSE,
    )
    return ev.TaskEnded(task.id, Outcome(OutcomeKind.CANCELLED, cause, now))


def conclude(
    view: View,
    task: Task,
    attempt: Attempt,
    ending: Ending,
    at: Instant,
    now: Instant,
) -> Iterator[ev.Event]:
    """Attempt ended at `at`, heard at `now`: its events and what becomes of the task."""
    lease = view.facts.leases.get(attempt.worker)
    guard_ms = lease.terms.guard.total_ms if lease else 0
    kind, cause = judge(task, attempt, ending)
    late = late_by(attempt, guard_ms, now) if ending.kind is not EndKind.UNKNOWN else 0
    yield ev.AttemptEnded(
        task.id, attempt.number, attempt.worker, ending, min(at, now), late, cause
    )
    if may_repeat(task, attempt, kind, ending, view.settings):
        yield ev.TaskRetried(task.id, cause)
    else:
        yield ev.TaskEnded(task.id, Outcome(kind, cause, now, attempt.number, late))


def kept_late(task: Task, report: EndingReport, worker: str) -> Iterator[ev.Event]:
    """An ending of an attempt that no longer holds the grant: kept once, never counted (LW708).
    A repeat of what is already known is only settled again."""
    number = report.ref.number
    if number in task.kept_numbers:
        return
    known = next((past for past in task.past if past.number == number), None)
    if known is not None and known.ending is not None and known.ending.kind is not EndKind.UNKNOWN:
        return
    current = task.attempt.number if task.attempt else task.numbers
    cause = Finding(
        code="LW708",
        tasks=(task.id,),
        workers=(worker,),
        numbers={"number": number, "current": current},
        severity=Severity.CAUSE,
    )
    yield ev.ResultKept(task.id, number, worker, report.ending, cause)
