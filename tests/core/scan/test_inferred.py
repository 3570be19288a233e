"""Goal: what was inferred orders tasks that declare nothing, only waits, and makes nothing known.
Method: plans of two and three tasks with the edges and findings worked out by hand."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.findings import Severity
from leaseway.core.model.inferred import Inferred
from leaseway.core.model.paths import meet, place
from leaseway.core.model.plan import Archive, EdgeKind, Limits, PlanSpec, TaskSpec, Workspace
from leaseway.core.scan.contested import contested
from leaseway.core.scan.order import order
from tests.core.scan.plans import closure, codes, plan, task

TREE = Workspace(Archive("sha256:" + "0" * 64, 1))


def guessed(name, *touched, **fields):
    """A task that declares nothing; `>x` is inferred to be written, `x` to be read."""
    inferred = tuple(
        Inferred(what.removeprefix(">"), "rule", f"cmd {name}", what[:1] == ">") for what in touched
    )
    return TaskSpec(name, "cmd", inferred=inferred, **fields)


def edges(whole: PlanSpec, **options):
    found = order(whole, **options).edges
    return {
        (name, edge.before): (edge.kind, edge.over) for name, mine in found.items() for edge in mine
    }


def told(whole: PlanSpec, **options):
    return [each for each in order(whole, **options).findings if each.code == "LW204"]


@pytest.mark.parametrize(
    ("one", "two", "over"),
    [
        (">git:.", ">git:.", "git:."),
        (">git:.", "git:sub", "git:sub"),
        ("git:.", "git:.", None),
        (">port:8000", ">port:8000", "port:8000"),
        (">port:8000", ">port:8001", None),
        (">packages:apt", ">packages:apt", "packages:apt"),
        (">out", "out/x", "out/x"),
        (">out/*.o", ">out/*.c", None),
        (">/srv/x", ">x", None),
    ],
)
def test_two_that_declare_nothing(one, two, over):
    whole = plan(guessed("a", one), guessed("b", two))
    expected = {} if over is None else {("b", "a"): (EdgeKind.INFERRED, over)}
    assert edges(whole) == expected
    assert len(told(whole)) == len(expected)


def test_it_is_told_with_what_it_rests_on_and_is_never_an_error():
    (finding,) = told(plan(guessed("a", ">git:."), guessed("b", ">git:.")))
    assert finding.severity is Severity.WARNING
    assert finding.tasks == ("b", "a")
    assert finding.numbers == {"over": "git:.", "text": "cmd b", "other_text": "cmd a"}


def test_what_is_declared_stands_above_it():
    declared = task("a", writes=("out",))
    assert (
        edges(plan(declared, task("b", reads=("x",), inferred=guessed("b", ">out").inferred))) == {}
    )
    assert edges(plan(guessed("a", ">out", parallel=True), guessed("b", ">out"))) == {}
    assert edges(plan(declared, guessed("b", "out"))) == {("b", "a"): (EdgeKind.INFERRED, "out")}
    needed = plan(guessed("a", ">out"), guessed("b", ">out", needs=("a",)))
    assert edges(needed) == {("b", "a"): (EdgeKind.NEEDS, "")}


def test_unknown_stays_unknown_and_each_runs_alone():
    whole = plan(guessed("a", ">port:1"), guessed("b", ">port:2"), guessed("c", ">port:1"))
    assert edges(whole, unknown_serialises=True) == {
        ("b", "a"): (EdgeKind.UNKNOWN, "."),
        ("c", "b"): (EdgeKind.UNKNOWN, "."),
        ("c", "a"): (EdgeKind.INFERRED, "port:1"),
    }
    found = order(whole, unknown_serialises=True).findings
    assert sorted(set(codes(found))) == ["LW204", "LW206"]


def test_it_only_waits():
    assert not EdgeKind.INFERRED.skips


def test_in_views_of_their_own_only_the_machine_is_shared():
    whole = plan(
        guessed("a", ">git:.", ">make:.", ">out", ">port:80"),
        guessed("b", ">git:.", ">make:.", ">out", ">port:80"),
        workspace=TREE,
    )
    assert edges(whole) == {("b", "a"): (EdgeKind.INFERRED, "port:80")}
    apart = plan(guessed("a", ">out"), guessed("b", ">out"), workspace=TREE)
    assert edges(apart) == {}
    assert told(apart) == []


def test_a_plan_without_an_order_takes_the_order_of_the_list():
    whole = plan(guessed("a", ">port:80"), guessed("b", ">port:80"), ordered=False)
    assert edges(whole) == {("b", "a"): (EdgeKind.INFERRED, "port:80")}
    assert all(each.severity is not Severity.ERROR for each in order(whole).findings)


def test_too_much_is_told_and_is_no_error():
    whole = plan(*(guessed(f"t{at}", "x", ">y") for at in range(6)))
    (finding,) = told(whole, limits=Limits(edges=3))
    assert (finding.variant, finding.severity) == ("too-many", Severity.WARNING)
    assert edges(whole, limits=Limits(edges=3)) == {}


def test_many_are_told_as_a_number():
    readers = [guessed(f"r{at}", "x") for at in range(1_005)]
    found = told(plan(*readers, guessed("w", ">x")))
    assert len(found) == 1_001
    assert (found[-1].variant, found[-1].numbers) == ("more", {"count": 5})


def test_it_counts_among_the_things_that_tasks_meet_at():
    found = contested(plan(guessed("a", ">port:80"), guessed("b", ">port:80"), task("c")))
    assert [thing.name for thing in found or ()] == ["port:80"]


WHATS = st.sampled_from(["git:.", "port:80", "out", "out/x", "out/*.o", ">git:.", ">out", ">out/x"])


@st.composite
def plans(draw):
    tasks = []
    for at in range(draw(st.integers(2, 6))):
        if draw(st.booleans()):
            tasks.append(guessed(f"t{at}", *draw(st.lists(WHATS, max_size=3))))
        else:
            reads = draw(st.lists(st.sampled_from(["out", "in"]), max_size=1))
            tasks.append(task(f"t{at}", reads=tuple(reads), writes=("out/x",) if at % 2 else ()))
    return plan(*tasks)


def touches(one: TaskSpec):
    if one.inferred:
        return [(each.what, each.writes) for each in one.inferred]
    return [
        *((text, False) for text in one.reads or ()),
        *((text, True) for text in one.writes or ()),
    ]


@given(plans())
def test_every_conflict_is_in_order_and_nothing_else_is(whole):
    found = edges(whole)
    before = closure(order(whole).edges)
    for one, two in combinations(whole.tasks, 2):
        conflict = any(
            (left[1] or right[1]) and meet(place(left[0]), place(right[0]))
            for left in touches(one)
            for right in touches(two)
        )
        assert (one.name in before[two.name]) or not conflict
        if (two.name, one.name) in found:
            assert conflict


def test_what_was_not_understood_is_told_once_and_touches_nothing():
    piece = Inferred("", "what this program touches", "frob")
    whole = plan(TaskSpec("a", "frob", inferred=(piece,)), TaskSpec("b", "frob", inferred=(piece,)))
    (note,) = told(whole)
    assert (note.variant, note.severity, note.tasks) == ("unread", Severity.NOTE, ("a", "b"))
    assert note.numbers["missing"] == [
        "a: frob (what this program touches)",
        "b: frob (what this program touches)",
    ]
    assert edges(whole) == {}
    assert "LW206" in codes(order(whole).findings)
