"""Goal: a task is found, waited for and explained as long as anybody may ask. Method: the
application over a ledger in memory."""

from __future__ import annotations

import asyncio

import pytest

from leaseway.client.calls import TaskFilter
from leaseway.core.model.commands import Role
from tests.coordinator.pool import ended, registering, spec, until
from tests.coordinator.test_plans import forgotten

LONG = 60_000


async def waiting(pool, task):
    await until(lambda: pool.house.wakeups.waiting(f"task:{task}") == 1)


async def test_waiting_ends_with_the_outcome(pool):
    await pool.join()
    await pool.submit(spec("a"))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(pool.client().task("nightly-1/a", wait_ms=LONG))
        await waiting(pool, "nightly-1/a")
        await pool.run_one()
    found = asking.result()
    assert (found.state, found.outcome.kind) == ("ended", "succeeded")
    assert found.past[0].ending.exit_code == 0
    assert found.past[0].worker == "box"


async def test_the_wait_ends_without_an_outcome(pool):
    await pool.join()
    await pool.submit(spec("a"))
    found = await pool.client().task("nightly-1/a", wait_ms=20)
    assert not found.ended


async def test_fault_13_giving_up_waiting_cancels_nothing_and_the_outcome_stays(pool):
    """Fault 13: the task goes on, a later call has the result, it stays in the inbox until seen."""
    await pool.join()
    await pool.submit(spec("a"), role=Role.AGENT)
    agent = pool.client(Role.AGENT)
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(agent.task("nightly-1/a", wait_ms=LONG))
        await waiting(pool, "nightly-1/a")
        asking.cancel()
    await pool.run_one(b"result\n")
    assert (await agent.task("nightly-1/a", wait_ms=LONG)).outcome.kind == "succeeded"
    assert [task.id for task in (await agent.inbox()).tasks] == ["nightly-1/a"]
    assert (await agent.log("nightly-1/a")).data == b"result\n"
    assert [task.id for task in (await agent.inbox()).tasks] == ["nightly-1/a"]
    await agent.acknowledge(["nightly-1/a"])
    assert (await agent.inbox()).tasks == ()
    assert (await agent.task("nightly-1/a")).acknowledged


async def test_closing_ends_every_wait(pool):
    await pool.join()
    await pool.submit(spec("a"))
    async with asyncio.TaskGroup() as group:
        asking = group.create_task(pool.client().task("nightly-1/a", wait_ms=LONG))
        await waiting(pool, "nightly-1/a")
        pool.house.wakeups.close()
    assert not asking.result().ended


async def test_a_task_that_has_left_the_view_is_answered_from_its_row(pool):
    await pool.join()
    await pool.submit(spec("a"))
    ref = await pool.run_one(b"hello\n")
    before = await pool.client().task(ref.task)
    await forgotten(pool, ref.task)
    after = await pool.client().task(ref.task, wait_ms=LONG)
    assert (after.outcome, after.past) == (before.outcome, before.past)
    assert after.acknowledged
    assert (await pool.client().explain(ref.task)).findings[0].code == "LW701"
    assert (await pool.client().log(ref.task)).data == b"hello\n"
    assert (await pool.client().give_up(ref.task)).tasks == ()
    assert (await pool.client().acknowledge([ref.task])).tasks == ()


async def test_tasks_are_listed_and_filtered(pool):
    await pool.join()
    await pool.submit(spec("a"), spec("b", needs=("a",)))
    await pool.submit(spec("c"), role=Role.AGENT)
    await pool.run_one()
    client = pool.client()

    async def listed(**wanted):
        return [task.name for task in (await client.tasks(TaskFilter(**wanted))).tasks]

    assert await listed() == ["c", "b", "a"]
    assert await listed(plan="nightly-1") == ["b", "a"]
    assert await listed(principal="agent") == ["c"]
    assert await listed(ended=True) == ["a"]
    assert await listed(ended=False) == ["c", "b"]
    assert await listed(state="ended") == ["a"]
    first = await client.tasks(TaskFilter(limit=2))
    rest = await client.tasks(TaskFilter(limit=2, before=first.next))
    assert [task.name for task in (*first.tasks, *rest.tasks)] == ["c", "b", "a"]


async def test_explain_a_waiting_task(pool):
    await pool.join(registering(slots=1))
    await pool.submit(spec("a"), spec("b", needs=("a",)))
    why = await pool.client().explain("nightly-1/b")
    assert why.first == why.findings[0].sentence
    assert why.by is not None


async def test_give_up_a_waiting_task(pool):
    await pool.join()
    await pool.submit(spec("a"), spec("b", needs=("a",)))
    assert (await pool.client().give_up("nightly-1/b")).tasks == ("nightly-1/b",)
    assert (await pool.client().task("nightly-1/b")).outcome.kind == "refused"


async def test_fault_03_late_result_is_kept_and_shown_as_late(pool):
    """Fault 3: delivered long after the grant has lapsed, kept whole, no bare 409."""
    await pool.join()
    await pool.submit(spec("a"))
    (grant,) = (await pool.sync()).start
    pool.clock.at += 600_000
    said = await pool.sync(endings=(ended(grant.ref, b"precious\n"),))
    assert said.settled == (grant.ref,)
    found = await pool.client().task(grant.ref.task)
    assert found.outcome is not None
    assert found.outcome.late_ms > 0 or found.kept
    assert (await pool.client().log(grant.ref.task)).data == b"precious\n"


@pytest.mark.parametrize("name", ["a/b", "ä", "a b", "a%2Fb", "a?b#c", "..", "a/../b"])
async def test_ids_with_odd_letters_are_found(pool, name):
    await pool.join()
    said = await pool.submit(spec("x"))
    task = pool.service.view.facts.tasks[said.tasks[0].id]
    id = f"nightly-1/{name}"
    pool.service.view.facts.tasks[id] = task
    assert (await pool.client().task(id)).name == "x"
