"""How old a worker may be: a coordinator understands its own version of the contract and the one
before it. Whoever is further away gets no new work, and is never cut off: what runs goes on, and
endings are taken as long as they can be read at all."""

from __future__ import annotations

from leaseway import __version__
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.states import LeaseState
from leaseway.core.model.sync import OLDER, SPEAKS
from leaseway.core.model.view import Lease

_APART = ("old", "new")
REASON = "its release"
"""Why the lease moved, beside the cause."""


def apart(worker: str, speaks: int, software: str) -> Finding | None:
    """Why a worker that speaks so gets no new work (LW801), with what to install where; None: it
    may. `software`: its release, if it said so."""
    if SPEAKS - OLDER <= speaks <= SPEAKS:
        return None
    variant = "old" if speaks < SPEAKS else "new"
    numbers: dict[str, int | str | list[str]] = {"speaks": speaks, "spoken": SPEAKS}
    wanted = __version__ if variant == "old" else software
    if wanted:
        numbers["software"] = wanted
    return Finding("LW801", (), (worker,), numbers, variant, Severity.WARNING)


def is_apart(lease: Lease) -> bool:
    """Whether this lease was drained because of its worker's version."""
    cause = lease.cause
    return cause is not None and cause.code == "LW801" and cause.variant in _APART


def lifted(lease: Lease) -> bool:
    """Whether nothing but its version kept this worker from new work."""
    return lease.state is LeaseState.DRAINING and is_apart(lease)
