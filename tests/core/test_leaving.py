"""Goal: a worker whose daemon leaves is granted nothing more, and what is promised there stays
while it may be back. Method: real agents in virtual time."""

from leaseway.core.model import worker as wk
from leaseway.core.model.units import MINUTE
from leaseway.core.presence import is_leaving, is_present
from tests.core.pool import Pool, S, task


def leave(pool, machine):
    machine.tell(wk.Leave())
    machine.sync()
    machine.dead = True


def test_nothing_is_granted_to_a_worker_that_leaves():
    pool = Pool()
    box = pool.worker("box")
    leave(pool, box)
    assert is_leaving(pool.view, "box")
    assert is_present(pool.view, "box", pool.now)
    refused = pool.submit(task("a", MINUTE)).refused
    assert "the daemon of box has left" in str(refused.findings[0].numbers)
    pool.submit(task("b"))  # best effort: it waits
    pool.run(10 * S)
    assert pool.task("b").state.value == "waiting"


def test_what_was_promised_there_stays_for_its_patience_and_then_moves():
    pool = Pool()
    box = pool.worker("box")
    pool.lasts = {"long": 5 * MINUTE}
    pool.submit(task("long", 5 * MINUTE), task("next", MINUTE, needs=("long",)))
    pool.run(1 * S)
    pool.worker("mini")
    leave(pool, box)
    pool.run(14 * S)
    assert pool.task("next").reservation.worker == "box"
    pool.run(5 * S)
    assert pool.task("next").reservation is None or (pool.task("next").reservation.worker == "mini")


def test_a_daemon_that_is_started_anew_takes_work_again():
    pool = Pool()
    box = pool.worker("box")
    leave(pool, box)
    del pool.machines["box"]
    pool.run(2 * S)
    pool.worker("box")
    assert not is_leaving(pool.view, "box")
    assert not pool.submit(task("a", MINUTE)).refused
    pool.run(2 * S)
    assert pool.outcome("a") == "succeeded"
