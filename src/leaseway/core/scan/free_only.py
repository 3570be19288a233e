"""Tasks that fit a machine only while it is free: what is promised there now leaves less than they
ask, so they wait (LW403)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from leaseway.core.model.capacity import UNLIMITED, Vector, plus
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant
from leaseway.core.scan.problem import Taken
from leaseway.core.scan.verdicts import Verdicts

TOLD = 100
"""So many tasks are told."""
_CPUS, _MEMORY = 0, 1
_VARIANTS = ((_CPUS, "cpus", "milli"), (_MEMORY, "memory", "bytes"))
_NONE: Vector = (0, 0, 0, 0, 0, 0)


def free_only(
    plan: PlanSpec,
    leases: Mapping[str, Terms],
    taken: Sequence[Taken],
    verdicts: Verdicts,
    now: Instant,
) -> list[Finding]:
    """Where every worker that could take a task has something on it that leaves it too little: the
    one that is short by the least. Only cpus and memory; a task that fits nowhere is refused."""
    used = _used(taken, now)
    if not any(worker in leases for worker in used):
        return []
    fits_on = verdicts.fits_on()
    alike = [
        _of(verdicts.samples[kind].uses.vector(), fits_on[kind], leases, used)
        for kind in range(len(verdicts.samples))
    ]
    told = (
        Finding("LW403", (task.name,), (worker,), numbers, variant, Severity.WARNING)
        for task, kind in zip(plan.tasks, verdicts.kind_of, strict=True)
        if (found := alike[kind]) is not None
        for worker, variant, numbers in [found]
    )
    return list(islice(told, TOLD))


def _used(taken: Sequence[Taken], now: Instant) -> dict[str, Vector]:
    used: dict[str, Vector] = {}
    for each in taken:
        if each.start <= now < each.end:
            used[each.worker] = plus(used.get(each.worker, _NONE), each.uses)
    return used


def _of(
    asked: Vector, workers: Sequence[str], leases: Mapping[str, Terms], used: Mapping[str, Vector]
) -> tuple[str, str, dict[str, int | str | list[str]]] | None:
    """Worker, resource and numbers; None: somewhere there is room now, or nowhere ever."""
    nearest: tuple[int, str, str, dict[str, int | str | list[str]]] | None = None
    for worker in workers:
        whole = leases[worker].capacity.vector()
        taken = used.get(worker, _NONE)
        short = [
            (asked[at] - (whole[at] - taken[at]), at, name, unit)
            for at, name, unit in _VARIANTS
            if whole[at] < UNLIMITED and asked[at] > whole[at] - taken[at]
        ]
        if not short:
            return None
        most, at, name, unit = max(short)
        free = max(0, whole[at] - taken[at])
        numbers: dict[str, int | str | list[str]] = {
            f"need_{unit}": asked[at],
            f"free_{unit}": free,
            f"cap_{unit}": whole[at],
        }
        if nearest is None or most < nearest[0]:
            nearest = most, worker, name, numbers
    return None if nearest is None else nearest[1:]
