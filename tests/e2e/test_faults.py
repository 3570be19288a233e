"""Cases of other people's faults with real processes, each named after its number. Method: a pool
on loopback; times known beforehand from the plan (limits, guard 1.5 s, patience 2 s)."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from leaseway.client.errors import Refused
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.wire.plans import SubmitRequest
from tests.e2e.house import House, is_alive


def kind_and_code(house: House, task: str, within_s: float = 20) -> tuple[str, str]:
    ended = house.wait_ended(task, within_s)
    assert ended.outcome is not None
    return ended.outcome.kind, ended.outcome.cause.code


def test_fault_01_runs_past_its_estimate_until_the_lease_closes(house: House) -> None:
    """Estimate 2 s, lease of 9 s, guard 1.5 s: overran, having used far more than reserved."""
    house.join("box", **{"for": '"9s"'})
    spec = TaskSpec("long", "sleep 60", estimate_ms=2_000, reads=(), writes=())
    task = house.submit(spec).tasks[0].id
    ended = house.wait_ended(task)
    assert ended.outcome is not None
    assert (ended.outcome.kind, ended.outcome.cause.code) == ("overran", "LW702")
    assert ended.outcome.cause.numbers["by"] == "the end of the lease"
    assert ended.past[-1].ending is not None
    assert 3_000 < ended.past[-1].ending.ran_ms <= 8_000, "not extended, or past the window"


def test_fault_10_ended_while_the_link_is_broken(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("short", "sleep 0.5; echo kept")).tasks[0].id
    pid = house.wait_started("short")
    coordinator = house.pool.members["coordinator"].pid
    os.kill(coordinator, signal.SIGSTOP)
    house.wait("the end of the task", lambda: not is_alive(pid))
    os.kill(coordinator, signal.SIGCONT)
    assert kind_and_code(house, task) == ("succeeded", "LW701")
    assert house.client.log(task).data == b"kept\n"


def test_fault_11_killed_by_a_signal_is_not_exit_0(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("self", "kill -9 $$")).tasks[0].id
    ended = house.wait_ended(task)
    assert ended.outcome is not None
    assert ended.outcome.kind == "failed"
    assert ended.outcome.cause.numbers["signal"] == 9


def test_fault_13_a_client_that_stops_waiting_cancels_nothing(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("slow", "sleep 1.5; echo done")).tasks[0].id
    assert house.client.task(task, wait_ms=200).outcome is None
    assert kind_and_code(house, task)[0] == "succeeded"
    assert [each.id for each in house.client.inbox().tasks] == [task]
    house.client.acknowledge([task])
    assert house.client.inbox().tasks == ()
    assert len(house.starts("slow")) == 1


def test_fault_18_a_lease_shorter_than_the_task(house: House) -> None:
    house.join("box", **{"for": '"30s"'})
    with pytest.raises(Refused) as refused:
        house.submit(house.traced("long", "sleep 60", limit_ms=60_000))
    (finding,) = refused.value.problem.findings
    assert finding.code == "LW302"
    assert finding.numbers["need_ms"] == 60_000
    have_ms = finding.numbers["have_ms"]
    assert isinstance(have_ms, int)
    assert 20_000 < have_ms <= 28_500
    assert house.starts("long") == []


def test_fault_20_no_second_attempt_before_the_first_is_dead(house: House) -> None:
    """It ignores TERM; cancelled, its place is given to nobody before KILL has done its work."""
    house.join("box", capacity="{ cpus = 1, slots = 1 }")
    first = house.traced("deaf", "trap '' TERM; while :; do sleep 0.1; done")
    second = house.traced("next", "true")
    plan = house.submit(first, second)
    pid = house.wait_started("deaf")
    house.client.cancel(plan.tasks[0].id)
    assert kind_and_code(house, plan.tasks[0].id)[0] == "cancelled"
    assert not is_alive(pid)
    assert kind_and_code(house, plan.tasks[1].id)[0] == "succeeded"
    assert len(house.starts("deaf")) == 1


def test_fault_21_the_same_key_five_times(house: House) -> None:
    house.join("box")
    spec = house.traced("once", "true")
    plans = {house.submit(spec, key="same").plan for _ in range(5)}
    assert len(plans) == 1
    with pytest.raises(Refused):
        house.submit(house.traced("other", "true"), key="same")
    house.wait_ended(f"{plans.pop()}/once")
    assert len(house.starts("once")) == 1
    assert house.starts("other") == []


def test_fault_38_the_ledger_is_restored_from_a_backup(house: House) -> None:
    """Nothing is stopped or deleted; the worker holds back until its owner has looked."""
    house.join("box")
    house.wait_ended(house.submit(house.traced("before", "true")).tasks[0].id)
    pool = house.pool
    pool.kill("coordinator")
    backup = house.folder / "backup"
    shutil.copytree(pool.state, backup)
    pool.up("--patience", "2s")
    house.client = pool.client()
    go = house.folder / "go"
    waits = f"until test -e {go}; do sleep 0.05; done; echo result"
    task = house.submit(house.traced("unknown", waits, limit_ms=60_000)).tasks[0].id
    pid = house.wait_started("unknown")
    pool.kill("coordinator")
    shutil.rmtree(pool.state)
    shutil.copytree(backup, pool.state)
    pool.up("--patience", "2s")
    house.client = pool.client()
    house.wait("a worker that holds back", lambda: not accepted(house))
    assert is_alive(pid), "stopped, because an old copy did not know it"
    go.touch()
    house.wait("the end of the task", lambda: not is_alive(pid))
    spool = house.folder / "pool" / "box"
    kept = [path for path in spool.rglob("stdout") if path.read_bytes() == b"result\n"]
    assert kept, f"the result of {task} was deleted"
    waiting = house.submit(house.traced("later", "true")).tasks[0].id
    assert house.client.task(waiting, wait_ms=1_500).outcome is None
    house.client.set_state("box", "active")
    assert kind_and_code(house, waiting)[0] == "succeeded"


def accepted(house: House) -> bool:
    return house.client.worker("box").ledger_accepted


def test_fault_39_lease_set_while_a_task_runs(house: House) -> None:
    """Its outcome counts; it is checked again, not fenced off."""
    house.join("box")
    plan = house.submit(house.traced("runs", "sleep 1.5; echo done"))
    house.wait_started("runs")
    house.client.change_lease("box", TermsChange(max_run_ms=1_000))
    assert kind_and_code(house, plan.tasks[0].id)[0] == "succeeded"
    with pytest.raises(Refused):
        house.submit(house.traced("longer", "true", limit_ms=2_000))


def test_fault_39_a_lease_that_shrinks_under_a_task(house: House) -> None:
    """The window now ends in 3 s: the task is stopped by then, and the boundary is the cause."""
    house.join("box")
    plan = house.submit(house.traced("runs", "sleep 60", limit_ms=30_000))
    pid = house.wait_started("runs")
    windows = (WindowOffer(closes_in_ms=3_000),)
    house.client.change_lease("box", TermsChange(windows=windows))
    assert kind_and_code(house, plan.tasks[0].id, within_s=6) == ("stopped", "LW703")
    assert not is_alive(pid)


def test_dry_submit_changes_nothing(house: House) -> None:
    house.join("box")
    spec = house.traced("dry", "true")
    reply = house.client.submit(SubmitRequest(PlanSpec("dry", (spec,)), dry=True))
    assert reply.dry
    assert house.client.plans().plans == ()
    assert house.starts("dry") == []
