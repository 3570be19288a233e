"""What can be asked of the coordinator's core. Imperative; each is one file in `core.decisions`."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from leaseway.core.model.lease import TermsChange
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.policy import Policy
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import RegisterRequest, SyncRequest
from leaseway.core.model.units import Instant


class Role(StrEnum):
    """What a credential may do."""

    OWNER = "owner"
    AGENT = "agent"
    WORKER = "worker"
    VIEWER = "viewer"


class Principal(Struct, frozen=True):
    """Who asks."""

    name: str
    role: Role


class Register(Struct, frozen=True, tag=True):
    """A worker daemon announces itself and its owner's terms."""

    request: RegisterRequest


class ChangeLease(Struct, frozen=True, tag=True):
    """The owner changes terms. Never fences a running attempt: it is re-checked."""

    worker: str
    change: TermsChange
    actor: str


class Revoke(Struct, frozen=True, tag=True):
    """The owner takes the grants of a worker back: the only change that fences and stops."""

    worker: str
    actor: str
    reason: str = ""


class SetState(Struct, frozen=True, tag=True):
    """Drain, undrain, quarantine or end a lease."""

    worker: str
    state: LeaseState
    actor: str
    reason: str = ""


class Submit(Struct, frozen=True, tag=True):
    """Hand in a plan. `key` makes a retry harmless; `digest` is what it was made for."""

    plan: PlanSpec
    principal: Principal
    key: str = ""
    digest: str = ""
    partial: bool = False
    strict: bool = False
    dry: bool = False  # answer as if, change nothing (a scan against what runs)


class Cancel(Struct, frozen=True, tag=True):
    """Cancel a task or every task of a plan."""

    target: str
    actor: str


class GiveUp(Struct, frozen=True, tag=True):
    """End a task now: as lost if it may be running out of hearing, else as refused."""

    task: str
    actor: str


class Acknowledge(Struct, frozen=True, tag=True):
    """The reader says seen. Empty `tasks`: every outcome of this principal."""

    tasks: tuple[str, ...]
    principal: Principal


class Sync(Struct, frozen=True, tag=True):
    """A worker's sync. `arrived` is when the request came in, however long it was held.
    `fresh_id` is a new ledger id to take should this ledger turn out to be an old copy."""

    request: SyncRequest
    arrived: Instant
    fresh_id: str = ""


class Answer(Struct, frozen=True, tag=True):
    """Second half of a sync, after its reports counted: what to start, stop, settle."""

    request: SyncRequest
    arrived: Instant
    settled: tuple[int, ...] = ()  # indexes into request.endings


class Advance(Struct, frozen=True, tag=True):
    """Do what has become due: skips, releases, grants. Follows every command that changed
    something, and repeats until nothing is due."""


class Recheck(Struct, frozen=True, tag=True):
    """A lease's terms or state changed: look again at what it holds. `why`: a variant of LW605."""

    worker: str
    why: str
    everything: bool = False  # whatever waits is placed anew: it would run on another machine


class Tick(Struct, frozen=True, tag=True):
    """Time has passed: expire what must be, then advance. `resumed`: first after a start."""

    resumed: bool = False


class SetPolicy(Struct, frozen=True, tag=True):
    """The pool's policy, whole. `owners`: how many there are to say yes, where that is known.
    `at_start`: from the file that the coordinator was started with; `dry`: only whether it may."""

    policy: Policy
    actor: str
    owners: int | None = None
    at_start: bool = False
    dry: bool = False


class AnswerApproval(Struct, frozen=True, tag=True):
    """A person says yes or no to what was asked."""

    id: str
    principal: Principal
    yes: bool
    reason: str = ""


class Open(Struct, frozen=True, tag=True):
    """A new ledger is opened under this id."""

    ledger_id: str


Command = (
    Register
    | ChangeLease
    | Revoke
    | SetState
    | Submit
    | Cancel
    | GiveUp
    | Acknowledge
    | Sync
    | Answer
    | Advance
    | Recheck
    | Tick
    | SetPolicy
    | AnswerApproval
    | Open
)
