"""Goal: what meets only itself is told apart from what meets others, and to treat it apart changes
nothing. Method: flags known beforehand; the tree of directories as the oracle."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from leaseway.core.model.paths import meet
from leaseway.core.scan.contested import contested
from leaseway.core.scan.derived import Derived, derive
from leaseway.core.scan.graph import Above, needs_of, serial
from leaseway.core.scan.order import order
from leaseway.core.scan.pairs import pairs
from leaseway.core.scan.touched import touched_by
from tests.core.scan.plans import plan, random_plans, task

NAMES = st.sampled_from(["a", "b", "c", "d/e", "d/f", "g", "g/h", "i/*", "i/j", "nas:a", "A"])
SEVERAL = st.lists(NAMES, max_size=3).map(tuple)


@st.composite
def plans_of_few_names(draw):
    """Most of their places stand alone."""
    size = draw(st.integers(1, 8))
    return plan(
        *(
            task(
                f"t{at}",
                reads=draw(SEVERAL),
                writes=draw(SEVERAL),
                needs=tuple(f"t{draw(st.integers(0, at - 1))}" for _ in range(min(at, 1))),
            )
            for at in range(size)
        )
    )


def test_what_stands_alone():
    whole = plan(
        task("a", reads=("x", "y/", "d"), writes=("d/f", "i/*", "nas:x")),
        task("b", reads=("./y", "i/j", "X"), writes=("x",), same_as={"x": "/real"}),
    )
    found = touched_by(whole)
    alone = {
        place.parts for place, is_lone in zip(found.places, found.lone, strict=True) if is_lone
    }
    assert alone == {(".", "x"), (".", "y"), ("nas:", "x"), ("/", "real")}
    assert not found.is_plain
    assert touched_by(plan(task("a", reads=("x", "y")), task("b", writes=("x",)))).is_plain
    assert not touched_by(plan(task("a", reads=("x",)), task("b", writes=("./x",)))).is_plain


@given(plans_of_few_names() | random_plans())
def test_alone_is_who_meets_nobody_else(whole):
    found = touched_by(whole)
    for at, place in enumerate(found.places):
        others = [other for number, other in enumerate(found.places) if number != at]
        if found.lone[at]:
            assert not any(meet(place, other) for other in others)
    assert touched_by(plan(task("a"))).lone == []


@given(plans_of_few_names() | random_plans())
def test_the_same_is_derived_as_with_the_tree_alone(whole):
    touched = touched_by(whole)
    tree = structs.replace(touched, lone=[False] * len(touched.places))
    needs = needs_of(whole.tasks).sources
    positions = serial(needs)
    one, two = (
        derive(whole, Derived(positions, Above(needs, positions)), each) for each in (touched, tree)
    )
    assert one.pairs == two.pairs
    assert one.findings == two.findings
    left, right = contested(whole, touched), contested(whole, tree)
    assert left is not None
    assert right is not None
    assert [thing.name for thing in left] == [thing.name for thing in right]
    assert [thing.pairs() for thing in left] == [thing.pairs() for thing in right]
    ordered = order(whole)
    assert pairs(whole, ordered) == pairs(whole, structs.replace(ordered, touched=tree))
