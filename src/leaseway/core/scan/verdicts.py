"""Every task of a plan against the gates of every lease."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct, structs

from leaseway.core.admission.gates import gates, longest_left, reserved_ms
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.units import Instant

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
    """Which gates each task fails on each worker; tasks alike in all that gates look at are judged
    once."""

    __slots__ = ("_judged", "_keys", "_workers")

    def __init__(self, plan: PlanSpec, leases: Mapping[str, Terms], now: Instant) -> None:
        self._workers = tuple(leases)
        self._keys: dict[str, dict[str, object]] = {}
        self._judged: dict[str, dict[object, tuple[Finding, ...]]] = {}
        for worker, terms in leases.items():
            keys = self._keys[worker] = {}
            judged = self._judged[worker] = {}
            left = longest_left(terms, now)
            for task in plan.tasks:
                key = keys[task.name] = _gated(task, terms)
                if key not in judged:
                    judged[key] = tuple(gates(task, terms, worker, now, left))

    def passes(self, task: str, worker: str) -> bool:
        """Whether nothing speaks against this task on this worker."""
        return not self._judged[worker][self._keys[worker][task]]

    def anywhere(self, task: str) -> bool:
        """Whether some worker can take it."""
        return any(self.passes(task, worker) for worker in self._workers)

    def on(self, task: str, worker: str) -> list[Finding]:
        """The gates that it fails there."""
        told = self._judged[worker][self._keys[worker][task]]
        return [structs.replace(one, tasks=(task,)) for one in told]

    def against(self, task: str) -> list[Finding]:
        """The gates that it fails, over all workers."""
        return [finding for worker in self._workers for finding in self.on(task, worker)]

    def count(self, plan: PlanSpec) -> int:
        """How many bounds are exceeded in all."""
        return sum(
            len(judged[self._keys[worker][task.name]])
            for worker, judged in self._judged.items()
            for task in plan.tasks
        )

    def exceeded(self, plan: PlanSpec) -> Iterator[Exceeds]:
        """Every bound that a task exceeds, task by task."""
        for task in plan.tasks:
            for finding in self.against(task.name):
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


def _gated(task: TaskSpec, terms: Terms) -> object:
    """All that the gates look at."""
    scope = terms.scope
    return (
        reserved_ms(task),
        task.uses.vector(),
        task.on,
        task.run if scope.commands else None,
        (task.reads, task.writes) if scope.read or scope.write else None,
    )
