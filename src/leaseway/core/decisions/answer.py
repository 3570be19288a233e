"""Sync, second half: what the worker is to start, stop and forget, on the view as it now is."""

from __future__ import annotations

from leaseway.core.admission.gates import runs_until
from leaseway.core.decisions.decision import Accepted, Decision
from leaseway.core.decisions.extend import lead_ms, may_grow
from leaseway.core.model.commands import Answer
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.sync import AttemptRef, Grant, Held, Phase, Stop, StopTime, SyncReply
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Attempt, Lease, Task, View
from leaseway.core.workspaces import brings, layers

_FOREVER: Millis = 10 * 365 * 86_400_000
_CALL_BY: Millis = 20_000
_SAME: Millis = 50
_SOON: Millis = 200


def answer(view: View, command: Answer, now: Instant) -> Decision:
    """The reply. Lengths are what remained when the request arrived."""
    request, arrived = command.request, command.arrived
    lease = view.facts.leases[request.worker]
    replying = _Reply(view, command, lease)
    replying.collect()
    fresh_terms = request.terms_version != lease.version
    reply = SyncReply(
        for_seq=request.seq,
        ledger_id=view.facts.ledger_id,
        head=view.facts.position,
        start=tuple(replying.start),
        stop=tuple(replying.stop),
        stop_times=tuple(replying.stop_times),
        settled=tuple(request.endings[at].ref for at in command.settled),
        state=lease.state.value,
        terms=lease.terms if fresh_terms else None,
        terms_version=lease.version,
        ledger_accepted=lease.ledger_accepted,
        call_by_ms=max(50, min(replying.call_by, now + _CALL_BY) - arrived),
        findings=_findings(view, lease),
        forget=tuple(ref for ref in request.kept if _is_done_with(view, lease, ref)),
    )
    return Accepted(reply=reply)


def _is_done_with(view: View, lease: Lease, ref: AttemptRef) -> bool:
    """Whether nobody will ask for the view of this attempt any more: its task is acknowledged, or
    has left our view, which it does only after that. Of a task that this ledger cannot have known,
    a restored copy say, nothing is said."""
    task = view.facts.tasks.get(ref.task)
    if task is not None:
        return task.acknowledged
    number = ref.task.partition("/")[0].rpartition("-")[2]
    return lease.ledger_accepted and number.isdecimal() and int(number) < view.facts.next_plan


def _findings(view: View, lease: Lease) -> tuple[Finding, ...]:
    found = [lease.cause] if lease.cause is not None else []
    if not lease.ledger_accepted:
        old = view.facts.old_ledger_ids[-1] if view.facts.old_ledger_ids else ""
        found.append(
            Finding(
                code="LW805",
                workers=(lease.worker,),
                numbers={"old": old, "new": view.facts.ledger_id},
                severity=Severity.WARNING,
            )
        )
    return tuple(found)


def _knows(held: Held, left_ms: Millis, shrinks: bool) -> bool:
    """Whether the worker has the stop time it should have: told again and again it would call
    again and again. Its length is shorter by what clocks may err and longer by its way here."""
    if held.stop_in_ms is None:
        return False
    more = held.stop_in_ms - left_ms
    allowed = _SAME + abs(left_ms) // 200
    return more <= allowed if shrinks else more >= -allowed


class _Reply:
    """The parts of one reply as they are collected."""

    def __init__(self, view: View, command: Answer, lease: Lease) -> None:
        self.view = view
        self.request = command.request
        self.arrived = command.arrived
        self.lease = lease
        self.held = {held.ref: held for held in self.request.held}
        self.start: list[Grant] = []
        self.stop: list[Stop] = []
        self.stop_times: list[StopTime] = []
        self.call_by: Instant = self.arrived + _FOREVER

    def collect(self) -> None:
        """Walk what this worker should hold, then what it says it holds and should not."""
        for name in self.view.index.attempts.get(self.lease.worker, {}):
            self._one(self.view.facts.tasks[name])
        ended = {report.ref for report in self.request.endings}
        for ref, held in self.held.items():
            task = self.view.facts.tasks.get(ref.task)
            if task is None or ref in ended or held.phase in (Phase.ENDED, Phase.STOPPING):
                continue  # unknown here: absence is never an order
            current = task.attempt is not None and task.attempt.number == ref.number
            if not current and ref.number <= task.numbers:
                self.stop.append(Stop(ref, StopReason.REVOKE))

    def _one(self, task: Task) -> None:
        attempt = task.attempt
        assert attempt is not None
        ref = AttemptRef(task.id, attempt.number)
        held = self.held.get(ref)
        if held is None:
            if attempt.phase is Phase.GRANTED and self._may_send(task):
                self.start.append(self._grant(task, ref))
            return
        if held.phase is Phase.STOPPING:
            return
        if attempt.stop_reason is not None:
            self.stop.append(Stop(ref, attempt.stop_reason))
        elif attempt.stop_moved and attempt.stop_at is not None:
            left, shrinks = attempt.stop_at - self.arrived, attempt.cause is not None
            if not _knows(held, left, shrinks):
                reason = StopReason.WINDOW if self._at_window_end(attempt) else StopReason.RESERVED
                self.stop_times.append(StopTime(ref, left, reason, shrinks))
        if attempt.stop_at is not None and may_grow(task, self.lease, self.arrived):
            due = attempt.stop_at - lead_ms(attempt)
            soon = self.arrived + max(_SOON, (attempt.stop_at - self.arrived) // 2)
            self.call_by = min(self.call_by, due if due > self.arrived else soon)

    def _at_window_end(self, attempt: Attempt) -> bool:
        """Whether its stop time is where it is because the lease closes or shrank."""
        close, guard = runs_until(self.lease.terms, self.arrived), self.lease.terms.guard
        if attempt.cause is not None or close is None or attempt.stop_at is None:
            return attempt.cause is not None
        return attempt.stop_at >= close - guard.tail_ms - guard.clock_error_ms

    def _may_send(self, task: Task) -> bool:
        """A grant is sent until it is seen held; never to another spool than it was made for."""
        attempt = task.attempt
        assert attempt is not None
        named = {report.ref for report in self.request.endings} | set(self.request.back)
        return (
            attempt.stop_reason is None
            and attempt.spool_id == self.request.spool_id
            and self.arrived <= attempt.start_by
            and AttemptRef(task.id, attempt.number) not in named
            and self.lease.ledger_accepted
        )

    def _grant(self, task: Task, ref: AttemptRef) -> Grant:
        attempt, rectangle, spec = task.attempt, task.reservation, task.spec
        assert attempt is not None
        assert rectangle is not None
        plan = self.view.facts.plans[task.plan]
        close = runs_until(self.lease.terms, self.arrived)
        guard = self.lease.terms.guard
        latest = (
            _FOREVER
            if close is None
            else close - guard.tail_ms - guard.clock_error_ms - self.arrived
        )
        if attempt.shared and attempt.stop_at is not None:
            latest = min(latest, attempt.stop_at - self.arrived)
        return Grant(
            ref=ref,
            run=spec.run,
            reserved_ms=attempt.reserved_ms,
            not_before_in_ms=0,
            start_by_in_ms=attempt.start_by - self.arrived,
            stop_latest_in_ms=max(0, latest),
            uses=spec.uses,
            guard=guard,
            workdir=spec.workdir or plan.workdir,
            env=spec.env,
            outputs=spec.outputs,
            cut_off_ms=spec.cut_off_ms,
            order=attempt.order,
            layers=layers(self.view, task),
            brings=brings(spec) if plan.workspace is not None else (),
            pacing=spec.pacing,
            shared=bool(rectangle.work),
        )
