"""Goal: a plan is taken once and shown as it stands. Method: the application over a ledger in
memory."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from leaseway.client.asynchronous import AsyncClient
from leaseway.client.calls import TaskFilter
from leaseway.client.errors import Conflict, Refused
from leaseway.client.options import ClientOptions
from leaseway.core.model.capacity import Uses
from leaseway.core.model.commands import Role, Tick
from leaseway.wire.plans import SubmitRequest
from tests.coordinator.pool import URL, ended, plan, spec


async def test_each_task_is_told_its_promise(pool):
    await pool.join()
    said = await pool.submit(spec("a"), spec("b", needs=("a",)))
    first, second = said.tasks
    assert said.plan == "nightly-1"
    assert first.reservation.worker == "box"
    assert first.promise == first.reservation.end
    assert second.promise > first.promise
    assert [(edge.before, edge.kind) for edge in second.edges] == [("nightly-1/a", "needs")]
    assert not said.dry
    assert not said.repeated


async def test_fault_21_five_submits_with_one_key_make_one_plan(pool):
    """Fault 21, over the interface: one plan; another body under that key is refused."""
    await pool.join()
    said = [await pool.submit(spec("a"), key="once") for _ in range(3)]
    said += await asyncio.gather(*(pool.submit(spec("a"), key="once") for _ in range(2)))
    assert {each.plan for each in said} == {"nightly-1"}
    assert [each.repeated for each in said] == [False, True, True, True, True]
    assert len({each.tasks for each in said}) == 1
    for other in ({"partial": True}, {"strict": True}):
        with pytest.raises(Conflict):
            await pool.submit(spec("a"), key="once", **other)
    with pytest.raises(Conflict):
        await pool.submit(spec("a", 4_000), key="once")
    assert list(pool.service.view.facts.plans) == ["nightly-1"]


async def test_one_key_of_two_principals_makes_two_plans(pool):
    await pool.join()
    await pool.submit(spec("a"), key="once")
    assert (await pool.submit(spec("a"), key="once", role=Role.AGENT)).plan == "nightly-2"


async def test_fault_21_an_answer_that_was_lost_is_given_again(pool):
    """Fault 21, across a reconnect: the client sends the same key again by itself."""
    await pool.join()
    inner = pool.transport()
    lost: list[bytes] = []

    class Losing(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request):
            answer = await inner.handle_async_request(request)
            if not lost:
                lost.append(await answer.aread())
                raise httpx.ReadError("the connection broke")
            return answer

    client = AsyncClient(ClientOptions(URL, pool.secret(Role.OWNER)), Losing())
    said = await client.submit(SubmitRequest(plan(spec("a"))))
    assert lost
    assert said.repeated
    assert list(pool.service.view.facts.plans) == [said.plan]
    await client.close()


async def test_a_refused_submit_does_not_use_its_key_up(pool):
    with pytest.raises(Refused):
        await pool.submit(spec("a"), key="once")
    await pool.join()
    assert (await pool.submit(spec("a"), key="once")).plan == "nightly-1"


async def test_repeated_answer_knows_tasks_that_have_left_the_view(pool):
    await pool.join()
    await pool.submit(spec("a"), spec("b"), key="once")
    ref = await pool.run_one()
    await forgotten(pool, ref.task)
    said = await pool.submit(spec("a"), spec("b"), key="once")
    assert {task.id for task in said.tasks} == {"nightly-1/a", "nightly-1/b"}
    assert {task.id: task.outcome.kind for task in said.tasks if task.outcome} == {
        ref.task: "succeeded"
    }


async def forgotten(pool, *tasks):
    """Acknowledge, and let the tasks leave the view."""
    await pool.client().acknowledge(tasks)
    await pool.sync()
    for _ in range(3):
        await pool.house.door.ask(Tick())
    assert not set(tasks) & set(pool.service.view.facts.tasks)


async def test_a_scan_changes_nothing(pool):
    await pool.join()
    before = pool.service.view.facts.position
    said = await pool.client().scan(plan(spec("a")))
    assert said.dry
    assert said.tasks[0].promise is not None
    assert pool.service.view.facts.position == before
    with pytest.raises(Refused):
        await pool.client().scan(plan(spec("a", 10**9)))


async def test_one_plan_with_counts(pool):
    await pool.join()
    await pool.submit(spec("a"), spec("b"), spec("c", needs=("b",)))
    ref = await pool.run_one()
    found = await pool.client().plan("nightly-1")
    assert found.tasks == ("nightly-1/a", "nightly-1/b", "nightly-1/c")
    assert found.counts["succeeded"] == 1
    assert sum(found.counts.values()) == 3
    assert found.open_tasks == 2
    await forgotten(pool, ref.task)
    assert (await pool.client().plan("nightly-1")).counts == found.counts


async def test_plans_are_listed_newest_first_page_by_page(pool):
    await pool.join()
    for name in "abc":
        await pool.submit(spec(name))
    first = await pool.client().plans(limit=2)
    assert [each.id for each in first.plans] == ["nightly-3", "nightly-2"]
    rest = await pool.client().plans(before=first.next, limit=2)
    assert [each.id for each in rest.plans] == ["nightly-1"]
    assert rest.next is None


async def test_cancel_a_plan(pool):
    await pool.join()
    await pool.submit(spec("a"), spec("b", needs=("a",)))
    (grant,) = (await pool.sync()).start
    done = await pool.client().cancel("nightly-1")
    assert set(done.tasks) == {"nightly-1/a", "nightly-1/b"}
    stops = (await pool.sync()).stop
    assert (await pool.client().task("nightly-1/b")).outcome.kind == "cancelled"
    assert grant.ref.task == "nightly-1/a"
    assert stops == () or stops[0].ref == grant.ref


async def test_cancel_what_has_left_the_view_is_nothing(pool):
    await pool.join()
    await pool.submit(spec("a"))
    ref = await pool.run_one()
    await forgotten(pool, ref.task)
    assert (await pool.client().cancel(ref.task)).tasks == ()
    assert (await pool.client().cancel("nightly-1")).tasks == ()


async def test_what_was_wasted_is_told_by_cause_of_a_plan_and_of_its_tasks(pool):
    """2 cpus × 30 s and 1 cpu × 12 s failed: 72 s of one core; what succeeded is not in it."""
    await pool.join()
    two = spec("a", 60_000, uses=Uses(cpus_milli=2_000))
    await pool.submit(two, spec("b", 60_000), spec("c", 60_000))
    for grant in (await pool.sync()).start:
        name = grant.ref.task.rpartition("/")[2]
        code, ran_ms = {"a": (1, 30_000), "b": (2, 12_000), "c": (0, 9_000)}[name]
        report = ended(grant.ref, exit_code=code, ran_ms=ran_ms)
        await pool.sync(endings=(report,))
    client = pool.client()
    found = await client.plan("nightly-1")
    assert [(each.code, each.core_ms, each.attempts) for each in found.wasted] == [
        ("LW701", 72_000, 2)
    ]
    assert found.wasted[0].word == "failed"
    assert (await client.plans()).plans[0].wasted == found.wasted
    tasks = (await client.tasks(TaskFilter(plan="nightly-1"))).tasks
    by_name = {each.name: [part.core_ms for part in each.wasted] for each in tasks}
    assert by_name == {"a": [60_000], "b": [12_000], "c": []}
