"""What really ran, seen by nobody in the world: every execution, and what must hold of them all.

One fact of life is let off: nobody can stop a process of a machine that sleeps before it wakes.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.touching import meeting
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import LocalGrant
from leaseway.sim.host import Host
from leaseway.sim.record import Known, Record

SLACK_MS: Millis = 250
"""How late a keeper may look at its clocks."""


class Run(Struct, eq=False):
    """One execution. Moments are true time unless they say otherwise."""

    grant: LocalGrant
    host: Host
    began: int
    began_boot: Millis
    stop_boot: Millis  # as the grant and the latest order allow, on the host's own clock
    slept: int = 0  # of the host, before it began
    ended: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    stopped: bool = False  # TERM was sent
    noted: bool = False  # its ending reached the journal

    @property
    def ref(self) -> AttemptRef:
        """Which attempt it is."""
        return self.grant.ref

    @property
    def alive(self) -> bool:
        """Whether it is still there."""
        return self.ended is None

    @property
    def overslept(self) -> bool:
        """Whether its machine slept meanwhile."""
        return self.host.asleep or self.host.slept_true_ms > self.slept

    @property
    def succeeded(self) -> bool:
        """Whether it ended by itself, and well."""
        return self.ended is not None and self.exit_code == 0 and not self.stopped


class Truth:
    """All executions."""

    def __init__(self, record: Record) -> None:
        self.runs: list[Run] = []
        self.found: list[str] = []
        self._record = record

    def begin(self, run: Run) -> None:
        """It executes."""
        self.found += self._at_start(run)
        self.runs.append(run)

    def end(self, run: Run, now: int) -> None:
        """Nothing of it is left."""
        run.ended = now
        self.found += self._at_end(run)

    def of(self, task: str) -> list[Run]:
        """Every execution of a task."""
        return [run for run in self.runs if run.ref.task == task]

    def _at_start(self, run: Run) -> Iterator[str]:
        name = run.ref.task
        known = self._record.tasks.get(name)
        if known is None:
            yield f"truth 23 invention: {run.ref} runs and was never submitted"
            return
        for other in self.runs:
            if other.ref == run.ref:
                yield f"truth 4 twice: {run.ref} is executed a second time"
            if other.alive and not other.overslept:
                yield from self._beside(run, other, known)
        for edge in known.edges:
            if edge.kind.skips and not any(done.succeeded for done in self.of(edge.before)):
                yield f"truth 16 order: {run.ref} begins and {edge.before} has not succeeded"

    def _beside(self, run: Run, other: Run, known: Known) -> Iterator[str]:
        """Whether it may begin while the other runs."""
        if other.ref.task == run.ref.task:
            yield f"truth 5 exclusive: {run.ref} begins while {other.ref} runs"
        shared = self._shared(other.ref.task, known.spec.holds)
        if shared:
            yield f"truth 15 tokens: {run.ref} begins while {other.ref} holds {shared}"
        over = self._meet(run, other, known.spec)
        if over is not None:
            yield f"truth 29 conflicts: {run.ref} begins while {other.ref} touches {over}"
        if any(edge.before == other.ref.task for edge in known.edges):
            yield f"truth 16 order: {run.ref} begins while {other.ref} runs"

    def _meet(self, run: Run, other: Run, spec: TaskSpec) -> str | None:
        known = self._record.tasks.get(other.ref.task)
        if known is None:
            return None
        touched, theirs = accesses_of(spec, None), accesses_of(known.spec, None)
        return meeting(touched, theirs, one_machine=run.host is other.host)

    def _shared(self, task: str, holds: tuple[str, ...]) -> list[str]:
        known = self._record.tasks.get(task)
        return [] if known is None else [token for token in holds if token in known.spec.holds]

    def _at_end(self, run: Run) -> Iterator[str]:
        """20: over in time, by the worker's own clock and by the coordinator's."""
        if run.overslept or not run.host.on:
            return
        tail = run.grant.guard.tail_ms
        over = run.host.read().boot_ms - (run.stop_boot + tail)
        if over > SLACK_MS:
            yield f"truth 20 stop: {run.ref} ran {over} ms past its stop time and tail"
        assert run.ended is not None
        at = self._record.ledger_at(run.ended)
        latest = self._record.latest_stop.get(run.ref)
        if latest is not None:
            drift = (at - self._record.ledger_at(run.began)) // 500
            late = at - (latest + tail + run.grant.guard.clock_error_ms + drift)
            if late > 0:
                yield f"truth 20 stop: {run.ref} ran {late} ms longer than the ledger knows"
        close = self._record.latest_close(run.ref)
        if close is not None and at > close:
            yield f"truth 20 window: {run.ref} ran {at - close} ms past its window"
