"""Findings about what a plan declares: its needs and its tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.cycles import cycle_of, knots
from leaseway.core.scan.graph import Above, Needs
from leaseway.core.scan.names import Known

CYCLES = 5
"""So many cycles are told, each as a path."""


def needs_findings(plan: PlanSpec, needs: Needs, positions: Sequence[int]) -> list[Finding]:
    """Names given twice (LW901), unknown needs (LW102), cycles (LW101)."""
    tasks = plan.tasks
    found = [
        Finding("LW901", (tasks[at].name,), numbers={"name": tasks[at].name}, variant="duplicate")
        for at in needs.twice
    ]
    known = Known(needs.index)
    for name, need in needs.unknown:
        numbers: dict[str, int | str | list[str]] = {"name": need, "nearest": known.nearest(need)}
        found.append(Finding("LW102", (name,), numbers=numbers))
    found += [
        Finding("LW101", (name,), numbers={"path": [name, name]}, variant="self")
        for name in needs.alone
    ]
    if len(positions) < len(tasks):
        found += _cycles(plan, needs, positions)
    return found


def _cycles(plan: PlanSpec, needs: Needs, positions: Sequence[int]) -> list[Finding]:
    """The first `CYCLES` cycles, each as one path, and how many more knots there are with the tasks
    that are in them."""
    stuck = sorted(set(range(len(plan.tasks))) - set(positions))
    tied = sorted(knots(needs.sources, stuck), key=min)
    found = []
    for knot in tied[:CYCLES]:
        names = [plan.tasks[at].name for at in cycle_of(needs.sources, knot)]
        found.append(Finding("LW101", tuple(names[:-1]), numbers={"path": names}))
    if more := tied[CYCLES:]:
        about = tuple(plan.tasks[at].name for knot in more for at in sorted(knot))
        numbers: dict[str, int | str | list[str]] = {"count": len(more)}
        found.append(Finding("LW101", about, numbers=numbers, variant="more"))
    return found


def redundant_needs(plan: PlanSpec, needs: Needs, above: Above) -> Iterator[Finding]:
    """Needs that follow from other needs of the same task (LW104), one finding for each task; none
    where it is not known."""
    for at, implied in sorted(above.implied.items()):
        names = [plan.tasks[source].name for source in needs.sources[at] if source in implied]
        about = (plan.tasks[at].name, *names)
        yield Finding("LW104", about, (), {"implied": names}, "", Severity.NOTE)


def shared_tokens(plan: PlanSpec, positions: Sequence[int], above: Above) -> Iterator[Finding]:
    """Tokens held by several tasks that no need puts in order (LW203), one finding each."""
    holders: dict[str, list[int]] = {}
    for at in positions:
        for token in dict.fromkeys(plan.tasks[at].holds):
            holders.setdefault(token, []).append(at)
    for token, held in holders.items():
        if any(not above.has(after, before) for before, after in pairwise(held)):
            names = tuple(plan.tasks[at].name for at in sorted(held))
            yield Finding("LW203", names, (), {"over": token}, "", Severity.NOTE)
