"""Placing: one pass over a plan, task by task, each seeing the places of those before it."""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

from msgspec import Struct

from leaseway.core.admission.gates import reserved_ms
from leaseway.core.admission.giving_way import over_best_effort
from leaseway.core.admission.place import any_open, place
from leaseway.core.admission.room import Placed, Room, Wanted
from leaseway.core.decisions.decision import Accepted
from leaseway.core.decisions.kept import of_submit
from leaseway.core.model import events as ev
from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.commands import Advance, Submit
from leaseway.core.model.estimate import Estimate
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Outcome, OutcomeKind
from leaseway.core.model.plan import Boundaries, Edge, EdgeKind, PlanSpec, TaskSpec
from leaseway.core.model.units import Instant
from leaseway.core.model.view import View
from leaseway.core.scan.order import Order
from leaseway.core.workspaces import receive_ms


class Promised(Struct, frozen=True, omit_defaults=True):
    """What a task was told at acceptance. No reservation: best effort, or refused (findings)."""

    task: str
    name: str
    reservation: ev.Reservation | None = None
    promise: Instant | None = None
    edges: tuple[Edge, ...] = ()
    findings: tuple[Finding, ...] = ()
    learned: Estimate | None = None  # on which the reservation rests


class Submitted(Struct, frozen=True, omit_defaults=True):
    """The answer to a submit."""

    plan: str
    tasks: tuple[Promised, ...]
    findings: tuple[Finding, ...] = ()
    repeated: bool = False  # the same key and body as before: the same plan
    dry: bool = False


class Placing:
    """One pass over a plan's tasks in an order in which predecessors come first."""

    def __init__(self, view: View, command: Submit, ordered: Order, now: Instant) -> None:
        self.view = view
        self.command = command
        self.now = now
        self.plan_id = f"{_slug(command.plan.name)}-{view.facts.next_plan}"
        self.room = Room(view, now)
        self.edges = dict(ordered.edges)
        self.boundaries = _boundaries(command.plan, now)
        self.placed: dict[str, Promised] = {}
        self.unknown: dict[str, Finding] = {}
        self.told: list[Finding] = []  # LW205: placed after a task of another plan
        self.yielded: list[ev.Event] = []  # best effort that gives way to this plan (LW710)
        self.sequence = in_sequence(command.plan, ordered.edges)

    @property
    def promised(self) -> list[Promised]:
        """In the order of the plan."""
        return [self.placed[task.name] for task in self.command.plan.tasks]

    def run(self, unknown: list[Finding]) -> None:
        """Place what can be placed; `unknown`: names of single tasks that nobody knows."""
        self.unknown = {name: finding for finding in unknown for name in finding.tasks}
        specs = {task.name: task for task in self.command.plan.tasks}
        for name in self.sequence:
            self.placed[name] = self._one(specs[name])

    def refusals(self) -> list[Finding]:
        """What refuses the plan, followers of a refused task left out."""
        found = [
            finding
            for promised in self.promised
            for finding in promised.findings
            if finding.code != "LW105"
        ]
        if any(finding.code == "LW303" for finding in found):
            fitting = sum(1 for promised in self.promised if not promised.findings)
            numbers: dict[str, int | str | list[str]] = {
                "fit": fitting,
                "count": len(self.promised),
            }
            found.append(Finding(code="LW305", numbers=numbers, severity=Severity.WARNING))
        return found

    def _one(self, spec: TaskSpec) -> Promised:
        task_id = f"{self.plan_id}/{spec.name}"
        self.edges[spec.name] = self._with_inherited(spec.name)
        edges = tuple(
            Edge(f"{self.plan_id}/{edge.before}", edge.kind, edge.over)
            for edge in self.edges[spec.name]
        )
        blocked = self.unknown.get(spec.name) or self._blocked_by(spec)
        if blocked is not None:
            return Promised(task_id, spec.name, edges=edges, findings=(blocked,))
        ready = self._ready(spec)
        if reserved_ms(spec) is None or ready is None:
            return self._best_effort(spec, task_id, edges)
        wanted = self._wanted(spec, ready)
        found = place(self.room, wanted)
        if isinstance(found, list):
            found = self._over(wanted) or found
        if isinstance(found, list):
            return Promised(task_id, spec.name, edges=edges, findings=tuple(found))
        if found.behind:
            self.told.append(_behind(spec, found))
        if found.met:
            self.told.append(_after_other_plan(self.room, spec, found))
        self.room.add(wanted, found.rectangle)
        edges += found.conflicts
        promise = found.rectangle.end
        return Promised(task_id, spec.name, found.rectangle, promise, edges, learned=spec.learned)

    def _over(self, wanted: Wanted) -> Placed | None:
        """A place where best effort gives way, where there is none around it."""
        made = over_best_effort(self.room, wanted)
        if made is None:
            return None
        self.yielded += made.events
        return made.placed

    def _wanted(self, spec: TaskSpec, ready: Instant) -> Wanted:
        plan = self.command.plan
        return Wanted(
            spec,
            ready,
            self.boundaries,
            plan=self.plan_id,
            task=f"{self.plan_id}/{spec.name}",
            role=self.command.principal.role,
            accesses=accesses_of(spec, plan.workdir, plan.workspace),
            receive_ms=receive_ms(plan.workspace),
        )

    def _with_inherited(self, name: str) -> tuple[Edge, ...]:
        """Its edges, and those of what is refused before it: that will not run, so whoever came
        after it waits for what it would have waited for. Only waits: it is not skipped for it."""
        edges = {edge.before: edge for edge in self.edges.get(name, ())}
        for before in tuple(edges):
            if self.placed[before].findings:
                for edge in self.edges[before]:
                    inherited = Edge(edge.before, EdgeKind.INHERITED, edge.over)
                    edges.setdefault(edge.before, inherited)
        return tuple(edges.values())

    def _blocked_by(self, spec: TaskSpec) -> Finding | None:
        """The first predecessor that was refused and whose bad end would skip this task."""
        for edge in self.edges.get(spec.name, ()):
            if edge.kind.skips and self.placed[edge.before].findings:
                return Finding(
                    code="LW105",
                    tasks=(spec.name,),
                    numbers={"waits_for": edge.before},
                    severity=Severity.WARNING,
                )
        return None

    def _ready(self, spec: TaskSpec) -> Instant | None:
        """When every predecessor's reservation ends; None behind one without a promise."""
        ready = self.now
        for edge in self.edges.get(spec.name, ()):
            before = self.placed[edge.before]
            if before.findings:
                continue
            if before.promise is None:
                return None
            ready = max(ready, before.promise)
        return ready

    def _best_effort(self, spec: TaskSpec, task_id: str, edges: tuple[Edge, ...]) -> Promised:
        """No promise, but refused all the same where no lease could ever take it."""
        bounded = reserved_ms(spec) is not None
        trial = place(self.room, self._wanted(spec, self.now)) if bounded else None
        refused = (
            trial if isinstance(trial, list) else any_open(self.room, self._wanted(spec, self.now))
        )
        return Promised(task_id, spec.name, edges=edges, findings=tuple(refused))

    def accepted(self, findings: tuple[Finding, ...]) -> Accepted:
        """Events and answer of an accepted plan."""
        command, plan_id = self.command, self.plan_id
        reply = Submitted(plan_id, tuple(self.promised), findings, dry=command.dry)
        if command.dry:
            return Accepted(reply=reply)
        opened = ev.PlanSubmitted(
            plan=plan_id,
            name=command.plan.name,
            principal=command.principal.name,
            role=command.principal.role,
            tasks=tuple(promised.task for promised in self.promised),
            key=command.key,
            digest=command.digest,
            boundaries=self.boundaries,
            workdir=command.plan.workdir,
            findings=findings,
            workspace=command.plan.workspace,
            basis=of_submit(self.view, command, self.now),
        )
        events: list[ev.Event] = [opened, *self.yielded]
        specs = {task.name: task for task in command.plan.tasks}
        for offset, name in enumerate(self.sequence):
            events.extend(self._events(specs[name], self.view.facts.next_seq + offset))
        return Accepted(tuple(events), reply, then=(Advance(),))

    def _events(self, spec: TaskSpec, seq: int) -> list[ev.Event]:
        promised = self.placed[spec.name]
        settings = self.view.settings
        give_up = (
            promised.promise + (spec.give_up_ms or settings.give_up_ms)
            if promised.promise is not None
            else self.now + (spec.give_up_ms or settings.best_effort_give_up_ms)
        )
        own = tuple(edge for edge in promised.edges if edge.kind is not EdgeKind.CONFLICT)
        across = tuple(edge for edge in promised.edges if edge.kind is EdgeKind.CONFLICT)
        made: list[ev.Event] = [
            ev.TaskSubmitted(promised.task, self.plan_id, spec, seq, give_up, edges=own)
        ]
        if promised.reservation is not None and promised.promise is not None:
            made.append(
                ev.TaskReserved(
                    promised.task, promised.reservation, promised.promise, conflicts=across
                )
            )
        if promised.findings:
            kind = (
                OutcomeKind.SKIPPED if promised.findings[0].code == "LW105" else OutcomeKind.REFUSED
            )
            made.append(ev.TaskEnded(promised.task, Outcome(kind, promised.findings[0], self.now)))
        return made


def _behind(spec: TaskSpec, found: Placed) -> Finding:
    """LW307: at once somebody would have been late."""
    at = found.rectangle
    tasks, numbers = (spec.name, found.behind), {"new_at": at.start, "promise_at": at.end}
    return Finding("LW307", tasks, (at.worker,), {**numbers}, "behind", Severity.NOTE)


def _after_other_plan(room: Room, spec: TaskSpec, found: Placed) -> Finding:
    """Placed after a task of another plan (LW205): the one of them that ends last."""
    last = max(found.met, key=room.end_of)
    plan = room.view.facts.plans[room.view.facts.tasks[last.task].plan]
    return Finding(
        code="LW205",
        tasks=(spec.name, last.task),
        numbers={
            "plan": plan.id,
            "by": plan.principal,
            "ends_at": room.end_of(last),
            "over": last.over,
        },
        severity=Severity.WARNING,
    )


def in_sequence(plan: PlanSpec, edges: Mapping[str, tuple[Edge, ...]]) -> list[str]:
    """Task names with every predecessor before its followers, in plan order where that leaves a
    choice (Kahn 1962)."""
    place_of = {task.name: at for at, task in enumerate(plan.tasks)}
    open_edges = {name: len(edges.get(name, ())) for name in place_of}
    followers: dict[str, list[str]] = {}
    for name, before in edges.items():
        for edge in before:
            followers.setdefault(edge.before, []).append(name)
    free = [place_of[name] for name, count in open_edges.items() if not count]
    heapify(free)
    made: list[str] = []
    while free:
        name = plan.tasks[heappop(free)].name
        made.append(name)
        for follower in followers.get(name, ()):
            open_edges[follower] -= 1
            if not open_edges[follower]:
                heappush(free, place_of[follower])
    return made


def _boundaries(plan: PlanSpec, now: Instant) -> Boundaries:
    return Boundaries(
        max_parallel=plan.max_parallel,
        by=None if plan.by_ms is None else now + plan.by_ms,
        workers=plan.workers,
        not_on=plan.not_on,
    )


def _slug(name: str) -> str:
    kept = "".join(letter if letter.isalnum() else "-" for letter in name.lower())
    return "-".join(part for part in kept.split("-") if part)[:40] or "plan"
