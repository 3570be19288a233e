"""Sync, first half: what a worker says, taken as reports before anything is judged.

Order of `protocol.md` §3: fences (incarnation, ledger) → endings and starts → hand-backs and grants
that never arrived → longer stop times. Then the pool advances, then `answer` replies.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from leaseway.core.decisions.checkpoints import advice_changed, last_told
from leaseway.core.decisions.decision import Accepted, Decision, Refused
from leaseway.core.decisions.endings import back, ended, kept_late, returned
from leaseway.core.decisions.extend import extensions
from leaseway.core.decisions.hand_back import distrusted
from leaseway.core.decisions.spoken import REASON, apart
from leaseway.core.decisions.unconfirmed import not_named, told
from leaseway.core.decisions.windows import gone_on
from leaseway.core.model import events as ev
from leaseway.core.model.commands import Advance, Answer, Recheck, Sync
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import (
    AttemptRef,
    EndingReport,
    Held,
    Phase,
    SyncReply,
    SyncRequest,
)
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Attempt, Lease, Task, View
from leaseway.core.presence import may_judge


def sync(view: View, command: Sync, now: Instant) -> Decision:
    """Take the reports of a sync."""
    request = command.request
    lease = view.facts.leases.get(request.worker)
    fenced = _fenced(lease, request)
    if fenced is not None or lease is None:
        return fenced or Refused(())
    heard = view.presence.heard.get(request.worker)
    if heard is not None and request.seq < heard.seq:  # overtaken on the way: it says what was
        return Accepted(reply=SyncReply(for_seq=request.seq, superseded=True))
    reporting = _Reports(view, command, lease)
    events = reporting.events()
    changed = bool(events)
    events.append(
        ev.Heard(
            worker=request.worker,
            seq=request.seq,
            boot_ms=request.boot_ms,
            arrived=command.arrived,
            reported=tuple(reporting.named),
            offset_ms=request.offset_ms,
            meter=request.meter or None,
            leaving=request.leaving,
            checkpoints=last_told(request, command.arrived),
        )
    )
    answer = Answer(request, command.arrived, tuple(reporting.settled))
    first_word = not may_judge(view, request.worker, now) or request.worker not in (
        view.presence.heard
    )
    ready = bool(view.index.ready.get(request.worker)) or bool(view.index.unplaced)
    moved = next((event for event in events if isinstance(event, ev.LeaseMoved)), None)
    if moved is not None:
        why = "quarantined" if moved.state is LeaseState.QUARANTINED else "drained"
        recheck = Recheck(request.worker, "clock" if moved.reason == "clock" else why)
        return Accepted(tuple(events), then=(recheck, Advance(), answer))
    if any(isinstance(event, ev.LeaseChanged) for event in events):
        recheck = Recheck(request.worker, "shrunk")
        return Accepted(tuple(events), then=(recheck, Advance(), answer))
    if changed or first_word or ready:
        return Accepted(tuple(events), then=(Advance(), answer))
    return Accepted(tuple(events), then=(answer,))


def _fenced(lease: Lease | None, request: SyncRequest) -> Refused | None:
    """Messages of an older daemon under this name, or of one that never registered (LW801)."""
    numbers: dict[str, int | str | list[str]] = {"number": request.incarnation}
    variant = ""
    if lease is None:
        variant = "worker"
    elif request.incarnation != lease.incarnation:
        variant, numbers["current"] = "incarnation", lease.incarnation
        numbers["spool"] = lease.spool_id  # one spool has one daemon: it may be its own double
    if not variant:
        return None
    finding = Finding(code="LW801", workers=(request.worker,), numbers=numbers, variant=variant)
    return Refused((finding,), kind="fenced")


class _Reports:
    """One sync's reports, folded into events."""

    def __init__(self, view: View, command: Sync, lease: Lease) -> None:
        self.view = view
        self.request = command.request
        self.arrived = command.arrived
        self.fresh_id = command.fresh_id
        self.lease = lease
        heard = view.presence.heard.get(lease.worker)
        self.again = heard is not None and heard.seq == command.request.seq  # nothing new in it
        self.named: set[AttemptRef] = {held.ref for held in self.request.held} | {
            report.ref for report in self.request.endings
        }
        self.settled: list[int] = []

    def events(self) -> list[ev.Event]:
        """Everything this sync's reports mean, in order."""
        made: list[ev.Event] = list(self._ledger())
        made += self._version() or self._clock()
        for at, report in enumerate(self.request.endings):
            made += self._ending(at, report)
        for held in self.request.held:
            made += self._held(held)
        done = {event.task for event in made if isinstance(event, ev.AttemptEnded)}
        for ref in self.request.back:
            made += self._back(ref)
        made += distrusted(self.view, self.lease, made)
        for name in self.view.index.attempts.get(self.lease.worker, {}):
            if name not in done:
                made += self._not_named(self.view.facts.tasks[name])
        made += not_named(self.view, self.lease, self.request, self.named)
        made += gone_on(self.lease, self.request.windows, self.arrived)
        made += advice_changed(self.view, self.request, self.arrived)
        made += extensions(self.view, self.lease, self.request, self.arrived, done)
        return made

    def _ledger(self) -> Iterator[ev.Event]:
        """A worker that has seen more of this history than there is: an old copy was restored."""
        facts, request = self.view.facts, self.request
        if request.ledger_id == facts.ledger_id and request.ledger_seen > facts.position:
            yield ev.LedgerForked(
                self.fresh_id or f"{facts.ledger_id}+{facts.position}",
                facts.ledger_id,
                request.ledger_seen,
                request.worker,
            )

    def _version(self) -> list[ev.Event]:
        """This coordinator was upgraded while the worker went on: too far apart, it drains."""
        name, software = self.lease.worker, self.lease.software
        cause = apart(name, self.request.speaks, software)
        if cause is None or self.lease.state is not LeaseState.ACTIVE:
            return []
        return [ev.LeaseMoved(name, LeaseState.DRAINING, "leaseway", REASON, cause)]

    def _clock(self) -> Iterator[ev.Event]:
        """A clock whose rate is off drains the worker (LW803); a sleep is told (LW804)."""
        heard = self.view.presence.heard.get(self.lease.worker)
        if self.request.slept_ms and not self.again:
            yield ev.WorkerSlept(self.lease.worker, self.request.slept_ms)
        anchor = heard.anchor if heard else None
        if anchor is None or self.lease.state is not LeaseState.ACTIVE:
            return
        if self.arrived - self.view.presence.looked_at > self.view.settings.gap_ms:
            return  # the coordinator itself slept or stalled: the comparison begins anew
        span = self.arrived - anchor.at
        if span < 60_000:
            return
        off = (self.request.boot_ms - anchor.boot_ms) - span
        allowed = span * self.view.settings.drift_ppm // 1_000_000
        if abs(off) > allowed + self.lease.terms.guard.clock_error_ms:
            cause = Finding(
                code="LW803",
                workers=(self.lease.worker,),
                numbers={"offset_ms": off, "span_ms": span, "limit_ms": allowed},
                variant="rate",
                severity=Severity.WARNING,
            )
            yield ev.LeaseMoved(self.lease.worker, LeaseState.DRAINING, "leaseway", "clock", cause)

    def _ending(self, at: int, report: EndingReport) -> Iterator[ev.Event]:
        task = self.view.facts.tasks.get(report.ref.task)
        if task is None or report.ref.number > task.numbers:
            return  # unknown here: kept and reported by the worker, never settled
        self.settled.append(at)
        attempt = task.attempt
        current = (
            attempt is not None
            and attempt.number == report.ref.number
            and attempt.worker == self.lease.worker
        )
        if current and attempt is not None:
            yield from ended(self.view, task, attempt, report, self.arrived)
        else:
            yield from kept_late(task, report, self.lease.worker)
            yield from told(task, report, self.lease.worker)

    def _held(self, held: Held) -> Iterator[ev.Event]:
        attempt = self._current(held.ref)
        if attempt is None or held.phase is attempt.phase:
            return
        started = attempt.started_at
        stop_at = attempt.stop_at
        if started is None and held.started_ago_ms is not None:
            started = min(max(self.arrived - held.started_ago_ms, attempt.granted_at), self.arrived)
            own = min(started, attempt.start_by) + attempt.reserved_ms
            stop_at = own if stop_at is None else min(own, stop_at)
        if attempt.phase is Phase.GRANTED and held.phase is not Phase.GRANTED:
            yield ev.AttemptMoved(held.ref.task, held.ref.number, Phase.STARTING)
            if held.phase is Phase.STARTING:
                return
        if started is None or held.phase in (Phase.GRANTED, Phase.ENDED):
            return
        if attempt.phase in (Phase.GRANTED, Phase.STARTING):
            yield ev.AttemptMoved(
                held.ref.task,
                held.ref.number,
                Phase.RUNNING,
                started,
                stop_at,
                self._since_start(held.ref.task, started, stop_at),
            )
        if held.phase is Phase.STOPPING and attempt.phase is not Phase.STOPPING:
            yield ev.AttemptMoved(held.ref.task, held.ref.number, Phase.STOPPING)

    def _since_start(self, name: str, started: Instant, stop_at: Instant | None) -> ev.Reservation:
        """Its rectangle as it lies since it started, perhaps earlier than it was set aside."""
        kept = self.view.facts.tasks[name].reservation
        assert kept is not None
        tail_ms = self.lease.terms.guard.tail_ms
        end = kept.end if stop_at is None else min(kept.end, stop_at + tail_ms)
        start = min(kept.start, started)
        return replace(kept, start=start, end=max(start, end))

    def _back(self, ref: AttemptRef) -> Iterator[ev.Event]:
        attempt = self._current(ref)
        if attempt is None or attempt.phase is not Phase.GRANTED:
            return
        task = self.view.facts.tasks[ref.task]
        yield from back(task, attempt, self.arrived)

    def _not_named(self, task: Task) -> Iterator[ev.Event]:
        """A grant that this sync does not name. It never started only if the spool is the same
        and the sync is later than the grant; and only past its start-by is it taken back,
        before that it is sent again."""
        attempt = task.attempt
        assert attempt is not None
        ref = AttemptRef(task.id, attempt.number)
        if ref in self.named or ref in self.request.back:
            return
        if self.again:
            return  # it was answered with the grant, perhaps, and has come a second time
        granted = (attempt.incarnation, attempt.seq)
        said = (self.request.incarnation, self.request.seq)
        if attempt.phase is not Phase.GRANTED or granted >= said:
            return
        same_spool = attempt.spool_id == self.request.spool_id
        if same_spool and (self.arrived > attempt.start_by or attempt.stop_reason):
            yield from returned(task, attempt, self.arrived)

    def _current(self, ref: AttemptRef) -> Attempt | None:
        task = self.view.facts.tasks.get(ref.task)
        if task is None or task.attempt is None or task.attempt.number != ref.number:
            return None
        if task.attempt.worker != self.lease.worker or task.state is TaskState.ENDED:
            return None
        return task.attempt
