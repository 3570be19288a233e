"""Waits that can never end (LW105): behind a task that fits nowhere, is refused, or in a cycle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.plan import Edge, PlanSpec

TOLD = 100
"""So many waits are told one by one, the rest as a number."""
STEPS = 6
"""So many tasks of a chain are shown, and its root."""
_NOT_OF_A_TASK = {"LW106", "LW901", "LW902"}
"""Errors that are about two tasks or the plan: each of those tasks alone could run."""


def refused_by(findings: Iterable[Finding], *, knows_leases: bool) -> dict[str, str]:
    """Tasks that can never run, each with the code that says so. What leases alone decide counts
    only where there are some."""
    found: dict[str, str] = {}
    for finding in findings:
        code = finding.code
        counts = knows_leases or not code.startswith("LW4")
        if counts and finding.severity is Severity.ERROR and code not in _NOT_OF_A_TASK:
            for name in finding.tasks:
                found.setdefault(name, code)
    return found


def impossible(
    plan: PlanSpec, edges: Mapping[str, Sequence[Edge]], refused: Mapping[str, str]
) -> list[Finding]:
    """One finding for each task that waits for one that can never run, by the shortest chain from
    it to its root; the first `TOLD` in the order of the plan, and a number. A task that is refused
    itself has a finding of its own. Only what a bad end would skip counts: who merely comes after
    may run."""
    if not refused:
        return []
    waits = _towards_roots(plan, edges, refused)
    first = list(islice((task.name for task in plan.tasks if task.name in waits), TOLD))
    found = [_told(name, waits, refused) for name in first]
    if len(waits) > TOLD:
        more: dict[str, int | str | list[str]] = {"count": len(waits) - TOLD}
        found.append(Finding("LW105", (), (), more, "more", Severity.WARNING))
    return found


class _Wait(NamedTuple):
    """Whom it waits for, which leads to `root` over so many needs."""

    before: str
    root: str
    steps: int


def _towards_roots(
    plan: PlanSpec, edges: Mapping[str, Sequence[Edge]], refused: Mapping[str, str]
) -> dict[str, _Wait]:
    """By task that can never run for another, whom it waits for: the nearest to a root."""
    followers: dict[str, list[str]] = {}
    for task in plan.tasks:
        for edge in edges.get(task.name, ()):
            if edge.kind.skips:
                followers.setdefault(edge.before, []).append(task.name)
    found: dict[str, _Wait] = {}
    queue = deque((task.name, task.name, 0) for task in plan.tasks if task.name in refused)
    while queue:
        before, root, steps = queue.popleft()
        for name in followers.get(before, ()):
            if name not in found and name not in refused:
                found[name] = _Wait(before, root, steps + 1)
                queue.append((name, root, steps + 1))
    return found


def _told(name: str, waits: Mapping[str, _Wait], refused: Mapping[str, str]) -> Finding:
    first = waits[name]
    numbers: dict[str, int | str | list[str]] = {"waits_for": first.before}
    numbers["why"] = refused[first.root]
    if first.steps == 1:
        return Finding("LW105", (name,), (), numbers, "", Severity.WARNING)
    chain = [name]
    while chain[-1] in waits and len(chain) < STEPS:
        chain.append(waits[chain[-1]].before)
    numbers |= {"root": first.root, "path": chain}
    if first.steps > STEPS:
        numbers["more"] = first.steps - STEPS
    elif chain[-1] != first.root:
        chain.append(first.root)
    return Finding("LW105", (name,), (), numbers, "chain", Severity.WARNING)
