"""Goal: a task that will not be done hurries, saves and ends in time by itself, and its outcome
says so, whoever is dead meanwhile. Method: a real task that does what it is told and tells it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from leaseway.core.model.checkpoint import Pacing, Save
from leaseway.core.model.plan import TaskSpec
from leaseway.wire.tasks import TaskInfo
from tests.e2e.house import House

pytestmark = pytest.mark.e2e

LIMIT_MS = 5_000
SAVE_MS = 1_000
WORK = """
import sys, time
from leaseway.task import checkpoint
began = time.monotonic()
with open(sys.argv[1], "a") as told:
    print("start", file=told, flush=True)
    while True:
        time.sleep(0.2)
        answer = checkpoint(progress=(time.monotonic() - began) / 20)
        print(answer.advice, file=told, flush=True)
        if answer.must_save:
            print("saved", file=told, flush=True)
            sys.exit(11)
"""


def slow(folder: Path) -> tuple[TaskSpec, Path]:
    """20 s of work in 5 s, and where it writes what it was told."""
    told = folder / "told"
    run = (sys.executable, "-P", "-c", WORK, str(told))
    pacing = Pacing(save=Save(within_ms=SAVE_MS))
    return TaskSpec("slow", run, limit_ms=LIMIT_MS, reads=(), writes=(), pacing=pacing), told


def lines(told: Path) -> list[str]:
    return told.read_text().split() if told.exists() else []


def assert_saved(ended: TaskInfo, told: Path) -> None:
    """It hurried, it saved before the point of no return, and that is its outcome."""
    said = lines(told)
    assert list(dict.fromkeys(said)) == ["start", "go-on", "hurry", "save-and-stop", "saved"]
    assert ended.outcome is not None
    assert (ended.outcome.kind, ended.outcome.cause.code) == ("stopped", "LW603")
    attempt = ended.past[-1]
    assert attempt.ending is not None
    assert (attempt.ending.exit_code, attempt.ending.reason) == (11, None)
    assert LIMIT_MS // 2 < attempt.ending.ran_ms < LIMIT_MS
    assert attempt.checkpoint is not None
    assert attempt.checkpoint.advice == "save-and-stop"
    assert attempt.checkpoint.left_ms > SAVE_MS - 50


def test_hurry_then_save_and_end_before_the_stop_time(house: House) -> None:
    house.join("box")
    spec, told = slow(house.folder)
    task = house.submit(spec).tasks[0].id
    house.wait("its hurry to be shown", lambda: shown(house, task) == "hurry")
    assert "LW601" in [found.code for found in house.client.explain(task).findings]
    assert_saved(house.wait_ended(task), told)
    told_of = [each for each in house.client.events().events if each.tag == "CheckpointTold"]
    assert [each.doc["checkpoint"]["advice"] for each in told_of] == ["hurry"], "not each report"


def test_the_answers_come_with_coordinator_and_daemon_dead(house: House) -> None:
    house.join("box")
    spec, told = slow(house.folder)
    task = house.submit(spec).tasks[0].id
    house.wait("a first answer", lambda: "hurry" in lines(told))
    house.pool.kill("coordinator")
    house.kill(house.pool.members["box"].pid)
    house.wait("it to save", lambda: "saved" in lines(told))
    house.pool.up("--patience", "2s")
    house.client = house.pool.client()
    house.join("box")
    assert_saved(house.wait_ended(task), told)


def shown(house: House, task: str) -> str:
    attempt = house.client.task(task).attempt
    return attempt.checkpoint.advice if attempt is not None and attempt.checkpoint else ""
