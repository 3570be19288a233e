"""Goal: 500 worlds of three workers and twelve tasks break nothing, whatever fails in them.
Method: run each seed to its end, heal it, and ask every check; `python -m leaseway.sim` tells more.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import pytest

from leaseway.runtime import Clock
from leaseway.sim.shrink import shrunk, story
from leaseway.sim.story import TASKS
from leaseway.sim.world import Report, World, run

SEEDS, AT_ONCE = 500, 50
QUIET = 150


def explained(report: Report) -> str:
    """What somebody needs who has to mend it."""
    shorter, kinds = shrunk(report)
    lines = "\n  ".join((*report.broken, f"with {sorted(kinds)}", *story(shorter)))
    return f"seed {report.seed}:\n  {lines}"


@pytest.mark.parametrize("first", range(0, SEEDS, AT_ONCE))
def test_nothing_breaks(first, record_testsuite_property, capsys):
    clock = Clock()
    began = clock.awake_ms()
    for seed in range(first, first + AT_ONCE):
        report = run(seed)
        assert not report.broken, explained(report)
    rate = AT_ONCE * 60_000 // max(1, clock.awake_ms() - began)
    record_testsuite_property(f"seeds_a_minute_from_{first}", rate)
    with capsys.disabled():
        print(f" {rate} seeds a minute ", end="")


@pytest.mark.parametrize("first", range(0, QUIET, AT_ONCE))
def test_every_promise_is_kept_where_nothing_fails(first):
    """No faults, no whims: only tasks that fail, run over or ignore TERM."""
    for seed in range(first, first + AT_ONCE):
        report = run(seed, frozenset())
        assert not report.broken, explained(report)


def test_the_same_seed_is_the_same_world():
    first, again, other = run(11), run(11), run(12)
    assert (first.digest, first.trace.lines) == (again.digest, again.trace.lines)
    assert first.digest != other.digest


def test_worlds_do_not_depend_on_the_hash_seed():
    said = set()
    for hash_seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-m", "leaseway.sim", "--trace", "11"],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        said.add(done.stdout)
    assert len(said) == 1
    assert f"digest {run(11).digest}" in said.pop()


@pytest.fixture(scope="module")
def met() -> Counter[str]:
    """What happened in the first hundred worlds, by the first word of its line in the trace."""
    counted: Counter[str] = Counter()
    for seed in range(100):
        world = World(seed)
        report = world.run()
        counted.update(report.outcomes)
        counted.update(" ".join(line[22:].split()[:2]) for line in report.trace.lines)
        counted.update(line[22:].split()[0] for line in report.trace.lines if line[22:].strip())
        counted.update(str(ending.kind) for ending in world.record.endings.values())
        counted["late"] += len(world.record.kept)
        counted["snapshots"] += len(world.coordinator.disk.snapshots)
        counted["tasks"] += len(world.record.tasks)
    return counted


@pytest.mark.parametrize(
    ("danger", "least"),
    [
        ("tasks", 100 * TASKS // 2),
        *((outcome, 1) for outcome in ("succeeded", "failed", "overran", "stopped", "lost")),
        *((outcome, 1) for outcome in ("refused", "skipped", "cancelled")),
        *((kind, 1) for kind in ("worker-restarted", "keeper-died", "unknown")),
        *((event, 5) for event in ("AttemptReturned", "TaskRetried", "StopTimeMoved")),
        *((event, 5) for event in ("PromiseWithdrawn", "StopOrdered", "LeaseMoved")),
        *((event, 5) for event in ("LeaseChanged", "TasksForgotten", "WorkerSlept")),
        ("late", 3),
        ("snapshots", 20),
        ("daemon quits:", 1),
        ("fault coordinator-crash:", 10),
        ("fault coordinator-sleep:", 10),
        ("fault daemon-crash:", 10),
        ("fault keeper-crash:", 10),
        ("fault power-off:", 10),
        ("fault sleep:", 10),
        ("fault slow-disk:", 10),
        ("fault full-disk:", 10),
        ("fault usurper:", 10),
        ("fault cut:", 10),
        ("fault people:", 10),
    ],
)
def test_every_danger_was_met(met, danger, least):
    """A world in which nothing can go wrong proves nothing."""
    assert met[danger] >= least
