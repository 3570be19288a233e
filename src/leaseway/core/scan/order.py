"""Which task waits for which: what the plan declares, and what its reads and writes imply."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import Edge, EdgeKind, Limits, PlanSpec
from leaseway.core.scan.declared import needs_findings, redundant_needs, shared_tokens
from leaseway.core.scan.derived import Derived, derive, unknown_finding
from leaseway.core.scan.graph import Above, Needs, Sources, needs_of, serial
from leaseway.core.scan.inferred import add_inferred
from leaseway.core.scan.touched import Touched, touched_by
from leaseway.core.scan.two_names import two_names

LIMITS = Limits()

Pairs = Mapping[tuple[int, int], tuple[EdgeKind, str]]


class Order(Struct, frozen=True):
    """Edges by the name of the task that waits; `Edge.before` is a task's name too. Tasks that
    wait for nobody are in it with no edges. `findings` with an error: the plan has no order. By
    index into the plan: `needs` as declared, `sources` with what is derived, and `positions`, an
    order in which predecessors come first. `above`: what is known of the needs however far;
    `touched`: what is declared to be read and written."""

    edges: dict[str, tuple[Edge, ...]]
    findings: tuple[Finding, ...] = ()
    needs: Sources = []
    sources: Sources = []
    positions: Sequence[int] = ()
    above: Above | None = None
    touched: Touched | None = None


def order(plan: PlanSpec, limits: Limits = LIMITS, unknown_serialises: bool = False) -> Order:
    """The order of a plan: declared needs, and edges derived from reads and writes.

    Who comes first of two that touch the same thing is who is listed first, as far as needs allow;
    so the order is acyclic whenever the needs are. `unknown_serialises`: a task that declares
    neither reads nor writes runs alone (LW206); else it is only told.
    """
    needs = needs_of(plan.tasks)
    positions = serial(needs.sources)
    findings = needs_findings(plan, needs, positions)
    if needs.twice or len(positions) < len(plan.tasks):
        findings += unknown_finding(plan, unknown_serialises)
        findings += two_names(plan, touched_by(plan))
        return Order(_edges(plan, needs, {}), tuple(findings))
    above = Above(needs.sources, positions)
    findings += redundant_needs(plan, needs, above)
    touched = touched_by(plan)
    derived = derive(plan, Derived(positions, above, limits, unknown_serialises), touched)
    add_inferred(plan, derived)
    findings += derived.findings
    findings += two_names(plan, touched)
    findings += shared_tokens(plan, positions, above)
    edges = _edges(plan, needs, derived.pairs)
    sources = _sources(needs.sources, derived.pairs)
    return Order(edges, tuple(findings), needs.sources, sources, positions, above, touched)


def _sources(needs: Sources, derived: Pairs) -> Sources:
    """Needs and derived edges; what nothing was derived for is shared with the needs."""
    if not derived:
        return needs
    also: dict[int, list[int]] = {}
    for after, before in derived:
        also.setdefault(after, []).append(before)
    found = list(needs)
    for after, several in also.items():
        found[after] = (*needs[after], *several)
    return found


def _edges(plan: PlanSpec, needs: Needs, derived: Pairs) -> dict[str, tuple[Edge, ...]]:
    """Declared and derived edges by name, in the order of the list."""
    tasks = plan.tasks
    also: dict[int, dict[int, Edge]] = {}
    for (after, before), (kind, over) in derived.items():
        also.setdefault(after, {})[before] = Edge(tasks[before].name, kind, over)
    needed = [Edge(task.name, EdgeKind.NEEDS) for task in tasks]
    found: dict[str, tuple[Edge, ...]] = {}
    for at, (task, sources) in enumerate(zip(tasks, needs.sources, strict=True)):
        if at in also:
            mine = also[at] | {source: needed[source] for source in sources}
            found[task.name] = tuple(mine[source] for source in sorted(mine))
        elif sources:
            found[task.name] = tuple(map(needed.__getitem__, sorted(sources)))
        else:
            found[task.name] = ()
    return found
