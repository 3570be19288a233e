"""Goal: who conflicts without an order, and who waits for itself, is seen. Method: a pool made by
the real door in which one edge is taken away, or added."""

from __future__ import annotations

import pytest

from leaseway.core.invariants import violations
from leaseway.core.model.plan import Edge, EdgeKind
from tests.core.pool import Pool, S, task


@pytest.fixture
def pool() -> Pool:
    """a runs; b of another plan, which writes the same file, waits for it; c needs b."""
    pool = Pool()
    pool.worker("w", slots=3)
    pool.lasts = {"a": 5 * S}
    pool.submit(task("a", 5 * S, writes=("/f",)), name="one")
    both = task("b", 5 * S, writes=("/f",)), task("c", 5 * S, needs=("b",), writes=("/f",))
    pool.submit(*both, name="two")
    pool.run(1 * S)
    assert violations(pool.view, pool.now) == []
    return pool


def test_two_that_conflict_and_do_not_wait_for_each_other(pool: Pool) -> None:
    pool.task("b").edges = ()
    assert violations(pool.view, pool.now) == [
        "29 conflicts: one-1/a and two-2/b meet over /f, neither waits for the other"
    ]


def test_waiting_through_another_counts(pool: Pool) -> None:
    assert pool.task("c").edges[0].before == pool.task("b").id
    pool.task("c").edges = pool.task("c").edges[:1]
    assert violations(pool.view, pool.now) == []


def test_who_waits_for_itself(pool: Pool) -> None:
    b, c = pool.task("b"), pool.task("c")
    b.edges += (Edge(c.id, EdgeKind.CONFLICT, "/f"),)
    assert violations(pool.view, pool.now) == ["16 order: two-2/b, two-2/c wait for each other"]
