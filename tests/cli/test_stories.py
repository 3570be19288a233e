"""Goal: what people read stays as it was agreed. Method: transcripts, compared as text."""

from __future__ import annotations

import json

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Guard
from leaseway.wire.findings import finding_info
from leaseway.wire.streams import EventInfo, ExplainInfo
from leaseway.wire.tasks import WasteInfo
from tests.cli.samples import (
    MINUTE,
    NOON,
    accepted,
    cancelled,
    failed,
    lost,
    overran,
    plan_info,
    running,
    skipped,
    succeeded,
    task,
    worker,
)

PLAN = """name = "nightly"
[task.build]
run = "make build"
limit = "8m"
reads = []
writes = ["out"]
[task.test]
run = "make test"
limit = "3m"
reads = ["out"]
writes = []
"""
GUARD = Guard()
TOO_SHORT = Finding(
    "LW302",
    ("build",),
    ("box",),
    {
        "need_ms": 8 * MINUTE,
        "have_ms": 5 * MINUTE,
        "short_ms": 3 * MINUTE,
        "left_ms": 5 * MINUTE + GUARD.total_ms,
        "guard_ms": GUARD.total_ms,
        "stop_grace_ms": GUARD.stop_grace_ms,
        "kill_ms": GUARD.kill_ms,
        "delivery_ms": GUARD.delivery_ms,
        "clock_error_ms": GUARD.clock_error_ms,
    },
)
NOT_ALL = Finding("LW305", numbers={"fit": 1, "count": 2}, severity=Severity.WARNING)
DERIVED = Finding("LW103", ("test", "build"), numbers={"over": "out"}, severity=Severity.WARNING)


def plan_file(folder, text=PLAN):
    path = folder / "plan.toml"
    path.write_text(text)
    return str(path)


def test_refusal(run, fake, story, tmp_path):
    fake.refused = (TOO_SHORT, NOT_ALL)
    done = run("run", plan_file(tmp_path))
    assert done.exit_code == 3
    assert done.stdout == ""
    story("refusal", done.stderr)


def test_run_in_plain_lines(run, fake, story, tmp_path, monkeypatch):
    monkeypatch.setattr("leaseway.cli.waiting.PLAIN_MS", 1)
    build, test = task("build"), task("test", 2)
    fake.reply = accepted(build, test, findings=(DERIVED,))
    fake.steps = {
        build.id: [build, running("build"), failed("build")],
        test.id: [test, test, skipped("test", "build", 2)],
    }
    done = run("run", plan_file(tmp_path))
    assert done.exit_code == 1
    story("run", done.stdout)


def test_outcomes_of_every_kind(run, fake, story):
    found = [
        succeeded("build"),
        failed("lint", 2),
        overran("train-the-big-model", 3, uses={"cpus_milli": 4000}),
        skipped("publish", "lint", 4),
        lost("archive", 5),
        cancelled("docs", 6),
    ]
    fake.steps = {each.id: [each] for each in found}
    done = run("inbox")
    assert done.exit_code == 0
    story("inbox", done.stdout)


def test_explain(run, fake, story):
    found = overran("train", uses={"cpus_milli": 4000})
    assert found.outcome is not None
    moved = finding_info(
        Finding(
            "LW307",
            (found.id, "nightly-3/build"),
            ("box",),
            {"new_at": NOON, "old_at": NOON - MINUTE},
            "behind",
            Severity.NOTE,
        )
    )
    why = found.outcome.cause
    fake.steps = {found.id: [found]}
    fake.explained = ExplainInfo(found.id, why.sentence, findings=(why, moved), now=NOON)
    done = run("explain", found.id)
    assert done.exit_code == 0
    assert done.stdout.startswith("Its own limit is the cause")
    story("explain", done.stdout)


def test_task(run, fake, story):
    found = failed("lint", holds=("gpu-room",), needs=("build",))
    fake.steps = {found.id: [found]}
    story("task", run("task", found.id).stdout)


def test_tasks(run, fake, story):
    from leaseway.wire.tasks import EdgeInfo

    waiting = task("publish", 3, edges=(EdgeInfo("nightly-3/lint", "needs"),))
    best_effort = task("sweep", 4, promise=None, reservation=None)
    shown = [succeeded("build"), running("lint", 2), waiting, best_effort]
    wasted = (WasteInfo("LW702", 240_000, 1, "overran"),)
    fake.plans_there = (plan_info(*(each.name for each in shown), wasted=wasted),)
    fake.steps = {each.id: [each] for each in shown}
    story("tasks", run("tasks", "nightly-3").stdout)


def test_workers(run, fake, story):
    closed = Finding("LW309", (), ("nas",), {"closed_at": NOON}, "closed")
    fake.workers_there = (
        worker("box"),
        worker("mini", None, max_run_ms=None, present=False, heard_ago_ms=95_000),
        worker("nas", 0, open=False, opens_in_ms=3_600_000, cause=finding_info(closed)),
        worker("old", state="draining", reason="being moved"),
    )
    story("workers", run("workers").stdout)


def test_lease_show(run, fake, story):
    fake.workers_there = (worker("box", labels=("gpu",)),)
    story("lease-show", run("lease", "show", "box").stdout)


def test_mistakes_in_a_file(run, fake, story, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan_file(tmp_path, PLAN.replace("limit", "limt", 1).replace('"3m"', '"3 moons"'))
    done = run("run", "plan.toml")
    assert done.exit_code == 3
    assert fake.calls == []
    story("mistakes", done.stderr)


def test_scan_against_a_file(run, story, tmp_path):
    leases = tmp_path / "leases.toml"
    leases.write_text('[worker.box]\nfor = "6m"\n[worker.mini]\nfor = "1h"\nmax_run_time = "5m"\n')
    done = run("scan", plan_file(tmp_path), "--leases", str(leases))
    assert done.exit_code == 3
    story("scan", done.stdout)


def test_events(run, fake, story):
    fake.happened = (
        EventInfo(1, NOON, "LedgerOpened", {"ledger_id": "ledger-1"}),
        EventInfo(2, NOON, "TaskReserved", {"task": "nightly-3/build", "promise": NOON + MINUTE}),
        EventInfo(
            3,
            NOON + MINUTE,
            "TaskEnded",
            {"task": "nightly-3/build", "outcome": {"kind": "succeeded", "at": NOON}},
        ),
    )
    story("events", run("events").stdout)


def test_plans(run, fake, story):
    """2 cpus × 3 minutes overran, 1 cpu × 30 s failed: 6.0 and 0.5 core-minutes."""
    wasted = (
        WasteInfo("LW702", 360_000, 1, "overran"),
        WasteInfo("LW701", 30_000, 1, "failed"),
        WasteInfo("LW704", 0, 1, "lost"),
    )
    fake.plans_there = (plan_info("build", "test", open_tasks=1, wasted=wasted), plan_info("lint"))
    story("plans", run("plans").stdout)
    told = json.loads(run("plans", "--json").stdout)
    assert told[0]["wasted"][0] == {
        "code": "LW702",
        "core_ms": 360_000,
        "attempts": 1,
        "word": "overran",
    }
    assert told[1]["wasted"] == []


def test_cause_is_told_without_nothing_ran():
    from leaseway.cli.findings import cause_text

    assert not cause_text(finding_info(TOO_SHORT)).endswith("Nothing ran.")
