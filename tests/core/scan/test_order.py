"""Goal: the order is what serial work from the top of the list would mean.

Method: known plans, and large ones; `test_order_laws.py` has the random ones.
"""

from __future__ import annotations

import time

import pytest

from leaseway.core.model.findings import Severity
from leaseway.core.model.plan import Edge, EdgeKind, Limits, TaskSpec
from leaseway.core.scan import derived
from leaseway.core.scan.order import order
from leaseway.core.wording.expects import EXPECTS
from leaseway.core.wording.say import sentence
from tests.core.scan.plans import codes, eight, plan, task

NEEDS, RAW = EdgeKind.NEEDS, EdgeKind.READ_AFTER_WRITE
WAR, WAW = EdgeKind.WRITE_AFTER_READ, EdgeKind.WRITE_AFTER_WRITE


def test_declared_needs():
    found = order(plan(task("b", needs=("a", "a")), task("a")))
    assert found.edges == {"b": (Edge("a", NEEDS),), "a": ()}
    assert found.findings == ()


def test_read_after_write_is_told():
    found = order(plan(task("make", writes=("out",)), task("use", reads=("./out/x",))))
    assert found.edges["use"] == (Edge("make", RAW, "./out/x"),)
    (told,) = found.findings
    assert (told.code, told.severity, told.tasks) == ("LW103", Severity.WARNING, ("use", "make"))
    assert "use waits for make" in sentence(told)


def test_read_then_edit():
    """ "Read the config, then change it": the change waits."""
    found = order(plan(task("read", reads=("conf",)), task("edit", writes=("conf",))))
    assert found.edges["edit"] == (Edge("read", WAR, "conf"),)
    assert [(told.code, told.variant) for told in found.findings] == [("LW103", "write-after-read")]


def test_two_writers():
    found = order(plan(task("a", writes=("f",)), task("b", writes=("f",))))
    assert found.edges["b"] == (Edge("a", WAW, "f"),)
    assert codes(found.findings) == ["LW201"]


def test_what_is_brought_back_counts_as_written():
    found = order(plan(task("a", outputs=("m/*.bin",)), task("b", reads=("m/x.bin",))))
    assert found.edges["b"] == (Edge("a", RAW, "m/x.bin"),)


def test_strongest_kind_is_kept():
    both = {"reads": ("f",), "writes": ("f",)}
    found = order(plan(task("a", **both), task("b", **both)))
    assert found.edges["b"] == (Edge("a", RAW, "f"),)
    found = order(plan(task("a", **both), task("b", needs=("a",), **both)))
    assert found.edges["b"] == (Edge("a", NEEDS),)
    assert found.findings == ()


def test_needs_turn_the_list_around():
    """What needs say comes before the order of the list, and no cycle comes of it."""
    found = order(plan(task("a", needs=("b",), writes=("f",)), task("b", reads=("f",))))
    assert found.edges == {"a": (Edge("b", NEEDS),), "b": ()}


def test_only_the_last_writer_is_named():
    found = order(
        plan(task("a", writes=("d",)), task("b", writes=("d",)), task("c", reads=("d/x",)))
    )
    assert found.edges["c"] == (Edge("b", RAW, "d/x"),)


def test_a_glob_that_plainly_does_not_meet_leaves_its_neighbour_alone():
    found = order(
        plan(
            task("c", writes=("out/*.c",)),
            task("html", writes=("out/*.html",)),
            task("compile", reads=("out/*.c",)),
        )
    )
    assert found.edges["compile"] == (Edge("c", RAW, "out/*.c"),)
    assert found.edges["html"] == ()


def test_cycle_is_told_whole():
    found = order(
        plan(task("c", needs=("b",)), task("a", needs=("c",)), task("b", needs=("a",)), task("x"))
    )
    (told,) = found.findings
    assert told.code == "LW101"
    assert told.numbers["path"] == ["c", "b", "a", "c"]
    assert "c → b → a → c" in sentence(told)


def test_every_knot_is_told_once_and_what_waits_behind_it_is_not():
    found = order(
        plan(
            task("a", needs=("b",)),
            task("b", needs=("a",)),
            task("c", needs=("d", "a")),
            task("d", needs=("c",)),
            task("behind", needs=("a",)),
        )
    )
    paths = [told.numbers["path"] for told in found.findings]
    assert paths == [["a", "b", "a"], ["c", "d", "c"]]


def test_a_need_of_oneself():
    found = order(plan(task("a", needs=("a",))))
    (told,) = found.findings
    assert (told.code, told.variant, told.severity) == ("LW101", "self", Severity.ERROR)


def test_cycle_of_fifty_thousand():
    size = 50_000
    tasks = [task(f"t{at}", needs=(f"t{(at + 1) % size}",)) for at in range(size)]
    (told,) = order(plan(*tasks)).findings
    path = told.numbers["path"]
    assert isinstance(path, list)
    assert len(path) == size + 1


def test_unknown_need_offers_the_nearest():
    found = order(plan(task("build"), task("test", needs=("biuld",))))
    (told,) = found.findings
    assert (told.code, told.tasks) == ("LW102", ("test",))
    assert told.numbers == {"name": "biuld", "nearest": ["build"]}


def test_a_hundred_thousand_unknown_needs_cost_little():
    needs = tuple(f"n{at}" for at in range(100_000))
    found = order(plan(*(task(f"t{at}") for at in range(500)), task("x", needs=needs)))
    assert len(found.findings) == 100_000


def test_one_name_twice():
    found = order(plan(task("a"), task("a")))
    assert [(told.code, told.variant) for told in found.findings] == [("LW901", "duplicate")]


def test_redundant_need():
    found = order(plan(task("a"), task("b", needs=("a",)), task("c", needs=("b", "a"))))
    (told,) = found.findings
    assert (told.code, told.severity, told.tasks) == ("LW104", Severity.NOTE, ("c", "a"))
    assert told.numbers == {"implied": ["a"]}


def test_no_order_to_derive_from():
    found = order(plan(task("a", writes=("f",)), task("b", reads=("f",)), ordered=False))
    (told,) = found.findings
    assert (told.code, told.severity) == ("LW106", Severity.ERROR)
    assert set(told.tasks) == {"a", "b"}
    said = order(
        plan(task("a", writes=("f",)), task("b", reads=("f",), needs=("a",)), ordered=False)
    )
    assert said.findings == ()


def test_tokens_are_told_once_and_not_ordered():
    found = order(plan(*(task(f"t{at}", holds=("gpu-room",)) for at in range(4))))
    (told,) = found.findings
    assert (told.code, told.severity, len(told.tasks)) == ("LW203", Severity.NOTE, 4)
    assert not any(found.edges.values())


def test_tokens_in_declared_order_are_not_told():
    found = order(plan(task("a", holds=("t",)), task("b", holds=("t",), needs=("a",))))
    assert found.findings == ()


def test_unknown_is_told_and_not_ordered_here():
    tasks = (TaskSpec("a", "x"), TaskSpec("b", "x"), task("c", reads=("f",)))
    found = order(plan(*tasks))
    (told,) = found.findings
    assert (told.code, told.variant, told.tasks) == ("LW206", "told", ("a", "b"))
    assert not any(found.edges.values())
    assert order(plan(TaskSpec("a", "x"))).findings == ()
    assert order(plan(task("z"), TaskSpec("a", "x", parallel=True))).findings == ()


def test_unknown_runs_alone_when_it_serialises():
    tasks = (
        task("w", writes=("f",)),
        TaskSpec("u", "x"),
        task("r", reads=("f",)),
        task("none"),
        TaskSpec("v", "x"),
    )
    found = order(plan(*tasks), unknown_serialises=True)
    kinds = {name: {(e.before, e.kind) for e in edges} for name, edges in found.edges.items()}
    unknown = EdgeKind.UNKNOWN
    assert kinds == {
        "w": set(),
        "u": {("w", unknown)},
        "r": {("w", RAW), ("u", unknown)},
        "none": set(),
        "v": {("u", unknown), ("r", unknown)},
    }
    assert found.findings[-1].variant == ""


def test_unknown_without_an_order_is_refused_when_it_serialises():
    whole = plan(TaskSpec("a", "x"), task("b", reads=("f",)), ordered=False)
    assert codes(order(whole, unknown_serialises=True).findings) == ["LW106", "LW206"]


def test_too_many_edges_are_refused():
    tasks = [task(f"r{at}", reads=("d",)) for at in range(20)]
    tasks += [task(f"w{at}", writes=(f"d/{at}",)) for at in range(20)]
    found = order(plan(*tasks), Limits(edges=100))
    assert [(told.code, told.variant) for told in found.findings] == [("LW902", "edges")]


def test_too_many_comparisons_are_refused(monkeypatch):
    monkeypatch.setattr(derived, "LOOKS", 1_000)
    tasks = [task(f"r{at}", reads=(f"d/*{at}*",)) for at in range(100)]
    found = order(plan(*tasks))
    assert [(told.code, told.variant) for told in found.findings] == [("LW902", "accesses")]


def test_many_derived_orders_are_told_as_a_number(monkeypatch):
    monkeypatch.setattr(derived, "TOLD", 3)
    tasks = [task(f"t{at}", writes=("f",)) for at in range(10)]
    told = order(plan(*tasks)).findings
    assert codes(told) == ["LW201"] * 3 + ["LW103"]
    assert (told[-1].variant, told[-1].numbers) == ("more", {"count": 6})
    refused = order(plan(*tasks, ordered=False)).findings
    assert codes(refused) == ["LW106"] * 4
    assert refused[-1].severity is Severity.ERROR


def test_the_eight():
    found = order(eight())
    edges = {(e.before, name) for name, edges in found.edges.items() for e in edges}
    assert edges == {("t0", "t1"), ("t0", "t2"), ("t3", "t4")}
    assert sorted(codes(found.findings)) == ["LW103", "LW103", "LW201", "LW203"]


def test_ten_thousand_tasks_in_time():
    size, resources = 10_000, 2_000
    tasks = [
        task(
            f"t{at}",
            needs=tuple(f"t{back}" for back in {at // 2} if 0 <= back < at),
            reads=(f"r/{at % resources}",),
            writes=(f"r/{at * 13 % resources}",),
        )
        for at in range(size)
    ]
    whole = plan(*tasks)
    took = []
    for _ in range(3):
        started = time.process_time()
        found = order(whole)
        took.append(time.process_time() - started)
    assert sum(map(len, found.edges.values())) > 30_000
    assert min(took) < 1.0, f"{min(took):.2f} s, should be 0.3"


@pytest.mark.parametrize("code", ["LW101", "LW102", "LW104", "LW106"])
def test_findings_carry_the_numbers_of_their_wording(code):
    found = {
        "LW101": order(plan(task("a", needs=("b",)), task("b", needs=("a",)))),
        "LW102": order(plan(task("a", needs=("b",)))),
        "LW104": order(plan(task("a"), task("b", needs=("a",)), task("c", needs=("a", "b")))),
        "LW106": order(plan(task("a", writes=("f",)), task("b", writes=("f",)), ordered=False)),
    }[code]
    (told,) = found.findings
    assert set(told.numbers) == set(EXPECTS[code])


def test_a_cycle_hides_nothing_that_is_known_without_an_order():
    """Two in a cycle; beside them one of which nothing is known."""
    whole = plan(
        task("a", needs=("b",), reads=(), writes=()),
        task("b", needs=("a",), reads=(), writes=()),
        task("c", reads=None, writes=None),
    )
    found = {each.code: each.tasks for each in order(whole).findings}
    assert found == {"LW101": ("a", "b"), "LW206": ("c",)}
