"""Small plans for tests of the scan."""

from __future__ import annotations

from hypothesis import strategies as st

from leaseway.core.model.paths import meet, place
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


PATHS = st.sampled_from(
    ["a", "a/b", "a/c", "a/b/d", "e", ".", "a/*", "a/*.o", "a/x.o", "a/x.c", "nas:a", "a/**"]
)
ACCESS = st.lists(PATHS, max_size=2).map(tuple)


@st.composite
def random_plans(draw, ordered=True):
    size = draw(st.integers(1, 7))
    turned = draw(st.permutations(range(size)))
    tasks = []
    for at in range(size):
        earlier = [other for other in range(size) if turned[other] < turned[at]]
        needs = draw(st.lists(st.sampled_from(earlier), max_size=2)) if earlier else []
        names = tuple(f"t{other}" for other in needs)
        tasks.append(task(f"t{at}", needs=names, reads=draw(ACCESS), writes=draw(ACCESS)))
    return plan(*tasks, ordered=ordered)


def conflict(one, two):
    """Whether two tasks touch the same thing, at least one of them writing."""

    def some(left, right):
        return any(meet(place(a), place(b)) for a in left for b in right)

    return (
        some(one.writes, two.writes) or some(one.writes, two.reads) or some(one.reads, two.writes)
    )
