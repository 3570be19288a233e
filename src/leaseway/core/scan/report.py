"""The scan: everything that can be said of a plan against leases, and nothing is changed by it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct, structs

from leaseway.core.admission.refusal import merged
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import Edge, Limits, PlanSpec
from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import View
from leaseway.core.scan.degree import Degree, degree, degree_finding
from leaseway.core.scan.fit import (
    WorkerFit,
    too_many_finding,
    untimed_finding,
    worker_fit,
)
from leaseway.core.scan.free_only import free_only
from leaseway.core.scan.graph import Sources, followers_of
from leaseway.core.scan.impossible import impossible, refused_by
from leaseway.core.scan.lengths import expected_ms
from leaseway.core.scan.names import unknown_names
from leaseway.core.scan.order import Order, order
from leaseway.core.scan.outside import above_roots, outside
from leaseway.core.scan.pairs import Pairs, pairs, pairs_finding
from leaseway.core.scan.placement import Placement, placement
from leaseway.core.scan.problem import Taken, problem_of
from leaseway.core.scan.sure import Law
from leaseway.core.scan.together import together
from leaseway.core.scan.verdicts import Exceeds, Verdicts

ROWS = 1_000
"""So many rows of `exceeds` are listed; `exceeds_count` has them all."""

WORTH_A_NOTE = 3
"""From so many tasks on, or where two conflict, pairs and degree are told: of two that do not meet
everybody sees it."""

_RANK = {Severity.ERROR: 0, Severity.CAUSE: 1, Severity.WARNING: 2, Severity.NOTE: 3}


class ScanOptions(Struct, frozen=True):
    """`tokens`: those that the policy declares beside the leases' own. `checked_against_pool`:
    whether `leases` are live ones. `strict`: warnings refuse too. `unknown_serialises` None: as
    admission does, unless each task has a view of its own. `taken`: what the pool has promised.
    `laws`: by task, how long it took before."""

    tokens: tuple[str, ...] = ()
    checked_against_pool: bool = False
    unknown_serialises: bool | None = None
    strict: bool = False
    limits: Limits = Limits()
    taken: tuple[Taken, ...] = ()
    laws: dict[str, Law] = {}

    def serialises(self, plan: PlanSpec) -> bool:
        """Whether what is unknown about a task orders it against the others."""
        alone = self.unknown_serialises
        return plan.workspace is None if alone is None else alone


class TaskScan(Struct, frozen=True, omit_defaults=True, gc=False):
    """One task: whom it waits for and why, who waits for it, how long it is taken to be (None: not
    known), and the workers whose gates it passes."""

    name: str
    waits_for: tuple[Edge, ...] = ()
    waited_by: tuple[str, ...] = ()
    bound_ms: Millis | None = None
    fits_on: tuple[str, ...] = ()


class ScanReport(Struct, frozen=True, omit_defaults=True):
    """What a scan found; findings with errors first. `fit` of `count`: tasks that all workers
    together can finish. `pairs`, `degree` and `placement` are None for a plan without an order,
    `placement` also without a lease."""

    plan: str
    exit_code: int
    tasks: tuple[TaskScan, ...]
    workers: tuple[WorkerFit, ...]
    findings: tuple[Finding, ...]
    exceeds: tuple[Exceeds, ...] = ()
    exceeds_count: int = 0
    fit: int = 0
    count: int = 0
    pairs: Pairs | None = None
    degree: Degree | None = None
    placement: Placement | None = None
    checked_against_pool: bool = False


def scan(
    plan: PlanSpec,
    leases: Mapping[str, Terms],
    now: Instant,
    options: ScanOptions | None = None,
) -> ScanReport:
    """Scans a plan. `leases`: those that may be given work, by worker; `now` in ledger time."""
    options = options or ScanOptions()
    ordered = order(plan, options.limits, options.serialises(plan))
    asked = allowed(plan, leases)
    verdicts = Verdicts(plan, asked, now)
    fits = tuple(_fits(plan, asked, now, verdicts, options.laws))
    fit, count = together(plan, asked, now, verdicts)
    counted, recommended, placed = None, None, None
    followers = followers_of(ordered.sources)
    if not any(finding.severity is Severity.ERROR for finding in ordered.findings):
        counted = pairs(plan, ordered)
        recommended = degree(plan, ordered, slots_of(fits), followers)
        if asked:
            known = problem_of(plan, asked, now, verdicts, ordered.sources, options.taken)
            known = structs.replace(known, followed=followers)
            placed = placement(plan, known, ordered.positions)
    findings = [*ordered.findings, *unknown_names(plan, dict(leases), options.tokens)]
    findings += [*outside(plan), *above_roots(plan), *_refused(plan, asked, verdicts)]
    findings += impossible(plan, ordered.edges, refused_by(findings, knows_leases=bool(asked)))
    findings += free_only(plan, asked, options.taken, verdicts, now)
    notes = [untimed_finding(plan), too_many_finding(fit, count, fits)]
    if counted and (len(plan.tasks) >= WORTH_A_NOTE or counted.conflicts):
        notes.append(pairs_finding(plan, counted))
        notes.append(degree_finding(recommended) if recommended else None)
    findings = sorted([*findings, *filter(None, notes)], key=_errors_first)
    return ScanReport(
        plan=plan.name,
        exit_code=exit_code(findings, strict=options.strict),
        tasks=_tasks(plan, ordered, followers, verdicts),
        workers=fits,
        findings=tuple(findings),
        exceeds=tuple(islice(verdicts.exceeded(plan), ROWS)),
        exceeds_count=verdicts.count(),
        fit=fit,
        count=count,
        pairs=counted,
        degree=recommended,
        placement=placed,
        checked_against_pool=options.checked_against_pool,
    )


def _errors_first(finding: Finding) -> tuple[int, str]:
    return _RANK[finding.severity], finding.code


def exit_code(findings: list[Finding], *, strict: bool = False) -> int:
    """0 clean, 1 warnings, 3 errors; strict: a warning is as bad as an error."""
    severities = {finding.severity for finding in findings}
    if Severity.ERROR in severities:
        return 3
    if Severity.WARNING in severities:
        return 3 if strict else 1
    return 0


def allowed(plan: PlanSpec, leases: Mapping[str, Terms]) -> dict[str, Terms]:
    """The leases that the plan itself allows."""
    return {
        worker: terms
        for worker, terms in leases.items()
        if (not plan.workers or worker in plan.workers) and worker not in plan.not_on
    }


def _fits(
    plan: PlanSpec,
    leases: Mapping[str, Terms],
    now: Instant,
    verdicts: Verdicts,
    laws: Mapping[str, Law],
) -> Iterator[WorkerFit]:
    for number, (worker, terms) in enumerate(leases.items()):
        kinds = set(verdicts.kinds_on(number))
        passing = [(verdicts.samples[kind], verdicts.counts[kind]) for kind in sorted(kinds)]
        names = (
            (
                task.name
                for task, kind in zip(plan.tasks, verdicts.kind_of, strict=True)
                if kind in kinds
            )
            if laws
            else ()
        )
        yield worker_fit(plan, worker, terms, now, passing, [laws.get(name) for name in names])


def slots_of(fits: tuple[WorkerFit, ...]) -> int | None:
    """Slots of all workers that may be asked; None: no lease is known, or one has no bound."""
    slots = [fit.slots for fit in fits]
    known = [each for each in slots if each is not None]
    return sum(known) if known and len(known) == len(slots) else None


def _refused(plan: PlanSpec, leases: dict[str, Terms], verdicts: Verdicts) -> list[Finding]:
    """For each task that no worker can take, why; one finding for all if there is no worker."""
    if not leases:
        names = tuple(task.name for task in plan.tasks)
        return [Finding("LW402", names, variant="no-worker")] if names else []
    nobody = View()
    alike: dict[int, list[Finding]] = {}
    found = []
    nowhere = verdicts.nowhere()
    for task, kind in zip(plan.tasks, verdicts.kind_of, strict=True):
        if nowhere[kind]:
            if kind not in alike:
                told = [one for each in verdicts.judged[kind] for one in each]
                alike[kind] = merged(verdicts.samples[kind], told, nobody)
            found += [structs.replace(one, tasks=(task.name,)) for one in alike[kind]]
    return found


def _tasks(
    plan: PlanSpec, ordered: Order, followers: Sources, verdicts: Verdicts
) -> tuple[TaskScan, ...]:
    bounds = [expected_ms(sample) for sample in verdicts.samples]
    fits_on = verdicts.fits_on()
    names = [task.name for task in plan.tasks]
    waited_by = (
        [tuple(map(names.__getitem__, mine)) for mine in followers]
        if len(followers) == len(names)
        else _waited_by(names, ordered)
    )
    return tuple(
        [
            TaskScan(name, ordered.edges[name], waits, bounds[kind], fits_on[kind])
            for name, waits, kind in zip(names, waited_by, verdicts.kind_of, strict=True)
        ]
    )


def _waited_by(names: Sequence[str], ordered: Order) -> list[tuple[str, ...]]:
    """The same where there is no order: by the edges that there are."""
    found: dict[str, list[str]] = {name: [] for name in names}
    for name, edges in ordered.edges.items():
        for edge in edges:
            found[edge.before].append(name)
    return [tuple(found[name]) for name in names]
