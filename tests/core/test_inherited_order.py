"""What stands behind a task that ends without having run still stands behind what stood before it.
Method: three writers of one path; the middle one is cancelled while the first runs."""

from __future__ import annotations

from leaseway.core.model import commands as cmd
from leaseway.core.model.states import TaskState
from leaseway.core.rebuilding import rebuild
from tests.core.pool import Pool, S, task


def writers() -> Pool:
    pool = Pool()
    pool.worker("w", slots=3)
    pool.lasts = {"first": 6 * S, "last": S}
    pool.submit(*(task(name, 10 * S, writes=("f",)) for name in ("first", "middle", "last")))
    pool.run(2 * S)
    assert pool.task("first").state is TaskState.RUNNING
    pool.do(cmd.Cancel(pool.task("middle").id, "ada"))
    pool.settle()
    return pool


def test_the_last_waits_for_the_first() -> None:
    pool = writers()
    assert pool.task("last").state is TaskState.WAITING
    assert [edge.before for edge in pool.task("last").edges] == [
        pool.task("middle").id,
        pool.task("first").id,
    ]
    pool.run(60 * S)
    assert pool.outcome("last") == "succeeded"


def test_it_is_not_skipped_when_the_first_ends_badly() -> None:
    pool = writers()
    pool.do(cmd.Cancel(pool.task("first").id, "ada"))
    pool.run(60 * S)
    assert pool.outcome("last") == "succeeded"


def test_one_that_is_refused_at_once_passes_its_order_on_too() -> None:
    """The middle writer needs longer than the window is; of a plan that is taken in part, the
    writer after it still waits for the reader before it."""
    pool = Pool()
    pool.worker("w", 60 * S, slots=3)
    pool.lasts = {"first": 6 * S, "last": S}
    pool.submit(
        task("first", 10 * S, reads=("f",)),
        task("middle", 90 * S, writes=("f",)),
        task("last", 10 * S, writes=("f",)),
        partial=True,
    )
    assert pool.outcome("middle") == "refused"
    first, last = pool.task("first"), pool.task("last")
    assert [(edge.before, edge.kind.skips) for edge in last.edges] == [
        (pool.task("middle").id, False),
        (first.id, False),
    ]
    assert last.reservation.start == first.reservation.end
    pool.run(2 * S)
    assert (first.state, last.state) == (TaskState.RUNNING, TaskState.WAITING)
    pool.run(60 * S)
    assert pool.outcome("last") == "succeeded"


def test_a_rebuilt_index_knows_it_too() -> None:
    pool = writers()
    before = dict(pool.view.index.pending)
    rebuild(pool.view, pool.now)
    assert pool.view.index.pending == before
