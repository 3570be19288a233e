"""Goal: a laptop's lid may be closed for a night. Method: the coordinator is stopped, all clocks
jump by eight hours (windows of a day, limits of twelve hours), and it goes on; two boxes, and a
tree that travels to both."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from leaseway.core.model.plan import TaskSpec
from leaseway.demo.pool import LocalPool
from tests.e2e.house import House, is_alive
from tests.e2e.test_views import ending, files, submit, workspace

MINUTE_MS, HOUR_MS = 60_000, 3_600_000
SLEPT_MS = 8 * HOUR_MS


@pytest.fixture
def clock(tmp_path: Path) -> Path:
    """What is added to every clock; nothing yet."""
    path = tmp_path / "clock.json"
    path.write_text("{}")
    return path


@pytest.fixture
def house(tmp_path: Path, clock: Path) -> Iterator[House]:
    """A pool whose clocks can be moved, with a box on the left and one on the right."""
    with LocalPool(tmp_path / "pool", {"LEASEWAY_CLOCK": str(clock)}) as pool:
        pool.up("--patience", "2s")
        with pool.client() as client:
            house = House(pool, client, tmp_path)
            for side in ("left", "right"):
                house.join(f"{side}-box", labels=f'["{side}"]', **{"for": '"24h"'})
            yield house


def on(side: str, spec: TaskSpec, *outputs: str) -> TaskSpec:
    """The same on one side."""
    return replace(spec, on=replace(spec.on, labels=(side,)), outputs=outputs)


def until_told(house: House, name: str, limit_ms: int) -> TaskSpec:
    """It runs until it is told to end, then writes a file of its name."""
    then = f"until test -e {go(house, name)}; do sleep 0.05; done; echo {name} > {name}"
    return house.traced(name, then, limit_ms=limit_ms)


def go(house: House, name: str) -> Path:
    """The file that tells this task to end."""
    return house.folder / f"go-{name}"


def end(house: House, name: str, pid: int) -> None:
    """Tell it, and wait for its end."""
    go(house, name).touch()
    house.wait(f"the end of {name}", lambda: not is_alive(pid))


def pass_night(clock: Path) -> None:
    """Everywhere."""
    names = ("boot_offset_ms", "awake_offset_ms", "wall_offset_ms")
    fresh = clock.with_suffix(".new")
    fresh.write_text(json.dumps(dict.fromkeys(names, SLEPT_MS)))
    fresh.replace(clock)


def test_fault_37_a_night_with_the_lid_closed(house: House, clock: Path) -> None:
    """One task ends before its stop time, which passes in the night; one in the night, one after
    it. All succeed at their first attempt, all results are there, and who needs them runs."""
    after = house.traced("after", "cat a early left right > all")
    *ids, last = submit(
        house,
        workspace(house, a="tree\n"),
        on("left", until_told(house, "early", MINUTE_MS), "early"),
        on("left", until_told(house, "left", 12 * HOUR_MS), "left"),
        on("right", until_told(house, "right", 12 * HOUR_MS), "right"),
        replace(on("right", after, "all"), needs=("early", "left", "right")),
    )
    pids = {name: house.wait_started(name) for name in ("early", "left", "right")}
    laptop = house.pool.members["coordinator"].pid
    os.kill(laptop, signal.SIGSTOP)
    end(house, "early", pids["early"])
    pass_night(clock)
    end(house, "left", pids["left"])
    os.kill(laptop, signal.SIGCONT)
    assert files(house, ending(house, ids[0]).results) == {"early": "early\n"}
    assert files(house, ending(house, ids[1]).results) == {"left": "left\n"}
    assert is_alive(pids["right"]), "stopped, because nobody had been heard of"
    end(house, "right", pids["right"])
    assert files(house, ending(house, last).results) == {"all": "tree\nearly\nleft\nright\n"}
    assert [len(house.starts(name)) for name in (*pids, "after")] == [1, 1, 1, 1]
    assert {len(house.client.task(id).past) for id in (*ids, last)} == {1}
    assert [each.state for each in house.client.workers().workers] == ["active", "active"]
