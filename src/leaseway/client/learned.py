"""What the pool knows of how long the commands of a plan took before, as a scan takes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from leaseway.client.blocking import Client
from leaseway.client.errors import NotFound
from leaseway.core.estimates.keys import keys_of, worker_class
from leaseway.core.model.estimate import Estimate, Likeness
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.scan.report import allowed
from leaseway.core.scan.sure import Law, law_of, worst
from leaseway.wire.history import EstimateInfo
from leaseway.wire.plans import PlacedTask

MOST = 64
"""So many histories are asked for whole; of commands beyond that nothing is said."""
_LISTED = 500


def with_learned(plan: PlanSpec, placed: Iterable[PlacedTask]) -> PlanSpec:
    """The plan with the bounds from earlier runs on which the pool's promises would rest."""
    known = {each.name: each.learned for each in placed if each.learned is not None}
    if not known:
        return plan
    tasks = (replace(task, learned=_estimate(known.get(task.name))) for task in plan.tasks)
    return replace(plan, tasks=tuple(tasks))


def laws_of(pool: Client, plan: PlanSpec, leases: Mapping[str, Terms]) -> dict[str, Law]:
    """By task, how long its command took before on the workers that may take it; where these are
    of several classes, on those where it lasts longest. LeasewayError."""
    listed = pool.history(limit=_LISTED).histories
    there = {each.key for each in listed if each.ended >= each.needed and not each.stopped}
    if not there:
        return {}
    whole = _Histories(pool, there)
    offers = {terms.labels for terms in allowed(plan, leases).values()}
    alike: dict[object, Law | None] = {}
    found: dict[str, Law] = {}
    for task in plan.tasks:
        kind = (task.run, task.workdir, task.on.labels)
        if kind not in alike:
            alike[kind] = _law(plan, task, offers, whole)
        law = alike[kind]
        if law is not None:
            found[task.name] = law
    return found


class _Histories:
    """The pool's histories by key, each asked for once."""

    def __init__(self, pool: Client, there: set[str]) -> None:
        self.pool = pool
        self.there = there
        self.laws: dict[str, Law | None] = {}

    def law(self, key: str) -> Law | None:
        """None: there is no such history, or it says too little."""
        if key not in self.there or (key not in self.laws and len(self.laws) >= MOST):
            return None
        if key not in self.laws:
            self.laws[key] = self._asked(key)
        return self.laws[key]

    def _asked(self, key: str) -> Law | None:
        try:
            (found,) = self.pool.history(key).histories
        except NotFound:
            return None  # forgotten since it was listed
        return law_of([run.ran_ms if run.ended else None for run in found.runs])


def _law(
    plan: PlanSpec, task: TaskSpec, offers: set[tuple[str, ...]], whole: _Histories
) -> Law | None:
    """The nearest history of each class; None where one class has none."""
    asked = set(task.on.labels)
    classes = {worker_class(labels) for labels in offers if asked <= set(labels)}
    laws: list[Law] = []
    for labels in sorted(classes):
        keys = keys_of(task, plan.workdir, plan.workspace, labels)
        law = next((law for key in keys if (law := whole.law(key.id)) is not None), None)
        if law is None:
            return None
        laws.append(law)
    return worst(laws) if laws else None


def _estimate(said: EstimateInfo | None) -> Estimate | None:
    """None also for a likeness of a newer coordinator."""
    if said is None or said.likeness not in set(Likeness):
        return None
    return Estimate(
        said.bound_ms,
        said.runs,
        said.key,
        Likeness(said.likeness),
        said.level_ppm,
        said.judged,
        said.covered,
    )
