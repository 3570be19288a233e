"""A worker that calls but does not start what it was granted is not to be trusted: quarantine."""

from __future__ import annotations

from collections.abc import Iterator

from leaseway.core.model import events as ev
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import AttemptRef, Phase
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Task, View
from leaseway.core.presence import heard_lately, reported


def never_started(view: View, now: Instant) -> Iterator[ev.Event]:
    """Grants whose start-by passed long ago, on workers that still say they hold them unstarted.
    By their own word these never ran, so the tasks are free to be placed elsewhere."""
    for worker, names in view.index.attempts.items():
        if not names or not heard_lately(view, worker, now):
            continue
        stuck = [name for name in names if _is_stuck(view, view.facts.tasks[name], now)]
        if not stuck:
            continue
        cause = _cause(view, worker, view.facts.tasks[stuck[0]], now)
        if view.facts.leases[worker].state in (LeaseState.ACTIVE, LeaseState.DRAINING):
            yield ev.LeaseMoved(
                worker,
                LeaseState.QUARANTINED,
                "leaseway",
                "does not start what it is granted",
                cause,
            )
        for name in stuck:
            attempt = view.facts.tasks[name].attempt
            assert attempt is not None
            yield ev.AttemptReturned(name, attempt.number, cause)


def _is_stuck(view: View, task: Task, now: Instant) -> bool:
    attempt = task.attempt
    assert attempt is not None
    return (
        attempt.phase is Phase.GRANTED
        and attempt.stop_reason is None
        and now > attempt.start_by + view.settings.start_patience_ms
        and reported(view, attempt.worker, AttemptRef(task.id, attempt.number))
    )


def _cause(view: View, worker: str, task: Task, now: Instant) -> Finding:
    attempt = task.attempt
    assert attempt is not None
    return Finding(
        code="LW729",
        tasks=(task.id,),
        workers=(worker,),
        numbers={"granted_at": attempt.granted_at, "waited_ms": now - attempt.granted_at},
        variant="never-started",
        severity=Severity.WARNING,
    )
