"""Small plans for tests of the scan."""

from __future__ import annotations

from leaseway.core.model.plan import PlanSpec, TaskSpec


def task(name, **fields):
    """A task that touches nothing unless told otherwise."""
    fields = {"reads": (), "writes": (), **fields}
    return TaskSpec(name, "true", **fields)


def plan(*tasks, **fields):
    return PlanSpec("p", tuple(tasks), **fields)


def eight():
    """Eight tasks of 3 minutes: 28 pairs, of which 01, 02, 34 and 56 conflict."""
    bound = {"estimate_ms": 180_000}
    return plan(
        task("t0", writes=("f",), **bound),
        task("t1", reads=("f",), **bound),
        task("t2", reads=("f",), **bound),
        task("t3", writes=("g",), **bound),
        task("t4", writes=("g",), **bound),
        task("t5", holds=("x",), **bound),
        task("t6", holds=("x",), **bound),
        task("t7", **bound),
    )


def closure(edges):
    """Everybody before each task, by walking back from each: slow and plain."""
    found = {}
    for name in edges:
        seen, work = set(), [name]
        while work:
            for edge in edges[work.pop()]:
                if edge.before not in seen:
                    seen.add(edge.before)
                    work.append(edge.before)
        found[name] = seen
    return found


def codes(findings):
    return [finding.code for finding in findings]
