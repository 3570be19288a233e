"""Room to try placements in: what is set aside, with what a decision adds before it is said."""

from __future__ import annotations

from collections.abc import Container

from msgspec import Struct

from leaseway.core.admission.gates import reserved_ms
from leaseway.core.conflicts import machine_of
from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.capacity import Vector, without_cpus
from leaseway.core.model.events import Reservation, set_aside
from leaseway.core.model.plan import Boundaries, Edge, EdgeKind, TaskSpec
from leaseway.core.model.profile import Profile
from leaseway.core.model.touching import Access, Met, Touching
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Lease, Task, View
from leaseway.core.workspaces import receive_ms


class Wanted(Struct, frozen=True):
    """A task to place: not before `ready`; within the requester's boundaries; never on `avoid`."""

    spec: TaskSpec
    ready: Instant
    boundaries: Boundaries = Boundaries()
    avoid: tuple[str, ...] = ()
    plan: str = ""
    task: str = ""
    role: str = ""
    accesses: tuple[Access, ...] = ()
    skip: frozenset[str] = frozenset()  # tasks that stand behind it, or have no place just now
    receive_ms: Millis = 0  # for receiving its files, before the run


class Placed(Struct, frozen=True):
    """Where a task goes, and the tasks of other plans that must end first there."""

    rectangle: Reservation
    met: tuple[Met, ...] = ()
    behind: str = ""  # when this task is projected to end: beside it somebody would be late

    @property
    def conflicts(self) -> tuple[Edge, ...]:
        """The same as edges."""
        return tuple(Edge(met.task, EdgeKind.CONFLICT, met.over) for met in self.met)


def wanted(
    view: View,
    task: Task,
    ready: Instant,
    avoid: tuple[str, ...] = (),
    skip: frozenset[str] = frozenset(),
) -> Wanted:
    """A task of an accepted plan, to be placed."""
    plan = view.facts.plans[task.plan]
    return Wanted(
        task.spec,
        ready,
        plan.boundaries,
        avoid,
        task.plan,
        task.id,
        plan.role,
        accesses_of(task.spec, plan.workdir, plan.workspace),
        skip,
        receive_ms(plan.workspace),
    )


def amount_of(wanted: Wanted, lease: Lease) -> Vector:
    """What is set aside for a task with a bound on this worker."""
    asked = wanted.spec.uses.vector()
    shares = lease.terms.shares and reserved_ms(wanted.spec) is not None
    return without_cpus(asked) if shares else asked


ONE: Vector = (1,)
"""Of a token there is one, and a task takes one of its plan's lanes."""


class _Either:
    """Membership in one of two, without making their union."""

    def __init__(self, one: Container[str], two: Container[str]) -> None:
        self._both = (one, two)

    def __contains__(self, name: object) -> bool:
        return any(name in each for each in self._both)


class Room:
    """Profiles to try placements on: the view's own, copied only where something is added."""

    def __init__(self, view: View, now: Instant) -> None:
        self.view = view
        self.now = now
        self._tried: dict[tuple[str, str], Profile] = {}
        self._ahead: dict[str, list[Task]] = {}
        self._touching = Touching()  # of what was added here
        self._ends: dict[str, Instant] = {}
        self.gave_way: set[str] = set()  # best effort that this decision has stopped
        self._more_ms: dict[tuple[str, str], Millis] = {}
        self.added: dict[str, tuple[Reservation, Wanted]] = {}
        self.answers: dict[tuple[object, ...], tuple[int, Placed | None]] = {}  # see `place`
        self.leases: list[Lease] | None = None  # that may be asked, in order; see `place`
        self.there: dict[str, bool] = {}
        self._changes: dict[str, int] = {}
        self.lifted: set[str] = set()  # tasks whose own places do not count here

    def worker(self, name: str) -> Profile:
        """What is set aside on this worker, with what was added here."""
        return self._tried.get(("worker", name)) or self.view.index.profiles.get(name) or Profile()

    def shared(self, wanted: Wanted) -> list[tuple[Profile, Vector]]:
        """What it shares with tasks of any worker, and how much of it there is: every token it
        holds, and the lanes of its plan where that says how many may run at once."""
        index = self.view.index
        found: list[tuple[Profile, Vector]] = []
        for token in wanted.spec.holds:
            kept = self._tried.get(("token", token)) or index.token_profiles.get(token)
            found.append((kept or Profile(1), ONE))
        most = wanted.boundaries.max_parallel
        if most is not None:
            lanes = self._tried.get(("plan", wanted.plan)) or index.lanes.get(wanted.plan)
            found.append((lanes or Profile(1), (most,)))
        return found

    def is_free(self, lease: Lease, wanted: Wanted, start: Instant, end: Instant) -> bool:
        """Whether this task has room on this worker, and of all it shares, through [start, end)."""
        amount, capacity = amount_of(wanted, lease), lease.terms.capacity.vector()
        return self.worker(lease.worker).has_room(start, end, amount, capacity) and all(
            profile.has_room(start, end, ONE, most) for profile, most in self.shared(wanted)
        )

    def joint(self, wanted: Wanted, lease: Lease, ready: Instant, length: Millis) -> Instant:
        """The first moment at which capacity and everything shared are free together."""
        amount, capacity = amount_of(wanted, lease), lease.terms.capacity.vector()
        profile, shared = self.worker(lease.worker), self.shared(wanted)
        moment = max(ready, self.not_before(lease.worker, wanted))
        while True:
            start = profile.earliest(moment, length, amount, capacity)
            assert start is not None, "the capacity gate has passed"
            for other, most in shared:
                start = other.earliest(start, length, ONE, most)
                assert start is not None, "one is asked of one or more"
            if start == moment or not shared:
                return start
            moment = start

    def not_before(self, worker: str, wanted: Wanted) -> Instant:
        """What was granted ahead may start any moment: nothing new is placed in front of it, not
        on its worker, nor where a token of it or a lane of its plan is asked for. Nor does a token
        come back before the stop time + guard of an unconfirmed attempt."""
        held, freed = list(self._granted_ahead(worker)), [0]
        for token in wanted.spec.holds:
            holder = self.view.index.tokens.get(token)
            if holder is not None:
                held += self._granted_ahead(_worker_of(self.view.facts.tasks[holder]))
                freed.append(self.view.facts.tasks[holder].unconfirmed_until or 0)
        if wanted.boundaries.max_parallel is not None and wanted.plan in self.view.facts.plans:
            for name in self.view.index.attempts:
                held += [task for task in self._granted_ahead(name) if task.plan == wanted.plan]
        return max([*freed, *(task.reservation.start for task in held if task.reservation)])

    def _granted_ahead(self, worker: str) -> list[Task]:
        if worker not in self._ahead:
            tasks = self.view.facts.tasks
            held = (tasks[name] for name in self.view.index.attempts.get(worker, {}))
            self._ahead[worker] = [task for task in held if _is_granted_ahead(task, self.now)]
        return self._ahead[worker]

    def met(self, wanted: Wanted, worker: str) -> list[Met]:
        """Tasks of other plans that conflict with this one on the machine of this worker."""
        if not wanted.accesses:
            return []
        machine = machine_of(self.view, worker)
        kept = self.view.index.touching.before(
            machine, wanted.accesses, _Either(wanted.skip, self._ends)
        )
        added = self._touching.before(machine, wanted.accesses)
        return [met for met in (*kept, *added) if not met.task.startswith(f"{wanted.plan}/")]

    def ahead_ms(self, worker: str, role: str) -> Millis:
        """Time that principals of this kind have reserved on this worker."""
        key = worker, role
        return self.view.index.ahead_ms.get(key, 0) + self._more_ms.get(key, 0)

    def end_of(self, met: Met) -> Instant:
        """When a conflicting task will have ended."""
        if met.task in self._ends:
            return self._ends[met.task]
        end = self.view.facts.tasks[met.task].free_at
        assert end is not None, "only tasks with a place are met"
        return end

    def add(self, wanted: Wanted, rectangle: Reservation) -> None:
        """Set a placement aside, here only."""
        if wanted.accesses:
            machine = machine_of(self.view, rectangle.worker)
            self._touching.add(wanted.task, len(self._ends), machine, wanted.accesses)
        self._ends[wanted.task] = rectangle.end
        self.added[wanted.task] = (rectangle, wanted)
        self._count(wanted, rectangle, rectangle.reserved_ms)
        for profile, amount in self._mine(wanted, rectangle):
            profile.add(rectangle.start, rectangle.end, amount)

    def remove(self, wanted: Wanted, rectangle: Reservation) -> None:
        """Take a reservation out, here only."""
        self._touching.remove(wanted.task)
        self._ends.pop(wanted.task, None)
        if self.added.pop(wanted.task, None) is None:
            self.lifted.add(wanted.task)
        self._count(wanted, rectangle, -rectangle.reserved_ms)
        for profile, amount in self._mine(wanted, rectangle):
            profile.remove(rectangle.start, rectangle.end, amount)

    def changes(self, worker: str) -> int:
        """How often something was added to this worker or taken from it, here."""
        return self._changes.get(worker, 0)

    def _count(self, wanted: Wanted, rectangle: Reservation, more_ms: Millis) -> None:
        self._changes[rectangle.worker] = self._changes.get(rectangle.worker, 0) + 1
        key = rectangle.worker, wanted.role
        self._more_ms[key] = self._more_ms.get(key, 0) + more_ms

    def _mine(self, wanted: Wanted, place: Reservation) -> list[tuple[Profile, Vector]]:
        """Copies of everything this task takes of, made when first asked for."""
        worker = place.worker
        keys = [("worker", worker), *(("token", token) for token in wanted.spec.holds)]
        if wanted.boundaries.max_parallel is not None:
            keys.append(("plan", wanted.plan))
        kept = [self.worker(worker), *(profile for profile, _ in self.shared(wanted))]
        amounts = [set_aside(wanted.spec.uses, place), *([ONE] * (len(keys) - 1))]
        for key, profile in zip(keys, kept, strict=True):
            if key not in self._tried:
                self._tried[key] = profile.copy()
        return [(self._tried[key], amount) for key, amount in zip(keys, amounts, strict=True)]


def _worker_of(task: Task) -> str:
    return task.attempt.worker if task.attempt else ""


def _is_granted_ahead(task: Task, now: Instant) -> bool:
    unstarted = task.attempt is not None and task.attempt.started_at is None
    return unstarted and task.reservation is not None and task.reservation.start > now
