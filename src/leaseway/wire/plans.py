"""Handing a plan in, and a plan as it is shown. Moments are ledger time (ms)."""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Plan
from leaseway.wire.findings import FindingInfo, finding_infos
from leaseway.wire.history import EstimateInfo
from leaseway.wire.tasks import (
    EdgeInfo,
    OutcomeInfo,
    ReservationInfo,
    WasteInfo,
    waste_infos,
)


class SubmitRequest(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Hand in a plan. A retry with the same `key` and plan is answered with the first one's reply.
    `partial`: accept what fits; `strict`: warnings refuse; `dry`: answer as if, change nothing."""

    plan: PlanSpec
    key: str = ""
    partial: bool = False
    strict: bool = False
    dry: bool = False


class PlacedTask(Struct, frozen=True):
    """What was promised to one task. No promise: best effort, or refused (see `outcome`).
    `learned`: the bound from earlier runs on which the promise rests."""

    id: str
    name: str
    promise: Instant | None = None
    reservation: ReservationInfo | None = None
    edges: tuple[EdgeInfo, ...] = ()
    findings: tuple[FindingInfo, ...] = ()
    outcome: OutcomeInfo | None = None
    learned: EstimateInfo | None = None


class SubmitReply(Struct, frozen=True):
    """Accepted. `findings` are warnings and notes about the plan. `repeated`: the answer to an
    earlier submit under the same key. `dry`: nothing was accepted, `plan` is what it would be."""

    plan: str
    tasks: tuple[PlacedTask, ...]
    now: Instant
    findings: tuple[FindingInfo, ...] = ()
    repeated: bool = False
    dry: bool = False


class PlanInfo(Struct, frozen=True):
    """One plan. `tasks`: ids, in the order written. `counts`, where one plan was asked for: how
    many tasks are waiting, granted, running, or have which outcome. `wasted`: core-time that led
    to no success, by cause, most first: the sum of what its tasks say.
    `policy_version`: of the pool's policy that decided it; `approval`: the person's yes."""

    id: str
    name: str
    principal: str
    role: str
    submitted_at: Instant
    tasks: tuple[str, ...]
    open_tasks: int
    now: Instant
    ended_at: Instant | None = None
    workdir: str | None = None
    max_parallel: int | None = None
    by: Instant | None = None
    workers: tuple[str, ...] = ()
    not_on: tuple[str, ...] = ()
    findings: tuple[FindingInfo, ...] = ()
    counts: dict[str, int] = field(default_factory=dict)
    wasted: tuple[WasteInfo, ...] = ()
    policy_version: int = 0
    approval: str = ""


class PlanList(Struct, frozen=True):
    """A page of plans, newest first; `next` goes into `before` for the page after."""

    plans: tuple[PlanInfo, ...]
    now: Instant
    next: str | None = None


class CancelRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Cancel a task, or every task of a plan."""

    target: str


class GiveUpRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Say now that this task will not end well, instead of at its give-up time."""

    task: str


class AcknowledgeRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """These outcomes were seen. Empty: every outcome of who asks."""

    tasks: tuple[str, ...] = ()


class Changed(Struct, frozen=True):
    """It was done; these tasks are concerned."""

    tasks: tuple[str, ...] = ()
    now: Instant = 0


def plan_info(plan: Plan, now: Instant, counts: dict[str, int] | None = None) -> PlanInfo:
    """A plan of the view, or of a row, as it is shown."""
    return PlanInfo(
        id=plan.id,
        name=plan.name,
        principal=plan.principal,
        role=plan.role,
        submitted_at=plan.submitted_at,
        tasks=plan.tasks,
        open_tasks=plan.open_tasks,
        now=now,
        ended_at=plan.ended_at,
        workdir=plan.workdir,
        max_parallel=plan.boundaries.max_parallel,
        by=plan.boundaries.by,
        workers=plan.boundaries.workers,
        not_on=plan.boundaries.not_on,
        findings=finding_infos(plan.findings),
        counts=counts or {},
        wasted=waste_infos(plan.wasted),
        policy_version=plan.policy_version,
        approval=plan.approval,
    )
