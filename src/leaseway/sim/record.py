"""What the ledger says, gathered event by event: what the checks of this room compare with."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct, field

from leaseway.core.model import events as ev
from leaseway.core.model.lease import Terms
from leaseway.core.model.outcomes import Ending, EndKind, Outcome
from leaseway.core.model.plan import Edge, TaskSpec
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Instant

GIVEN_UP = "given up"
"""How an ending begins that a person called, without proof."""


class Known(Struct):
    """One submitted task."""

    spec: TaskSpec
    edges: tuple[Edge, ...]
    give_up_at: Instant
    outcomes: list[Outcome] = field(default_factory=list)
    promise: Instant | None = None


class Granted(Struct, frozen=True):
    """One grant: to whom, when, until when it may start, for which spool."""

    worker: str
    at: Instant
    start_by: Instant
    spool_id: str


class Window(Struct, frozen=True):
    """From when on a worker's last window closed when; None: never."""

    since: Instant
    closes_at: Instant | None


class Record:
    """Fed with stored events only. `ledger_at` turns true time into the coordinator's."""

    def __init__(self, ledger_at: Callable[[int], Instant]) -> None:
        self.ledger_at = ledger_at
        self.tasks: dict[str, Known] = {}
        self.plans: dict[tuple[str, str], list[str]] = {}  # (principal, key) → plans made of it
        self.granted: dict[AttemptRef, Granted] = {}
        self.spools: dict[str, list[str]] = {}  # worker → spools it had, in turn
        self.incarnations: dict[str, list[int]] = {}
        self.lost_as_held: set[AttemptRef] = set()  # lost though the last word was that it is held
        self.lost_at: dict[AttemptRef, Instant] = {}
        self.kept_at: dict[AttemptRef, Instant] = {}
        self.withdrawn: list[str] = []
        self.extended: set[AttemptRef] = set()
        self.returned: set[AttemptRef] = set()
        self.endings: dict[AttemptRef, Ending] = {}
        self.kept: dict[AttemptRef, Ending] = {}
        self.latest_stop: dict[AttemptRef, Instant] = {}
        self._windows: dict[str, list[Window]] = {}

    def feed(self, at: Instant, event: ev.Event) -> None:
        """One more stored event."""
        match event:
            case (
                ev.WorkerRegistered(worker=worker, terms=terms)
                | ev.LeaseChanged(worker=worker, terms=terms)
            ):
                self._windows.setdefault(worker, []).append(Window(at, _last_close(terms)))
                if isinstance(event, ev.WorkerRegistered):
                    self.spools.setdefault(worker, []).append(event.spool_id)
                    self.incarnations.setdefault(worker, []).append(event.incarnation)
            case ev.PlanSubmitted(plan=plan, principal=who, key=key):
                self.plans.setdefault((who, key), []).append(plan)
            case ev.TaskSubmitted(task=name, spec=spec, edges=edges, give_up_at=give_up_at):
                self.tasks[name] = Known(spec, edges, give_up_at)
            case ev.TaskReserved(task=name, promise=promise):
                self.tasks[name].promise = promise
            case ev.PromiseWithdrawn(task=name):
                self.withdrawn.append(name)
            case ev.TaskEnded(task=name, outcome=outcome):
                self.tasks[name].outcomes.append(outcome)
            case _:
                self._of_attempt(at, event)

    def _of_attempt(self, at: Instant, event: ev.Event) -> None:
        match event:
            case ev.AttemptGranted(task=name, number=number):
                ref = AttemptRef(name, number)
                self.granted[ref] = Granted(event.worker, at, event.start_by, event.spool_id)
                self.latest_stop[ref] = event.start_by + event.reservation.reserved_ms
            case ev.StopTimeMoved(task=name, number=number, stop_at=stop_at):
                ref = AttemptRef(name, number)
                self.latest_stop[ref] = max(self.latest_stop[ref], stop_at)
                self.extended.add(ref)
            case ev.AttemptReturned(task=name, number=number):
                self.returned.add(AttemptRef(name, number))
            case ev.AttemptEnded(task=name, number=number, ending=ending):
                self.endings[AttemptRef(name, number)] = ending
                if ending.kind is EndKind.UNKNOWN and not ending.detail.startswith(GIVEN_UP):
                    self.lost_at[AttemptRef(name, number)] = at
            case ev.ResultKept(task=name, number=number, ending=ending):
                self.kept[AttemptRef(name, number)] = ending
                self.kept_at[AttemptRef(name, number)] = at
            case _:
                pass

    def latest_close(self, ref: AttemptRef) -> Instant | None:
        """The latest close of a window that this attempt may have been told; None: no end."""
        if ref not in self.granted:
            return None
        granted = self.granted[ref]
        windows = self._windows[granted.worker]
        in_force = [window for window in windows if window.since > granted.at]
        before = [window for window in windows if window.since <= granted.at]
        closes = [window.closes_at for window in (*before[-1:], *in_force)]
        return None if None in closes else max(close for close in closes if close is not None)

    def open_tasks(self) -> list[str]:
        """Submitted, without an outcome."""
        return [name for name, known in self.tasks.items() if not known.outcomes]


def _last_close(terms: Terms) -> Instant | None:
    closes = [window.closes_at for window in terms.windows]
    return None if None in closes else max((c for c in closes if c is not None), default=0)
