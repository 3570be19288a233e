"""Requests for a person's yes: what was asked, and what was answered. Data only."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from leaseway.core.model.findings import Finding
from leaseway.core.model.units import Instant, Millis


class Standing(StrEnum):
    """How a request stands; `used`: the plan that it was given for was accepted."""

    OPEN = "open"
    GIVEN = "given"
    DENIED = "denied"
    USED = "used"


class AskedTask(Struct, frozen=True, omit_defaults=True):
    """One task as it is shown to who is asked. `run` is cut; `longest_ms` None: not known."""

    name: str
    run: str
    longest_ms: Millis | None = None
    cpus_milli: int = 1000


class ApprovalAsked(Struct, frozen=True, tag=True, omit_defaults=True):
    """A plan needs a person's yes; nothing of it ran. `digest`: of the plan without its `by`.
    `reasons`: codes and conditions that a yes covers. `tasks`: the first of `count`. `decision`:
    under which the refusal is kept. `until`: then it is forgotten."""

    id: str
    principal: str
    role: str
    digest: str
    plan: str
    reasons: tuple[str, ...]
    findings: tuple[Finding, ...]
    policy_version: int
    until: Instant
    tasks: tuple[AskedTask, ...] = ()
    count: int = 0
    decision: str = ""


class ApprovalGiven(Struct, frozen=True, tag=True, omit_defaults=True):
    """A person said yes: the same plan of the same principal passes once until then."""

    id: str
    actor: str
    until: Instant
    reason: str = ""


class ApprovalDenied(Struct, frozen=True, tag=True, omit_defaults=True):
    """A person said no: the same plan is not asked about again until then."""

    id: str
    actor: str
    until: Instant
    reason: str = ""


class Approval(Struct, omit_defaults=True):
    """One request as it stands. `until`: it is open, or its answer counts, till then."""

    asked: ApprovalAsked
    asked_at: Instant
    until: Instant
    state: Standing = Standing.OPEN
    actor: str = ""
    answered_at: Instant = 0
    reason: str = ""
    plan: str = ""  # that was accepted with it
