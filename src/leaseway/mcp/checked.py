"""A plan checked: against a file of leases, against the pool, or with neither its order only."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from leaseway.client.blocking import Client
from leaseway.client.errors import LeasewayError
from leaseway.client.learned import laws_of, with_learned
from leaseway.client.leases import leases_of_pool
from leaseway.client.scanned import scanned
from leaseway.client.scanning import joined, what_pool_says
from leaseway.client.trees import expected
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.report import ScanOptions, ScanReport
from leaseway.core.scan.sure import Law
from leaseway.mcp.asked import Mistaken
from leaseway.mcp.given import ToRun
from leaseway.planfile.leases import read_leases
from leaseway.planfile.report import PlanFileError
from leaseway.runtime import Clock
from leaseway.wire.findings import FindingInfo, finding_infos
from leaseway.wire.plans import PlacedTask


@dataclass(frozen=True)
class Ground:
    """What is checked against. `pool`: asked too, where it is there; `leases` None: none is known.
    `said`: the same in words; `away`: workers that take nothing now."""

    leases: dict[str, Terms] | None
    now: int
    said: str
    pool: Client | None = None
    away: tuple[str, ...] = ()
    error: LeasewayError | None = None


@dataclass(frozen=True)
class Checked:
    """What was found of one plan. `passing`: tasks that would run, `failing`: that would not."""

    report: ScanReport
    findings: tuple[FindingInfo, ...]
    placed: tuple[PlacedTask, ...] = ()
    failing: frozenset[str] = field(default_factory=frozenset)
    whole_plan: bool = False  # what refuses concerns no single task

    @property
    def passing(self) -> list[str]:
        return [task.name for task in self.report.tasks if task.name not in self.failing]


def of_file(path: str) -> Ground:
    """A file of leases, all open from now on. Mistaken: it cannot be read."""
    now = Clock.of_environment().wall_ms()
    try:
        found = read_leases(Path(path).expanduser(), wall_ms=now)
    except PlanFileError as error:
        raise Mistaken("The lease file cannot be used.", finding_infos(error.findings)) from error
    except (ValueError, RuntimeError) as error:
        raise Mistaken(f"The lease file cannot be used: {error}.") from error
    leases = {name: lease.offer.at(now) for name, lease in found.items()}
    return Ground(
        leases, now, f"Checked against {_counted(leases, 'lease')} of a file, not what runs."
    )


def of_pool(pool: Client) -> Ground:
    """Live workers, and what they have promised. LeasewayError."""
    live = pool.workers()
    leases = leases_of_pool(live.workers)
    away = [each.name for each in live.workers if each.name not in leases and each.state != "ended"]
    said = f"Checked against {_counted(leases, 'live worker')} and what they have promised."
    return Ground(leases, live.now, said, pool, tuple(away))


def of_nobody(error: LeasewayError) -> Ground:
    """Nothing is known of any lease."""
    now = Clock.of_environment().wall_ms()
    return Ground(None, now, "Its order only: no lease is known.", error=error)


def check(given: ToRun, ground: Ground) -> Checked:
    """What stands for and against this plan. LeasewayError."""
    spec = expected(given.plan, given.tree)
    placed: tuple[PlacedTask, ...] = ()
    said: tuple[FindingInfo, ...] = ()
    laws: dict[str, Law] = {}
    leases = ground.leases or {}
    if ground.pool is not None:
        placed, said = what_pool_says(ground.pool, spec)
        laws = laws_of(ground.pool, spec, leases)
    options = ScanOptions(
        checked_against_pool=ground.pool is not None,
        unknown_serialises=spec.workspace is None,
        laws=laws,
    )
    report = scanned(with_learned(spec, placed), leases, ground.now, options)
    findings = finding_infos(report.findings)
    if ground.leases is None:
        findings = tuple(each for each in findings if not each.code.startswith(("LW3", "LW4")))
    if ground.pool is not None:
        findings = joined(findings, said)
    errors = [each for each in findings if each.severity == "error"]
    whole = any(not each.tasks or _is_of_plan(each.code) for each in errors)
    failing = with_followers(spec, {task for each in errors for task in each.tasks})
    return Checked(report, findings, placed, failing, whole)


def with_followers(plan: PlanSpec, refused: set[str]) -> frozenset[str]:
    """These tasks and all that need one of them: they would be skipped."""
    gone = set(refused)
    grew = bool(gone)
    while grew:
        more = {task.name for task in plan.tasks if gone.intersection(task.needs)} - gone
        gone |= more
        grew = bool(more)
    return frozenset(gone)


def _counted(leases: dict[str, Terms], noun: str) -> str:
    return f"{len(leases)} {noun}{'' if len(leases) == 1 else 's'}"


def _is_of_plan(code: str) -> bool:
    """Whether what this rule refuses is the plan as a whole: its form, order or conflicts."""
    return code[:3] in ("LW1", "LW2", "LW9")
