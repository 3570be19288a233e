"""Goal: a wait that can never end is told at once, with the way to what must be mended. Method:
chains by hand, random plans against a walk from each task, and plans of 100,000 tasks."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.findings import Severity
from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.model.plan import Selector
from leaseway.core.scan import impossible as module
from leaseway.core.scan.report import scan
from leaseway.core.wording.expects import EXPECTS
from leaseway.core.wording.say import mend, sentence
from tests.core.scan.plans import plan, task

MINUTE = 60_000
NOW = 5_000_000
BOX = {"box": Terms((Window(0, NOW + 10 * MINUTE),), guard=Guard(0, 0, 0, 0))}
LATE = 99 * MINUTE


def short(name, *needs, **fields):
    return task(name, needs=needs, **({"limit_ms": MINUTE} | fields))


def told(whole, leases=BOX, code="LW105"):
    return [each for each in scan(whole, leases, NOW).findings if each.code == code]


def test_behind_what_fits_nowhere():
    whole = plan(short("a", limit_ms=LATE), short("b", "a"), short("c", "b"), short("d"))
    first, second = told(whole)
    assert (first.tasks, first.severity) == (("b",), Severity.WARNING)
    assert sentence(first) == "b waits for a, which cannot succeed (LW302)."
    assert sentence(second) == (
        "c waits for b, which cannot succeed, for a cannot (LW302): c → b → a."
    )
    assert mend(second) == "Mend a first, or remove a need on the way to it."


@pytest.mark.parametrize(
    ("root", "why"),
    [
        ({"limit_ms": LATE}, "LW302"),
        ({"on": Selector(labels=("gpu",))}, "LW404"),
        ({"needs": ("nobody",)}, "LW102"),
        ({"needs": ("a",)}, "LW101"),
        ({"holds": ("x",)}, "LW404"),
    ],
    ids=["no time", "no label", "unknown need", "needs itself", "unknown token"],
)
def test_whatever_refuses_it_is_named(root, why):
    (found,) = told(plan(task("a", **root), short("b", "a")))
    assert (found.numbers["waits_for"], found.numbers["why"]) == ("a", why)


def test_behind_a_cycle_by_the_shortest_way():
    whole = plan(
        short("a", "b"), short("b", "a"), short("c", "d"), short("d", "a"), short("e", "c", "b")
    )
    assert [(each.tasks, each.numbers.get("path")) for each in told(whole)] == [
        (("c",), ["c", "d", "a"]),
        (("d",), None),
        (("e",), None),
    ]


def test_in_a_knot_beside_the_cycle_that_is_told():
    """a and b need each other; c hangs on both, and b on c: the path told is a → b → a."""
    whole = plan(short("a", "b"), short("b", "a", "c"), short("c", "a"))
    assert [each.tasks for each in told(whole)] == [("c",)]


def test_what_only_comes_after_may_run():
    """A writer behind a reader waits for its end, good or bad; a reader needs what was written."""
    whole = plan(
        short("a", reads=("f",), limit_ms=LATE), short("b", writes=("f",)), short("c", reads=("f",))
    )
    assert told(whole) == []
    whole = plan(short("a", writes=("f",), limit_ms=LATE), short("b", reads=("f",)))
    assert [each.tasks for each in told(whole)] == [("b",)]


def test_without_leases_only_what_the_plan_itself_rules_out():
    whole = plan(short("a", holds=("x",)), short("b", "a"), short("c", "gone"), short("d", "c"))
    assert [each.tasks for each in told(whole, {})] == [("d",)]


def test_a_long_chain_is_cut_in_the_middle():
    tasks = [short(f"t{at}", f"t{at - 1}") for at in range(1, 21)]
    found = told(plan(short("t0", limit_ms=LATE), *tasks))[-1]
    assert sentence(found).endswith(": t20 → t19 → t18 → t17 → t16 → t15 → 14 more → t0.")
    seventh = told(plan(short("t0", limit_ms=LATE), *tasks))[5]
    assert sentence(seventh).endswith(": t6 → t5 → t4 → t3 → t2 → t1 → t0.")


@given(st.data())
def test_like_a_walk_from_each_task(data):
    """Told are exactly those that reach a task that is too long, over needs, and fit themselves."""
    size = data.draw(st.integers(1, 8))
    needs = [data.draw(st.sets(st.integers(0, at - 1))) if at else set() for at in range(size)]
    late = data.draw(st.sets(st.integers(0, size - 1)))
    tasks = [
        short(f"t{at}", *(f"t{each}" for each in needs[at]), limit_ms=LATE if at in late else 1)
        for at in range(size)
    ]

    def reaches(at):
        return any(each in late or reaches(each) for each in needs[at])

    wanted = [(f"t{at}",) for at in range(size) if at not in late and reaches(at)]
    assert [each.tasks for each in told(plan(*tasks))] == wanted


@pytest.mark.parametrize("step", [1, -1], ids=["forwards", "backwards"])
def test_a_hundred_thousand_behind_one(step):
    """Bounded in time and in what is told, whichever end of the chain stands first."""
    size = 100_000
    tasks = [short(f"t{at}", f"t{at - 1}") for at in range(1, size)][::step]
    began = time.process_time()
    found = told(plan(short("t0", limit_ms=LATE), *tasks))
    assert time.process_time() - began < 30
    assert len(found) == module.TOLD + 1
    assert found[-1].numbers == {"count": size - 1 - module.TOLD}
    assert all(len(sentence(each)) < 300 for each in found)


def test_fifty_thousand_in_a_cycle_and_as_many_behind_it():
    size = 50_000
    ring = [short(f"r{at}", f"r{(at + 1) % size}") for at in range(size)]
    began = time.process_time()
    found = told(plan(*ring, *(short(f"b{at}", f"r{at}") for at in range(size))))
    assert time.process_time() - began < 30
    assert [each.numbers.get("waits_for") for each in found[:2]] == ["r0", "r1"]
    assert found[-1].numbers == {"count": size - module.TOLD}


def test_separate_cycles_are_told_five_and_a_number():
    pairs = [
        short(f"{one}{at}", f"{two}{at}")
        for at in range(8)
        for one, two in (("a", "b"), ("b", "a"))
    ]
    *each, more = told(plan(*pairs, short("c", "b7")), code="LW101")
    assert [found.numbers["path"] for found in each] == [
        [f"a{at}", f"b{at}", f"a{at}"] for at in range(5)
    ]
    assert (more.variant, more.numbers) == ("more", {"count": 3})
    assert "3 more cycles of needs, among a5, b5, a6, b6, a7, b7" in sentence(more)
    assert [found.tasks for found in told(plan(*pairs, short("c", "b7")))] == [("c",)]


def test_numbers_are_those_of_the_wording():
    tasks = [short(f"t{at}", f"t{at - 1}") for at in range(1, 120)]
    for found in told(plan(short("t0", limit_ms=LATE), *tasks)):
        key = f"LW105/{found.variant}" if found.variant else "LW105"
        assert set(found.numbers) <= set(EXPECTS[key])


def test_a_machine_without_room_for_it():
    lease = Terms((Window(0),), capacity=Capacity(0, slots=0), guard=Guard(0, 0, 0, 0))
    found = told(plan(short("a"), short("b", "a")), {"box": lease})
    assert found == [], "each of the two has a finding of its own"
