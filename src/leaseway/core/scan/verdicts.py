"""Every task of a plan against the gates of every lease."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, structs

from leaseway.core.admission.gates import gates, longest_left, reserved_ms
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.units import Instant
from leaseway.core.scan.lengths import expected_ms
from leaseway.core.workspaces import receive_ms

_NEED_HAVE = (
    ("need_ms", "cap_ms"),
    ("need_ms", "have_ms"),
    ("guard_ms", "left_ms"),
    ("need_milli", "have_milli"),
    ("need_bytes", "have_bytes"),
    ("need", "have"),
)


class Exceeds(Struct, frozen=True, omit_defaults=True):
    """One task over one bound of one worker. `unit` is the suffix of the amounts: `ms`, `milli`
    (cpus), `bytes`, or nothing; the amounts are None where the rule has none (a label, a path)."""

    task: str
    worker: str
    code: str
    bound: str
    need: int | None = None
    have: int | None = None
    short: int | None = None
    unit: str = ""


class Verdicts:
    """Which gates each task fails on each worker. Tasks alike in all that gates look at are one
    kind, judged once: `kind_of` by index into the plan, a task of each in `samples`, its findings
    in `judged`, worker by worker in the order of the leases."""

    __slots__ = ("counts", "judged", "kind_of", "samples", "workers")

    def __init__(self, plan: PlanSpec, leases: Mapping[str, Terms], now: Instant) -> None:
        self.workers = tuple(leases)
        scopes = [terms.scope for terms in leases.values()]
        commands = any(scope.commands for scope in scopes)
        paths = any(scope.read or scope.write for scope in scopes)
        kinds: dict[object, int] = {}
        self.samples: list[TaskSpec] = []
        self.kind_of: list[int] = []
        self.counts: list[int] = []
        for task in plan.tasks:
            key = (
                reserved_ms(task),
                expected_ms(task) if task.promise != "auto" else None,
                (task.uses, task.on),
                task.run if commands else None,
                (task.reads, task.writes) if paths else None,
            )
            kind = kinds.setdefault(key, len(self.samples))
            if kind == len(self.samples):
                self.samples.append(task)
                self.counts.append(0)
            self.kind_of.append(kind)
            self.counts[kind] += 1
        lefts = [longest_left(terms, now) for terms in leases.values()]
        files_ms = receive_ms(plan.workspace)
        self.judged = [
            [
                tuple(gates(task, terms, worker, now, left, files_ms))
                for (worker, terms), left in zip(leases.items(), lefts, strict=True)
            ]
            for task in self.samples
        ]

    def kinds_on(self, worker: int) -> list[int]:
        """The kinds that pass on the worker of this number."""
        return [kind for kind, told in enumerate(self.judged) if not told[worker]]

    def nowhere(self) -> list[bool]:
        """By kind, whether no worker can take it."""
        return [all(told) for told in self.judged]

    def fits_on(self) -> list[tuple[str, ...]]:
        """By kind, the workers that can take it."""
        return [
            tuple(worker for worker, one in zip(self.workers, told, strict=True) if not one)
            for told in self.judged
        ]

    def against(self, task: TaskSpec, at: int) -> list[Finding]:
        """The gates that the task of this index fails, over all workers."""
        return [
            structs.replace(one, tasks=(task.name,))
            for told in self.judged[self.kind_of[at]]
            for one in told
        ]

    def count(self) -> int:
        """How many bounds are exceeded in all."""
        each = [sum(map(len, told)) for told in self.judged]
        return sum(bounds * many for bounds, many in zip(each, self.counts, strict=True))

    def exceeded(self, plan: PlanSpec) -> Iterator[Exceeds]:
        """Every bound that a task exceeds, task by task."""
        for at, task in enumerate(plan.tasks):
            for finding in self.against(task, at):
                yield exceeds(finding)


def exceeds(finding: Finding) -> Exceeds:
    """What a gate's finding says, as a row."""
    numbers = finding.numbers
    task, worker = finding.tasks[0], finding.workers[0]
    for need_name, have_name in _NEED_HAVE:
        need, have = numbers.get(need_name), numbers.get(have_name)
        if isinstance(need, int) and isinstance(have, int):
            unit = have_name.partition("_")[2]
            bound = str(numbers.get("resource", "")) or _BOUNDS.get(finding.code, "")
            return Exceeds(task, worker, finding.code, bound, need, have, need - have, unit)
    return Exceeds(task, worker, finding.code, _BOUNDS.get(finding.code, ""))


_BOUNDS = {
    "LW301": "max run time",
    "LW302": "time left",
    "LW309": "time left",
    "LW402": "labels and tools",
    "LW501": "commands",
    "LW502": "paths",
    "LW503": "network",
    "LW504": "enforcement",
}
