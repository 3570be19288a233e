"""Many small noes into few: one finding per rule, with what was asked and the best on offer."""

from __future__ import annotations

from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.states import LeaseState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, View
from leaseway.core.presence import is_leaving, is_present

_ORDER = (
    "LW404",
    "LW402",
    "LW401",
    "LW501",
    "LW502",
    "LW503",
    "LW301",
    "LW309",
    "LW302",
    "LW311",
    "LW303",
)
"""Which rule is told first: what no time can mend stands before what more time would."""


_NAMED = 8  # workers whose own numbers are told; beyond that, their names


def merged(spec: TaskSpec, refused: list[Finding], view: View, now: Instant = 0) -> list[Finding]:
    """One finding per rule, the worker that misses by least first, all workers named."""
    if not refused:
        return [no_worker(spec, view, now)]
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in refused:
        resource = str(finding.numbers.get("resource", ""))
        groups.setdefault((finding.code, finding.variant, resource), []).append(finding)
    ordered = sorted(groups.items(), key=lambda item: _rank(item[0][0]))
    return [_one(group) for _, group in ordered]


def _rank(code: str) -> int:
    return _ORDER.index(code) if code in _ORDER else len(_ORDER)


def _one(group: list[Finding]) -> Finding:
    """The nearest miss speaks for all; every worker is named, nearest first."""
    nearest = sorted(group, key=_misses_by)
    best = nearest[0]
    numbers = dict(best.numbers)
    for finding in nearest[:_NAMED]:
        for name, number in finding.numbers.items():
            if number != best.numbers.get(name):
                numbers[f"{name}@{finding.workers[0]}"] = number
    return Finding(
        code=best.code,
        tasks=best.tasks,
        workers=tuple(finding.workers[0] for finding in nearest),
        numbers=numbers,
        variant=best.variant,
    )


def _misses_by(finding: Finding) -> tuple[int, str]:
    short = finding.numbers.get("short_ms", 0)
    if isinstance(short, int) and short:
        return short, finding.workers[0]
    for name in ("have_bytes", "have_milli", "have"):
        have = finding.numbers.get(name)
        if isinstance(have, int):
            return -have, finding.workers[0]
    return 0, finding.workers[0]


def no_worker(spec: TaskSpec, view: View, now: Instant) -> Finding:
    """There is no worker to ask: none joined, or all are gone, draining, ended or excluded."""
    states = [_not_asked(lease, view, now) for lease in view.facts.leases.values()]
    return Finding(
        code="LW402",
        tasks=(spec.name,),
        workers=tuple(view.facts.leases),
        numbers={"states": states},
        variant="no-worker",
    )


def _not_asked(lease: Lease, view: View, now: Instant) -> str:
    """Why this worker was not asked. Whoever takes work, is heard and was not asked is none of
    those that the plan allows."""
    if lease.state is not LeaseState.ACTIVE:
        return f"{lease.worker} is {lease.state.value}" + (
            f" ({lease.reason})" if lease.reason else ""
        )
    if not is_present(view, lease.worker, now):
        return f"{lease.worker} is not heard of"
    if is_leaving(view, lease.worker):
        return f"the daemon of {lease.worker} has left"
    return f"{lease.worker} is not among those that the plan allows"
