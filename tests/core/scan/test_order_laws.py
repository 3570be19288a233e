"""Goal: the order is what serial work from the top of the list would mean.

Method: random plans, against a comparison of every pair.
"""

from __future__ import annotations

from itertools import combinations

from hypothesis import given

from leaseway.core.model.paths import meet, place
from leaseway.core.model.plan import Edge, EdgeKind, TaskSpec
from leaseway.core.scan.order import order
from tests.core.scan.plans import closure, conflict, random_plans

NEEDS, RAW = EdgeKind.NEEDS, EdgeKind.READ_AFTER_WRITE
WAW = EdgeKind.WRITE_AFTER_WRITE


def serial_order(tasks):
    """Again and again the first of the list that can start."""
    left = list(tasks)
    done: list[TaskSpec] = []
    while left:
        first = next(one for one in left if set(one.needs) <= {done_one.name for done_one in done})
        done.append(first)
        left.remove(first)
    return done


@given(random_plans())
def test_same_order_as_serial_work(whole):
    """The closure of the edges is the closure of the needs and of all conflicting pairs, each in
    the direction of serial work."""
    found = order(whole)
    wanted = {one.name: [Edge(need, NEEDS) for need in one.needs] for one in whole.tasks}
    for one, two in combinations(serial_order(whole.tasks), 2):
        if conflict(one, two):
            wanted[two.name].append(Edge(one.name, WAW))
    before = closure(found.edges)
    assert before == closure(wanted)
    assert all(name not in mine for name, mine in before.items())


@given(random_plans())
def test_every_derived_edge_is_a_real_conflict(whole):
    by_name = {one.name: one for one in whole.tasks}
    declared = closure({one.name: [Edge(n, NEEDS) for n in one.needs] for one in whole.tasks})
    found = order(whole)
    for name, edges in found.edges.items():
        assert len({edge.before for edge in edges}) == len(edges)
        for edge in edges:
            after, before = by_name[name], by_name[edge.before]
            assert edge.kind is NEEDS or conflict(after, before)
            assert edge.kind is NEEDS or edge.before not in declared[name]
            reads = any(meet(place(a), place(b)) for a in after.reads for b in before.writes)
            assert edge.kind is not RAW or reads


@given(random_plans())
def test_a_reader_of_one_exact_place_depends_on_who_wrote_exactly_that_last(whole):
    done = serial_order(whole.tasks)
    found = order(whole)
    declared = closure({one.name: [Edge(n, NEEDS) for n in one.needs] for one in whole.tasks})
    for at, reader in enumerate(done):
        for path in reader.reads:
            writers = [
                one
                for one in done[:at]
                if any(meet(place(path), place(written)) for written in one.writes)
            ]
            if writers and path in writers[-1].writes:
                last = writers[-1].name
                kinds = {edge.before: edge.kind for edge in found.edges[reader.name]}
                assert last in declared[reader.name] or kinds[last] is RAW


@given(random_plans(ordered=False))
def test_without_an_order_every_open_conflict_is_refused(whole):
    declared = closure({one.name: [Edge(n, NEEDS) for n in one.needs] for one in whole.tasks})
    open_pairs = [
        (one.name, two.name)
        for one, two in combinations(whole.tasks, 2)
        if conflict(one, two)
        and one.name not in declared[two.name]
        and two.name not in declared[one.name]
    ]
    found = order(whole)
    refused = [set(told.tasks) for told in found.findings if told.code == "LW106"]
    assert bool(refused) is bool(open_pairs)
    assert all(any(pair == set(names) for names in open_pairs) for pair in refused)
    assert all(edge.kind is NEEDS for edges in found.edges.values() for edge in edges)
