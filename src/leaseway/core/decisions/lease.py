"""ChangeLease, SetState, Revoke: what an owner does with a worker's lease."""

from __future__ import annotations

from msgspec import UNSET, structs

from leaseway.core.admission.gates import closes_at, drift_of, gates, left_of, usable_windows
from leaseway.core.admission.room import Room
from leaseway.core.admission.shared import shares_cpus
from leaseway.core.decisions.decision import Accepted, Decision, Refused, unknown
from leaseway.core.decisions.replace import Replacing
from leaseway.core.decisions.spoken import is_apart
from leaseway.core.decisions.squeezed import squeezed
from leaseway.core.decisions.terms import wrong_terms, wrong_windows
from leaseway.core.model import events as ev
from leaseway.core.model.commands import Advance, ChangeLease, Recheck, Revoke, SetState
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Terms, TermsChange, windows_at
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.states import LEASE_MOVES, LeaseState, TaskState
from leaseway.core.model.sync import Phase
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, Task, View


def change_lease(view: View, command: ChangeLease, now: Instant) -> Decision:
    """New terms. What runs is re-checked, what waits is placed anew where it no longer fits."""
    lease = view.facts.leases.get(command.worker)
    if lease is None:
        return unknown("worker", command.worker, list(view.facts.leases))
    if lease.state is LeaseState.ENDED:
        ended = Finding(code="LW801", workers=(lease.worker,), variant="ended")
        return Refused((ended,), kind="conflict")
    terms = _changed(lease, command.change, now)
    if not isinstance(terms, Terms):
        return Refused(tuple(terms))
    if terms == lease.terms:
        return Accepted(reply=terms)
    event = ev.LeaseChanged(command.worker, lease.version + 1, terms, command.actor)
    return Accepted((event,), terms, then=(Recheck(command.worker, "shrunk"), Advance()))


def _changed(lease: Lease, change: TermsChange, now: Instant) -> Terms | list[Finding]:
    """The terms after a change, or why nothing could ever run under them."""
    given = {name: value for name, value in structs.asdict(change).items() if value is not UNSET}
    timed = bool({"windows", "guard"} & given.keys())
    windows = given.pop("windows", None)
    if windows is not None:
        wrong = list(wrong_windows(lease.worker, tuple(windows)))
        if wrong:
            return wrong
        given |= {"windows": windows_at(windows, now), "recurring": ""}
    if "extendable_ms" in given:
        until = given.pop("extendable_ms")
        given["extendable_until"] = None if until is None else now + until
    terms = structs.replace(lease.terms, **given)
    return wrong_terms(lease.worker, terms, now, windows=timed) or terms


def recheck(view: View, command: Recheck, now: Instant) -> Decision:
    """After terms changed or a state moved: shorten what runs, move what waits (LW602, LW605)."""
    lease = view.facts.leases[command.worker]
    cause = Finding(
        code="LW605",
        workers=(lease.worker,),
        numbers={"reason": lease.reason} if lease.reason else {},
        variant=command.why,
        severity=Severity.WARNING,
    )
    events: list[ev.Event] = []
    waiting: list[Task] = []
    for _, _, name in view.index.outstanding.get(lease.worker, ()):
        task = view.facts.tasks[name]
        if task.state is TaskState.WAITING:
            waiting.append(task)
        elif task.attempt is not None:
            events.extend(_shortened(lease, task, now))
    if lease.state is LeaseState.ACTIVE and not command.everything:
        waiting = [task for task in waiting if not _still_fits(view, lease, task, now)]
        if shares_cpus(view, lease):
            gone, told = squeezed(view, lease, now)
            waiting += [task for task in gone if task not in waiting]
            events += [event for event in told if not _is_told(event, events)]
    events += Replacing(view, now).move(waiting, cause)
    return Accepted(tuple(events))


def _is_told(event: ev.Event, events: list[ev.Event]) -> bool:
    """Whether the same task is told of a stop time already."""
    moved = [each.task for each in events if isinstance(each, ev.StopTimeMoved)]
    return isinstance(event, ev.StopTimeMoved) and event.task in moved


def _shortened(lease: Lease, task: Task, now: Instant) -> list[ev.Event]:
    """A running attempt whose stop time no longer lies within the window."""
    attempt, rectangle = task.attempt, task.reservation
    assert attempt is not None
    assert rectangle is not None
    close = closes_at(lease.terms, now)
    if close is None and any(window.closes_at is None for window in lease.terms.windows):
        return []
    guard = lease.terms.guard
    latest = now if close is None else max(now, close - guard.tail_ms - guard.clock_error_ms)
    if attempt.stop_at is None or attempt.stop_at <= latest:
        return []
    cause = Finding(
        code="LW602",
        tasks=(task.id,),
        workers=(lease.worker,),
        numbers={"old_at": attempt.stop_at, "new_at": latest},
        severity=Severity.WARNING,
    )
    shorter = structs.replace(rectangle, end=max(rectangle.start, latest + guard.tail_ms))
    moved = ev.StopTimeMoved(task.id, attempt.number, latest, shorter, cause)
    if attempt.phase is not Phase.GRANTED or rectangle.start <= now + guard.delivery_ms:
        return [moved]
    # Granted ahead and not due yet: it is handed back, and placed anew or withdrawn at once.
    return [moved, ev.StopOrdered(task.id, attempt.number, StopReason.WINDOW, "leaseway")]


def _still_fits(view: View, lease: Lease, task: Task, now: Instant) -> bool:
    """Whether a waiting task's rectangle still lies in a window, under the caps and capacity."""
    rectangle = task.reservation
    assert rectangle is not None
    terms = lease.terms
    inside = any(
        window.opens_at <= rectangle.start
        and (
            window.closes_at is None
            or rectangle.end
            + terms.guard.clock_error_ms
            + drift_of(terms.guard, left_of(window, now))
            <= window.closes_at
        )
        for window in usable_windows(terms, now)
    )
    closed = [
        finding
        for finding in gates(task.spec, terms, lease.worker, now)
        if finding.code not in ("LW302", "LW309")
    ]
    nothing = (0,) * len(task.spec.uses.vector())
    profile = Room(view, now).worker(lease.worker)
    roomy = profile.has_room(
        max(now, rectangle.start), rectangle.end, nothing, terms.capacity.vector()
    )
    return inside and not closed and roomy


def set_state(view: View, command: SetState, now: Instant) -> Decision:
    """Drain, undrain, quarantine, end. Undraining says yes to a ledger id that changed."""
    lease = view.facts.leases.get(command.worker)
    if lease is None:
        return unknown("worker", command.worker, list(view.facts.leases))
    if command.state is LeaseState.ACTIVE and lease.cause is not None and is_apart(lease):
        return Refused((structs.replace(lease.cause, severity=Severity.ERROR),), kind="conflict")
    events: list[ev.Event] = []
    if command.state is LeaseState.ACTIVE and not lease.ledger_accepted:
        events.append(ev.LedgerAccepted(lease.worker, command.actor))
    if command.state is not lease.state:
        if command.state not in LEASE_MOVES[lease.state]:
            numbers: dict[str, int | str | list[str]] = {
                "old": lease.state.value,
                "new": command.state.value,
            }
            finding = Finding(
                code="LW801", workers=(lease.worker,), variant="state", numbers=numbers
            )
            return Refused((finding,), kind="conflict")
        events.append(ev.LeaseMoved(lease.worker, command.state, command.actor, command.reason))
    elif command.reason and command.reason != lease.reason:
        events += _for_another_reason(lease, command.actor, command.reason)
    if not events:
        return Accepted(reply=lease.state.value)
    why = {LeaseState.DRAINING: "drained", LeaseState.QUARANTINED: "quarantined"}.get(
        command.state, "closed"
    )
    then = (Recheck(lease.worker, why), Advance())
    return Accepted(tuple(events), command.state.value, then=then)


def _for_another_reason(lease: Lease, actor: str, reason: str) -> list[ev.Event]:
    """In the same state for a reason that was not known yet; what has ended stays as it is."""
    if lease.state in (LeaseState.ACTIVE, LeaseState.ENDED):
        return []
    return [
        ev.LeaseMoved(lease.worker, LeaseState.ACTIVE, actor),
        ev.LeaseMoved(lease.worker, lease.state, actor, reason),
    ]


def revoke(view: View, command: Revoke, now: Instant) -> Decision:
    """Take the grants back: everything running there is stopped, and the lease drains."""
    lease = view.facts.leases.get(command.worker)
    if lease is None:
        return unknown("worker", command.worker, list(view.facts.leases))
    events: list[ev.Event] = []
    if lease.state is LeaseState.ACTIVE:
        reason = command.reason or "revoked"
        moved = ev.LeaseMoved(lease.worker, LeaseState.DRAINING, command.actor, reason)
        events.append(moved)
    elif command.reason:
        events += _for_another_reason(lease, command.actor, command.reason)
    by = f"{command.actor}: {command.reason}" if command.reason else command.actor
    for name in view.index.attempts.get(lease.worker, {}):
        attempt = view.facts.tasks[name].attempt
        if attempt is not None and attempt.stop_reason is None:
            events.append(ev.StopOrdered(name, attempt.number, StopReason.REVOKE, by))
    stopped = len(view.index.attempts.get(lease.worker, {}))
    then = (Recheck(lease.worker, "revoked"), Advance())
    return Accepted(tuple(events), stopped, then=then)
