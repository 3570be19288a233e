"""The pool's policy: what people decided once for every plan that is handed in. Data only."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from leaseway.core.model.approvals import Approval
from leaseway.core.model.estimate import LEVEL_PPM, Ppm
from leaseway.core.model.units import HOUR, Instant, Millis


class Weight(StrEnum):
    """What a finding means here: the plan is refused, a person is asked, or it is only told."""

    REFUSE = "refuse"
    ASK = "ask"
    TELL = "tell"


class Approve(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What needs a person's yes when one of these `roles` hands it in: findings by code, a task
    that may run longer or takes more cpus, a command that one of these patterns meets."""

    roles: tuple[str, ...] = ("agent",)
    codes: tuple[str, ...] = ()
    longer_than_ms: Millis | None = None
    more_cpus_than_milli: int | None = None
    commands: tuple[str, ...] = ()


class Policy(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """`confidence_ppm`: of the estimates that promises rest on. `guard_ms`: kept free at the end of
    every window, beside the lease's own guard. `share`: of each lease's time ahead, by role, in
    percent. `approval_valid_for_ms`: after a yes, and after a no."""

    findings: dict[str, Weight] = field(default_factory=dict)
    confidence_ppm: Ppm = LEVEL_PPM
    guard_ms: Millis = 0
    share: dict[str, int] = field(default_factory=dict)
    approve: Approve = Approve()
    approval_valid_for_ms: Millis = HOUR


class PolicyChanged(Struct, frozen=True, tag=True, omit_defaults=True):
    """An owner set the policy. `at_start`: it came from the file the coordinator starts with."""

    version: int
    actor: str
    policy: Policy
    at_start: bool = False


class PolicyVersion(Struct, frozen=True, omit_defaults=True):
    """One policy that was in force from `at` on."""

    version: int
    actor: str
    at: Instant
    policy: Policy
    at_start: bool = False


class PoolRules(Struct, omit_defaults=True):
    """What people decided for the pool: policies, oldest first, and what was asked under them."""

    versions: list[PolicyVersion] = field(default_factory=list)
    approvals: dict[str, Approval] = field(default_factory=dict)
    next_approval: int = 1
