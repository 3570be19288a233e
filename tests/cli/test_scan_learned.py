"""Goal: a scan against a pool counts with what the pool has learned from earlier runs. Method: a
pool with nine runs of mean 3 minutes and spread 1 minute, of which one in ten minutes is sure."""

from __future__ import annotations

import json

import pytest
from msgspec import structs

from leaseway.core.estimates.keys import keys_of
from leaseway.core.model.capacity import Capacity
from leaseway.wire.history import EstimateInfo, HistoryInfo, RunInfo
from tests.cli.samples import MINUTE, NOON, accepted, task, worker

RAN = [4 * MINUTE] * 4 + [3 * MINUTE] + [2 * MINUTE] * 4
ONE_SLOT = Capacity(cpus_milli=1000, slots=1)


def history(key, ran, ended=True):
    runs = tuple(RunInfo(ms, NOON, "box", ended, 0, 0) for ms in ran)
    count = len(ran) if ended else 0
    stopped = len(ran) - count
    return HistoryInfo(key, "command", "make", "", "", count, stopped, 9, NOON, runs=runs)


@pytest.fixture
def scanned(run, fake, tmp_path):
    """A function that scans eight tasks of one command, with what the pool knows of it."""
    path = tmp_path / "plan.toml"
    names = [f"t{at}" for at in range(8)]

    def scan(ran=RAN, bound='estimate = "3m"', ended=True, learned=None):
        keys = f'run = "make"\nreads = []\nwrites = []\n{bound}\n'
        path.write_text("".join(f"[task.{name}]\n{keys}" for name in names))
        fake.workers_there = (worker("box", 11 * MINUTE, capacity=ONE_SLOT),)
        reply = accepted(*map(task, names))
        placed = tuple(structs.replace(each, learned=learned) for each in reply.tasks)
        fake.reply = structs.replace(reply, tasks=placed)
        fake.histories = ()
        run("scan", str(path))
        plan = fake.named("submit")[-1][0].plan
        (nearest, *_) = keys_of(plan.tasks[0], plan.workdir, plan.workspace, "")
        fake.histories = (history("other", [1] * 9), history(nearest.id, ran, ended))
        fake.calls.clear()
        return run("scan", str(path), "--json"), run("scan", str(path)).stdout

    return scan


def test_what_is_sure_is_told_beside_what_is_expected(scanned, fake):
    document, page = scanned()
    (box,) = json.loads(document.stdout)["report"]["workers"]
    assert (box["fit"], box["sure"]) == (3, 1)
    said = " ".join(page.split())
    assert "3 of 8, 1 with 95 % confidence" in said
    assert "3 of 8 tasks can finish in the time left (expected), 1 with 95 % confidence" in said
    asked = [key for key, _, _ in fake.named("history") if key]
    assert len(set(asked)) == 1, "of the one command only"
    assert len(asked) == 2, "once in each scan"


@pytest.mark.parametrize("known", [{"ran": RAN[:8]}, {"ended": False}])
def test_too_little_is_no_confidence(scanned, known):
    document, page = scanned(**known)
    (box,) = json.loads(document.stdout)["report"]["workers"]
    assert "sure" not in box
    assert "(expected; no history)" in page


def test_a_bound_that_was_learned_is_what_it_takes(scanned):
    learned = EstimateInfo(2 * MINUTE, 9, "k", "command", 900_000)
    document, page = scanned(bound="", learned=learned)
    told = json.loads(document.stdout)["report"]
    assert {each["bound_ms"] for each in told["tasks"]} == {2 * MINUTE}
    assert told["placement"]["makespan_ms"] > 8 * MINUTE
    assert "unknown" not in page
