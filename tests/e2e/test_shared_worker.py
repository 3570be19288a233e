"""Goal: a promise on a worker that shares its cpus holds for real processes, and latecomers that
would break it are told so. Method: busy loops on one cpu or two, counted in cpu time; then the same
with the check taken out of the coordinator, which loses the task."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaseway.client.errors import Refused
from leaseway.core.model.plan import TaskSpec
from leaseway.demo.pool import LocalPool
from tests.e2e.house import House

S = 1_000
LOOP = "import time\nwhile time.process_time() < {}: pass"
OFF = """
from leaseway.core.admission import candidates, shared
candidates.harmed = shared.harmed = lambda works, found: None
"""


@pytest.fixture
def unchecked(tmp_path: Path) -> Iterator[House]:
    """A pool whose coordinator looks at nobody's end."""
    (tmp_path / "sitecustomize.py").write_text(OFF)
    with LocalPool(tmp_path, {"PYTHONPATH": str(tmp_path)}) as pool:
        pool.up()
        with pool.client() as client:
            yield House(pool, client, tmp_path)


def busy(name: str, limit_ms: int, cpu_s: float) -> TaskSpec:
    """A task that uses so much cpu time, of which its limit is the bound."""
    run = (sys.executable, "-c", LOOP.format(cpu_s))
    return TaskSpec(name, run, limit_ms=limit_ms, reads=(), writes=())


def join(house: House, cpus: int) -> None:
    """A worker for 11 s, 1.5 of them guard, that really has no more cpus than it offers."""
    house.join(
        "box",
        **{"for": '"11s"', "mode": '"shared"', "capacity": f"{{ cpus = {cpus}, slots = 4 }}"},
    )
    for pid in house.pids("box"):
        os.sched_setaffinity(pid, sorted(os.sched_getaffinity(0))[:cpus])


def outcomes(house: House, *names: str) -> list[str]:
    ended = [house.wait_ended(name, within_s=30) for name in names]
    return [each.outcome.kind for each in ended if each.outcome is not None]


def test_latecomers_that_would_break_a_promise_are_refused_and_it_holds(house: House) -> None:
    join(house, 1)
    long = house.submit(busy("long", 8 * S, 5)).tasks[0].id
    for name in ("s1", "s2"):
        with pytest.raises(Refused) as told:
            house.submit(busy(name, 2 * S, 1))
        (finding,) = told.value.problem.findings
        assert (finding.code, finding.tasks) == ("LW306", (name, long))
    assert outcomes(house, long) == ["succeeded"]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="this machine has one cpu")
def test_on_two_cpus_all_are_promised_and_all_end_in_time(house: House) -> None:
    join(house, 2)
    names = (("long", 8, 4.0), ("s1", 2, 0.5), ("s2", 2, 0.5))
    made = [house.submit(busy(name, limit * S, cpu)).tasks[0] for name, limit, cpu in names]
    assert all(each.promise is not None for each in made)
    assert outcomes(house, *(each.id for each in made)) == ["succeeded"] * 3
    for each in made:
        told = house.client.task(each.id)
        assert told.outcome is not None
        assert each.promise is not None
        assert told.outcome.at <= each.promise


def test_without_the_check_the_same_promise_is_broken(unchecked: House) -> None:
    join(unchecked, 1)
    long = unchecked.submit(busy("long", 8 * S, 7.5)).tasks[0].id
    for name in ("s1", "s2"):
        unchecked.submit(busy(name, 2 * S, 1.9))
    assert outcomes(unchecked, long) != ["succeeded"]
