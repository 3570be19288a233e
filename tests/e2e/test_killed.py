"""SIGKILL of coordinator, daemon, spawner, keeper, each mid-task: one outcome each, nothing
started twice, finished results kept, nothing past its stop time. Method: real processes."""

from __future__ import annotations

import os
import signal

from tests.e2e.house import House, is_alive, parent_of

SPAWNER = "leaseway.worker.spawner"


def outcome_of(house: House, task: str, name: str) -> str:
    ended = house.wait_ended(task)
    assert ended.outcome is not None
    assert len(house.starts(name)) == 1, "started twice"
    return ended.outcome.kind


def test_coordinator_killed_mid_task(house: House) -> None:
    house.join("box")
    plan = house.submit(house.traced("long", "sleep 2; echo done"), house.traced("next", "true"))
    house.wait_started("long")
    house.pool.kill("coordinator")
    house.pool.up("--patience", "2s")
    house.client = house.pool.client()
    assert outcome_of(house, plan.tasks[0].id, "long") == "succeeded"
    assert outcome_of(house, plan.tasks[1].id, "next") == "succeeded"
    assert house.client.log(plan.tasks[0].id).data == b"done\n"


def test_finished_while_the_coordinator_is_away_is_kept(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("short", "sleep 0.5; exit 3")).tasks[0].id
    pid = house.wait_started("short")
    house.pool.kill("coordinator")
    house.wait("the end of the task", lambda: not is_alive(pid))
    house.pool.up("--patience", "2s")
    house.client = house.pool.client()
    ended = house.wait_ended(task)
    assert ended.outcome is not None
    assert ended.outcome.kind == "failed"
    assert ended.past[-1].ending is not None
    assert ended.past[-1].ending.exit_code == 3


def test_daemon_killed_mid_task_and_started_again(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("long", "sleep 2; echo done")).tasks[0].id
    house.wait_started("long")
    house.kill(house.pool.members["box"].pid)
    house.join("box")
    assert outcome_of(house, task, "long") == "succeeded"
    assert house.client.log(task).data == b"done\n"


def test_fault_26_daemon_killed_the_task_is_stopped_all_the_same(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("stuck", "sleep 60", limit_ms=2_000)).tasks[0].id
    pid = house.wait_started("stuck")
    house.kill(house.pool.members["box"].pid)
    house.wait("the task's end with its daemon dead", lambda: not is_alive(pid), within_s=5)
    house.join("box")
    assert outcome_of(house, task, "stuck") == "overran"


def test_spawner_killed_mid_task(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("long", "sleep 2; echo done")).tasks[0].id
    pid = house.wait_started("long")
    keeper = parent_of(pid)
    spawner = parent_of(keeper)
    house.kill(spawner)
    assert outcome_of(house, task, "long") == "succeeded"
    after = house.submit(house.traced("after", "true")).tasks[0].id
    assert outcome_of(house, after, "after") == "succeeded"


def test_fault_02_keeper_killed_mid_task(house: House) -> None:
    house.join("box")
    task = house.submit(house.traced("long", "sleep 60")).tasks[0].id
    pid = house.wait_started("long")
    house.kill(parent_of(pid))
    ended = house.wait_ended(task, within_s=6)
    assert ended.outcome is not None
    assert ended.outcome.kind == "lost"
    assert ended.outcome.cause.code == "LW711"
    assert not is_alive(pid), "the second guardian left the task running"
    assert len(house.starts("long")) == 1


def test_fault_07_power_off_mid_task(house: House) -> None:
    """`faults.md` 7: an outcome, never an absence, by stop time + guard."""
    house.join("box")
    task = house.submit(house.traced("long", "sleep 60", limit_ms=2_000)).tasks[0].id
    house.wait_started("long")
    house.pool.kill("box")
    ended = house.wait_ended(task, within_s=10)
    assert ended.outcome is not None
    assert ended.outcome.kind == "lost"
    assert ended.outcome.cause.code == "LW704"


def test_fault_07_sigterm_of_the_worker_mid_task(house: House) -> None:
    """`faults.md` 7: the daemon leaves, the task goes on and its result is delivered later."""
    house.join("box")
    task = house.submit(house.traced("long", "sleep 1.5; echo done")).tasks[0].id
    house.wait_started("long")
    daemon = house.pool.members["box"]
    os.kill(daemon.pid, signal.SIGTERM)
    daemon.wait(timeout=5)
    house.join("box")
    assert outcome_of(house, task, "long") == "succeeded"
