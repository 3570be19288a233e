"""A lease file, text or object → what each worker's owner grants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec import Struct

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, Mode, Scope, TermsOffer, WindowOffer
from leaseway.core.model.plan import Limits
from leaseway.planfile.lease_keys import LEASE, SINGLE
from leaseway.planfile.plan_keys import NAME
from leaseway.planfile.recurring import NotRecurring, Recurring, zone_here
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
    says (`cpus_milli`, …); the others hold defaults, which the machine may know better.
    `recurring`: what the offer's windows were made from. `words`: what stands there, in a form
    that is the same for the same keys and values, however they are laid out."""

    name: str
    offer: TermsOffer
    capacity_given: frozenset[str] = frozenset()
    recurring: Recurring | None = None
    words: str = ""


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
            if isinstance(lease, dict):
                _check_times(lease, Spot(report, path))
    source.stop_if_wrong()
    written: Given = value["worker"] if isinstance(value, dict) else {}
    return {
        name: _lease(name, lease, written if single else written[name], report.wall_ms)
        for name, lease in leases.items()
    }


def _check_times(lease: Given, spot: Spot) -> None:
    """`for`, `until` and `windows` exclude each other; a zone belongs to windows."""
    said = [key for key in ("for", "until", "windows") if key in lease]
    if len(said) > 1:
        spot.at(said[-1]).wrong("one of for, until and windows", " and ".join(said))
    closes, longest = lease.get("for", lease.get("until")), lease.get("extendable_until")
    if isinstance(longest, int) and (not isinstance(closes, int) or longest <= closes):
        spot.at("extendable_until").wrong("a later time than for or until beside it", "no later")
    if "timezone" in lease and "windows" not in lease:
        spot.at("timezone").wrong("windows beside it", lease["timezone"])
    if "windows" in lease and "timezone" not in lease:
        try:
            lease["timezone"] = zone_here()
        except NotRecurring as error:
            spot.at("windows").wrong(f"timezone beside it, {error}", "none")


def _is_single(value: object) -> bool:
    """Whether `[worker]` is one lease: it has a lease's keys, or no tables at all."""
    worker = value.get("worker") if isinstance(value, dict) else None
    if not isinstance(worker, dict):
        return False
    tables = any(isinstance(inner, dict) for inner in worker.values())
    return any(key in SINGLE for key in worker) or not tables


def _lease(name: str, given: Given, written: Given, wall_ms: int | None) -> LeaseFile:
    capacity: Given = given.get("capacity", {})
    amounts = {CAPACITY_FIELDS[key]: amount for key, amount in capacity.items()}
    closes_in_ms = given.get("for", given.get("until"))
    windows: tuple[WindowOffer, ...] = (WindowOffer(closes_in_ms=closes_in_ms),)
    recurring = None
    if "windows" in given and wall_ms is not None:
        recurring = Recurring(given["windows"], given["timezone"])
        windows = recurring.offers(wall_ms)
    offer = TermsOffer(
        windows=windows,
        max_run_ms=given.get("max_run_time"),
        capacity=_capacity(amounts, given.get("mode")),
        tokens=given.get("tokens", ()),
        labels=given.get("labels", ()),
        tools=given.get("tools", ()),
        scope=Scope(**given.get("scope", {})),
        guard=given.get("guard", Guard()),
        share={kind.removesuffix("s"): part for kind, part in given.get("share", {}).items()},
        recurring=recurring.words if recurring else "",
        mode=Mode(given.get("mode", Mode.RESERVED)),
        stretch_percent=given.get("stretch", 400),
        extendable_ms=given.get("extendable_until"),
    )
    words = json.dumps(written, sort_keys=True, default=str)
    return LeaseFile(name, offer, frozenset(amounts), recurring, words)


SHARING = 4
"""Slots for each cpu, where tasks share them and nothing else is said."""


def _capacity(amounts: Given, mode: str | None) -> Capacity:
    """What was given, else the defaults; slots follow the cpus where only those were given."""
    if "cpus_milli" in amounts and "slots" not in amounts:
        cpus = amounts["cpus_milli"]
        each = SHARING if mode == Mode.SHARED else 1
        return Capacity(**amounts, slots=None if cpus is None else each * max(1, cpus // 1000))
    return Capacity(**amounts)
