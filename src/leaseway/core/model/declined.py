"""Decisions that are kept to be looked at and made again: places given anew, and plans declined."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.basis import Basis, By
from leaseway.core.model.commands import Principal
from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import PlanSpec


class PlacesDecided(Struct, frozen=True, tag=True, omit_defaults=True):
    """What follows places waiting tasks anew, or withdraws their promises."""

    by: By
    basis: Basis


class PlanDeclined(Struct, frozen=True, tag=True, omit_defaults=True):
    """A plan was refused whole; nothing of it ran. `plan` None: too large to be kept."""

    id: str
    principal: Principal
    digest: str
    findings: tuple[Finding, ...]
    plan: PlanSpec | None
    basis: Basis


class LastDeclined(Struct, frozen=True):
    """What a principal was last refused: the same again is the same refusal."""

    id: str
    digest: str
    codes: tuple[str, ...]
