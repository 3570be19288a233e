"""What a scan saw, in a few letters: a run can be held to it.

A scan id has three parts: digests of the plan, of what is promised, and of each lease by its
version. So whoever compares can say which of them is no longer what was scanned. Files of a tree
that travels are no part of it, nor the moment that a clock time stands for.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import msgspec
from msgspec import Struct, structs

from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant

_PART = 10
_LEASE = 6
_SINGLE = 8
"""So many leases have a digest each; more than that share one."""
_ENCODE = msgspec.json.Encoder(order="deterministic").encode


class LeaseSeen(Struct, frozen=True):
    """A lease that could be given work: whose it is, and its version."""

    worker: str
    incarnation: int
    version: int
    terms: Terms


class PromiseSeen(Struct, frozen=True):
    """One promise of the pool, where it stood."""

    task: str
    worker: str
    start: Instant
    end: Instant
    promise: Instant | None = None


class Seen(Struct, frozen=True):
    """All that a scan rests on. `text`: the plan as it was written, with its moments."""

    plan: PlanSpec
    leases: tuple[LeaseSeen, ...] = ()
    promises: tuple[PromiseSeen, ...] = ()
    text: bytes = b""


def scan_id(seen: Seen) -> str:
    """Equal for equal plans, leases and promises."""
    promises = sorted(structs.astuple(one) for one in seen.promises)
    return f"{_plan_part(seen)}-{_digest(promises)[:_PART]}-{_leases_part(seen.leases)}"


def is_scan_id(text: str) -> bool:
    """Whether it could be one."""
    parts = text.split("-")
    return len(parts) == 3 and all(
        part.replace(".", "").isalnum() or (at == 2 and not part) for at, part in enumerate(parts)
    )


class Changed(Struct, frozen=True):
    """What is no longer as it was pinned: the plan, the leases of these workers, so many leases
    that are gone, leases of which nobody can say whose (there are many), what is promised."""

    plan: bool = False
    leases: tuple[str, ...] = ()
    gone: int = 0
    some_lease: bool = False
    promises: bool = False


def changed(pinned: str, seen: Seen) -> Changed | None:
    """What has changed since; None: nothing. `pinned` is a scan id."""
    if pinned == scan_id(seen):
        return None
    plan, promises, leases = pinned.split("-")
    now = scan_id(seen).split("-")
    before = leases.split(".") if leases else []
    digests = {lease.worker: _lease(lease) for lease in seen.leases}
    known = len(digests) <= _SINGLE and all(len(part) == _LEASE for part in before)
    names = tuple(name for name, digest in digests.items() if known and digest not in before)
    gone = len(set(before) - set(digests.values())) - len(names) if known else 0
    some_lease = leases != now[2] and not known
    return Changed(plan != now[0], names, max(0, gone), some_lease, promises != now[1])


def changed_finding(pinned: str, found: Changed, seen: Seen) -> Finding:
    """LW313."""
    numbers: dict[str, int | str | list[str]] = {"name": pinned}
    if found.plan:
        numbers["plan"] = seen.plan.name
    if found.leases:
        numbers["changed"] = list(found.leases)
    if found.gone:
        numbers["gone"] = found.gone
    if found.some_lease:
        numbers["have"] = len(seen.leases)
    if found.promises:
        numbers["held"] = len(seen.promises)
    return Finding("LW313", (), found.leases, numbers)


def _plan_part(seen: Seen) -> str:
    by = None if seen.plan.by_ms is None else 0
    tree = None if seen.plan.workspace is None else seen.plan.workspace.origin
    plan = structs.replace(seen.plan, by_ms=by, workspace=None)
    return _digest([plan, tree, sha256(seen.text).hexdigest()])[:_PART]


def _leases_part(leases: Iterable[LeaseSeen]) -> str:
    digests = sorted(_lease(lease) for lease in leases)
    if len(digests) <= _SINGLE:
        return ".".join(digests)
    return _digest(digests)[:_PART]


def _lease(lease: LeaseSeen) -> str:
    """The terms too: one version of one worker never has two, and nobody has to believe that."""
    return _digest(lease)[:_LEASE]


def _digest(value: object) -> str:
    return sha256(_ENCODE(value)).hexdigest()
