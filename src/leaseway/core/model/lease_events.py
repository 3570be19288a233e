"""What happened to workers and their leases."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms, TermsOffer
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Millis


class WorkerRegistered(Struct, frozen=True, tag=True, omit_defaults=True):
    """A worker daemon joined, or came back under a new incarnation."""

    worker: str
    machine_id: str
    incarnation: int
    spool_id: str
    boot_id: str
    lease_version: int
    terms: Terms
    offer: TermsOffer
    version: str = ""
    foreign_ledger: str = ""  # its spool follows another ledger: the owner must look first
    kept: tuple[str, ...] = ()  # terms that stay as a command set them


class LeaseChanged(Struct, frozen=True, tag=True, omit_defaults=True):
    """The owner changed terms. `follows`: nobody did, recurring windows go on."""

    worker: str
    lease_version: int
    terms: Terms
    actor: str
    follows: bool = False


class LeaseMoved(Struct, frozen=True, tag=True, omit_defaults=True):
    """A lease moved along its table."""

    worker: str
    state: LeaseState
    actor: str
    reason: str = ""
    cause: Finding | None = None


class LedgerAccepted(Struct, frozen=True, tag=True, omit_defaults=True):
    """The owner has looked: this worker may follow the ledger's new id."""

    worker: str
    actor: str


class WorkerSlept(Struct, frozen=True, tag=True, omit_defaults=True):
    """A worker slept (LW804)."""

    worker: str
    slept_ms: Millis
