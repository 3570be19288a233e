"""Goal: a scan says what it knows and against what. Method: a pool and files that answer from a
script."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from leaseway.cli.main import leaseway
from leaseway.core.model.findings import Finding, Severity
from leaseway.wire.findings import finding_info
from leaseway.wire.plans import SubmitReply
from tests.cli.samples import (
    MINUTE,
    NOON,
    accepted,
    task,
    worker,
)


@pytest.fixture(autouse=True)
def pool(fake):
    fake.workers_there = (worker("box"), worker("mini"))


def test_scan_asks_the_pool_what_it_would_promise(run, fake, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[task.build]\nrun = "make"\nlimit = "5m"\nreads = []\nwrites = []\n')
    placed = accepted(task("build")).tasks
    told = Finding("LW205", ("build", "x/y"), numbers={"over": "out"}, severity=Severity.WARNING)
    fake.reply = SubmitReply("", placed, NOON, (finding_info(told),), dry=True)
    done = run("scan", str(plan))
    assert done.exit_code == 1
    assert "Checked against 2 live workers and what they have promised." in done.stdout
    assert "12:10:00" in done.stdout
    assert "LW205" in done.stdout
    ((request,),) = fake.named("submit")
    assert request.dry
    assert run("scan", "--strict", str(plan)).exit_code == 3


def test_scan_tells_why_the_pool_would_refuse(run, fake, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[task.build]\nrun = "make"\nlimit = "5m"\nreads = []\nwrites = []\n')
    numbers: dict[str, int | str | list[str]] = {
        "need_ms": 5 * MINUTE,
        "close_at": NOON,
        "free_at": NOON,
    }
    fake.refused = (Finding("LW303", ("build",), ("box",), numbers),)
    done = run("scan", str(plan), "--json")
    told = json.loads(done.stdout)
    assert done.exit_code == told["exit_code"] == 3
    assert told["checked_against_pool"] is True
    assert told["findings"][0]["code"] == "LW303"


def test_scan_without_a_pool_says_so(run, fake, tmp_path):
    leases, plan = tmp_path / "leases.toml", tmp_path / "plan.toml"
    leases.write_text("[worker.box]\n")
    plan.write_text('[task.build]\nrun = "make"\nlimit = "5m"\nreads = []\nwrites = []\n')
    done = run("scan", str(plan), "--leases", str(leases))
    assert "Not checked against what runs." in done.stdout
    assert fake.calls == []


def test_a_scan_asks_no_worker_that_is_gone(run, fake, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('[task.build]\nrun = "make"\nreads = []\nwrites = []\nlimit = "1m"\n')
    fake.workers_there = (worker("box"), worker("gone", present=False))
    fake.reply = accepted(task("build"))
    said = " ".join(run("scan", str(plan)).stdout.split())
    assert "Checked against 1 live worker " in said
    assert "Not asked: gone." in said
    assert "gone" not in said.replace("Not asked: gone.", "")


def test_a_scan_without_any_lease_does_not_promise_anything(run, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    plan = tmp_path / "plan.toml"
    plan.write_text('[task.build]\nrun = "make"\nlimit = "1m"\n')
    done = CliRunner().invoke(leaseway, ["scan", str(plan)])
    assert "It would be accepted" not in done.stdout
    assert "Whether it fits is not known." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_a_scan_counts_what_does_not_fit(run, fake, tmp_path):
    plan = tmp_path / "plan.toml"
    task_text = '[task.{}]\nrun = "x"\nreads = []\nwrites = []\nlimit = "{}"\n'
    plan.write_text(task_text.format("short", "1m") + task_text.format("long", "3h"))
    fake.workers_there = (worker("box"),)
    fake.reply = accepted(task("short"))
    assert "1 of 1, and 1 does not fit here" in run("scan", str(plan)).stdout
