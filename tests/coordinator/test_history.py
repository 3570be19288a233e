"""Goal: what earlier runs say is there to be asked. Method: the application over a ledger in
memory; one run of known length."""

from __future__ import annotations

import pytest

from leaseway.client.errors import NotFound
from tests.coordinator.pool import spec


async def test_a_run_is_found_by_its_key_and_by_its_task(pool):
    await pool.join()
    await pool.submit(spec("a"))
    assert (await pool.client().history()).histories == ()
    await pool.run_one()
    listed = await pool.client().history()
    assert {each.likeness for each in listed.histories} == {"command", "anywhere"}
    assert {(each.ended, each.needed, each.bound_ms) for each in listed.histories} == {(1, 9, None)}
    assert [each.runs for each in listed.histories] == [(), ()]
    task = (await pool.client().task("nightly-1/a")).past[0]
    of_task = (await pool.client().history(task="nightly-1/a")).histories
    assert [each.likeness for each in of_task] == ["command", "anywhere"]
    (run,) = of_task[0].runs
    assert (run.ran_ms, run.worker, run.ended) == (task.ending.ran_ms, "box", True)
    (same,) = (await pool.client().history(key=of_task[0].key)).histories
    assert same == of_task[0]


async def test_a_key_that_nobody_knows(pool):
    with pytest.raises(NotFound) as raised:
        await pool.client().history(key="0" * 12)
    assert [each.code for each in raised.value.problem.findings] == ["LW404"]
    assert "There is no history 000000000000" in raised.value.problem.findings[0].sentence


async def test_what_became_of_promises_is_there_to_be_asked(pool):
    await pool.join()
    await pool.submit(spec("a"))
    made = (await pool.client().record()).workers["box"]
    assert (made.made, made.kept, made.open) == (1, 0, 1)
    await pool.run_one()
    record = await pool.client().record()
    assert [
        (tally.made, tally.kept, tally.open)
        for of in (record.workers, record.principals, record.bases)
        for tally in of.values()
    ] == [(1, 1, 0)] * 3
