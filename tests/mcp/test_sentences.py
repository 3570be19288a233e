"""Goal: the sentences say who waits for whom and where what does not fit. Method: plans and leases
small enough to write the sentences by hand."""

from __future__ import annotations

import pytest

from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.model.plan import Edge, EdgeKind, PlanSpec, TaskSpec
from leaseway.core.model.units import MINUTE
from leaseway.core.scan.report import scan
from leaseway.mcp.checked import with_followers
from leaseway.mcp.given import plan_of_commands
from leaseway.mcp.sentences import nearest, order_sentence, sentences

NOON = 1_800_000_000_000
NO_GUARD = Guard(0, 0, 0, 0)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (EdgeKind.NEEDS, "b needs a: do not run it in parallel; it starts after a."),
        (
            EdgeKind.READ_AFTER_WRITE,
            "b reads out, which a writes: do not run it in parallel; it waits for a.",
        ),
        (
            EdgeKind.WRITE_AFTER_READ,
            "b writes out, which a reads: do not run it in parallel; it waits for a.",
        ),
        (
            EdgeKind.WRITE_AFTER_WRITE,
            "b and a both write out: do not run it in parallel; it waits for a.",
        ),
        (EdgeKind.TOKEN, "b and a both hold out: do not run it in parallel; it waits for a."),
        (
            EdgeKind.UNKNOWN,
            "What b or a reads and writes is not known: do not run it in parallel; it waits for a.",
        ),
        (EdgeKind.INHERITED, "b depends on a: do not run it in parallel; it waits for a."),
    ],
)
def test_every_reason_has_its_sentence(kind, said):
    assert order_sentence("b", Edge("a", kind, "out")) == said


def test_of_two_reasons_the_stronger_is_told():
    edges = [Edge("a", EdgeKind.WRITE_AFTER_WRITE, "x"), Edge("a", EdgeKind.NEEDS)]
    assert nearest(edges) == [Edge("a", EdgeKind.NEEDS)]


def test_a_lease_with_five_minutes_and_a_task_of_eight():
    task = TaskSpec("train", "make", limit_ms=8 * MINUTE, reads=(), writes=())
    terms = Terms(windows=(Window(NOON, NOON + 5 * MINUTE),), guard=NO_GUARD)
    report = scan(PlanSpec("p", (task,)), {"box": terms}, NOON)
    assert sentences(report) == [
        "box's lease has 5m left, train needs 8m: short by 3m, so it is not given there."
    ]


def test_many_sentences_are_counted():
    tasks = tuple(
        TaskSpec(f"t{at}", "make", reads=(), writes=("out",), needs=(f"t{at - 1}",) if at else ())
        for at in range(30)
    )
    told = sentences(scan(PlanSpec("p", tasks), {}, NOON))
    assert len(told) == 25
    assert told[0] == "t1 needs t0: do not run it in parallel; it starts after t0."
    assert told[-1] == "and 5 more like these"


def test_followers_are_skipped_too():
    chain = PlanSpec("p", tuple(TaskSpec(name, "x", needs=needs) for name, needs in CHAIN))
    assert with_followers(chain, {"b"}) == {"b", "c", "d"}
    assert with_followers(chain, set()) == frozenset()


CHAIN = (("d", ("c",)), ("a", ()), ("b", ("a",)), ("c", ("b",)), ("e", ("a",)))


def test_commands_are_called_by_their_first_word():
    commands: list[str | list[str]] = [
        "make -j2",
        ["/usr/bin/env", "x"],
        "x=1 y",
        "../a b",
        "|",
        [],
    ]
    found = [task["id"] for task in plan_of_commands(commands)["tasks"]]
    assert found == ["1-make", "2-env", "3-x-1", "4-a", "5-command", "6-command"]
