"""A lease file, text or object → what each worker's owner grants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, Scope, TermsOffer, WindowOffer
from leaseway.core.model.plan import Limits
from leaseway.planfile.lease_keys import LEASE, SINGLE
from leaseway.planfile.plan_keys import NAME
from leaseway.planfile.report import Report, Spot
from leaseway.planfile.source import Source, source_of_file, source_of_text
from leaseway.planfile.tables import MapOf, Table

Given = dict[str, Any]
LIMITS = Limits()
CAPACITY_FIELDS = {
    "cpus": "cpus_milli",
    "memory": "memory_bytes",
    "gpus": "gpus",
    "disk": "disk_bytes",
    "processes": "processes",
    "slots": "slots",
}


class LeaseFile(Struct, frozen=True):
    """One worker's lease as written. `capacity_given`: the fields of the capacity that the file
    says (`cpus_milli`, …); the others hold defaults, which the machine may know better."""

    name: str
    offer: TermsOffer
    capacity_given: frozenset[str] = frozenset()


def read_leases(
    path: Path, *, wall_ms: int | None = None, default_name: str = "worker"
) -> dict[str, LeaseFile]:
    """The leases in a .toml, .yaml, .yml or .json file by worker, in the order written.

    `[worker]` alone is one lease, named by its key `name` or else `default_name`; `[worker.NAME]`
    tables are several. `wall_ms`: the wall clock since the epoch, for `until`; None refuses it.
    """
    report = Report(str(path), wall_ms, LIMITS)
    return _leases_of(source_of_file(path, report), default_name)


def leases_from_text(
    text: str, format: str, name: str, *, wall_ms: int | None = None, default_name: str = "worker"
) -> dict[str, LeaseFile]:
    """The leases in a text of the format `toml`, `yaml` or `json`; `name` is the file's name."""
    report = Report(name, wall_ms, LIMITS)
    return _leases_of(source_of_text(text, format, report), default_name)


def _leases_of(source: Source, default_name: str) -> dict[str, LeaseFile]:
    value, report = source.value, source.report
    single = _is_single(value)
    kind = Table(SINGLE) if single else MapOf(Table(LEASE), NAME)
    given = Table({"worker": kind}, required=("worker",)).read(value, Spot(report))
    workers: object = given.get("worker") if isinstance(given, dict) else None
    leases: dict[str, Any] = {}
    if isinstance(workers, dict):
        name = workers.get("name", default_name)
        leases = {str(name): workers} if single else workers
        for each, lease in leases.items():
            path = ("worker",) if single else ("worker", each)
            if isinstance(lease, dict) and "for" in lease and "until" in lease:
                Spot(report, (*path, "until")).wrong("one of for and until", "both")
    source.stop_if_wrong()
    return {name: _lease(name, lease) for name, lease in leases.items()}


def _is_single(value: object) -> bool:
    """Whether `[worker]` is one lease: it has a lease's keys, or no tables at all."""
    worker = value.get("worker") if isinstance(value, dict) else None
    if not isinstance(worker, dict):
        return False
    tables = any(isinstance(inner, dict) for inner in worker.values())
    return any(key in SINGLE for key in worker) or not tables


def _lease(name: str, given: Given) -> LeaseFile:
    capacity: Given = given.get("capacity", {})
    amounts = {CAPACITY_FIELDS[key]: amount for key, amount in capacity.items()}
    closes_in_ms = given.get("for", given.get("until"))
    offer = TermsOffer(
        windows=(WindowOffer(closes_in_ms=closes_in_ms),),
        max_run_ms=given.get("max_run_time"),
        capacity=_capacity(amounts),
        tokens=given.get("tokens", ()),
        labels=given.get("labels", ()),
        tools=given.get("tools", ()),
        scope=Scope(**given.get("scope", {})),
        guard=given.get("guard", Guard()),
        share={kind.removesuffix("s"): part for kind, part in given.get("share", {}).items()},
    )
    return LeaseFile(name, offer, frozenset(amounts))


def _capacity(amounts: Given) -> Capacity:
    """What was given, else the defaults; slots follow the cpus where only those were given."""
    if "cpus_milli" in amounts and "slots" not in amounts:
        cpus = amounts["cpus_milli"]
        return Capacity(**amounts, slots=None if cpus is None else max(1, cpus // 1000))
    return Capacity(**amounts)
