"""The leases of the pool as a scan takes them: the terms of every worker that takes new work."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import asdict

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.lease import Guard, Mode, Scope, Terms, Window
from leaseway.wire.workers import TermsInfo, WorkerInfo


def leases_of_pool(workers: Iterable[WorkerInfo]) -> dict[str, Terms]:
    """Whoever is draining, quarantined, ended or not heard of takes no new work."""
    return {each.name: terms_of(each.terms) for each in workers if takes_work(each)}


def takes_work(worker: WorkerInfo) -> bool:
    """Whether anything is promised there now."""
    return worker.state == "active" and worker.present


def terms_of(shown: TermsInfo) -> Terms:
    """The terms behind what is shown of them. A resource or guard part of a newer coordinator is
    not known here and left out."""
    return Terms(
        windows=tuple(Window(each.opens_at, each.closes_at) for each in shown.windows),
        max_run_ms=shown.max_run_ms,
        capacity=Capacity(**_known(shown.capacity, Capacity.__struct_fields__)),
        tokens=shown.tokens,
        labels=shown.labels,
        tools=shown.tools,
        scope=Scope(**asdict(shown.scope)),
        guard=Guard(**_known(shown.guard, Guard.__struct_fields__)),
        share=shown.share,
        recurring=shown.recurring,
        mode=Mode(shown.mode) if shown.mode in set(Mode) else Mode.RESERVED,
        stretch_percent=shown.stretch_percent,
        extendable_until=shown.extendable_until,
    )


def _known(values: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name in names}
