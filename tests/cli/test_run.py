"""Goal: `run` waits, tells, acknowledges, passes codes through; Ctrl-C cancels before it leaves.
Method: a pool that answers from a script."""

from __future__ import annotations

import json

import msgspec
import pytest

from leaseway.client.errors import Unreachable
from leaseway.core.model.findings import Finding
from leaseway.wire.findings import finding_info
from leaseway.wire.plans import PlacedTask, SubmitReply
from tests.cli.samples import (
    NOON,
    accepted,
    cancelled,
    ended,
    failed,
    lost,
    overran,
    running,
    succeeded,
    task,
)

BUILD = "nightly-3/build"


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr("leaseway.cli.waiting.PLAIN_MS", 1)
    monkeypatch.setattr("leaseway.cli.one_command.EVERY_MS", 1)


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('name = "nightly"\n[task.build]\nrun = "make"\nworkdir = "sub"\nlimit = "8m"\n')
    return path


def script(fake, *steps):
    fake.reply = accepted(task("build"))
    fake.steps = {BUILD: list(steps)}


def test_waits_and_acknowledges_what_it_printed(run, fake, plan):
    script(fake, task("build"), running("build"), succeeded("build"))
    done = run("run", str(plan))
    assert done.exit_code == 0
    assert "1 task: 1 succeeded." in done.stdout
    assert fake.named("acknowledge") == [((BUILD,),)]
    assert fake.calls.index(("acknowledge", (BUILD,))) == len(fake.calls) - 1


def test_places_are_made_absolute(run, fake, plan):
    script(fake, succeeded("build"))
    run("run", str(plan), "--partial", "--strict", "--key", "k1")
    ((request,),) = fake.named("submit")
    assert request.plan.workdir == str(plan.parent)
    assert request.plan.tasks[0].workdir == str(plan.parent / "sub")
    assert (request.key, request.partial, request.strict) == ("k1", True, True)


@pytest.mark.parametrize(
    ("last", "code"),
    [(failed("build"), 1), (overran("build"), 1), (lost("build"), 4), (cancelled("build"), 1)],
    ids=["failed", "overran", "lost", "cancelled"],
)
def test_codes_of_a_plan(run, fake, plan, last, code):
    script(fake, last)
    assert run("run", str(plan)).exit_code == code


def test_detach_prints_the_id_only(run, fake, plan):
    script(fake, task("build"))
    assert run("run", "--detach", str(plan)).stdout == "nightly-3\n"
    assert fake.named("acknowledge") == []


def test_json_is_one_document(run, fake, plan):
    script(fake, task("build"), failed("build"))
    done = run("run", "--json", str(plan))
    told = json.loads(done.stdout)
    assert told["plan"] == "nightly-3"
    assert told["exit_code"] == done.exit_code == 1
    assert told["wasted_core_ms"] == 180_000
    assert told["tasks"][0]["outcome"]["cause"]["code"] == "LW701"


def test_a_refusal_as_json(run, fake, plan):
    fake.refused = (Finding("LW402", ("build",), variant="no-worker"),)
    done = run("run", "--json", str(plan))
    told = json.loads(done.stdout)["error"]
    assert done.exit_code == told["exit_code"] == 3
    assert told["findings"][0]["code"] == "LW402"
    assert told["closing"] == "Nothing ran."


def test_a_refusal_names_the_decision_that_is_kept_of_it_once(run, fake, plan):
    fake.refused = (Finding("LW402", ("build",), variant="no-worker"),)
    assert "Kept" not in run("run", str(plan)).stderr
    fake.declined = "declined-3"
    assert json.loads(run("run", "--json", str(plan)).stdout)["error"]["decision"] == "declined-3"
    said = run("run", str(plan)).stderr.splitlines()
    assert said[-2:] == [
        "Nothing ran.",
        "Kept as declined-3; made again with: leaseway explain --replay declined-3",
    ]
    last = run("--lang", "zh", "run", str(plan)).stderr.splitlines()[-1]
    assert last == "已存为 declined-3；重新作出：leaseway explain --replay declined-3"


def test_partial_shows_what_was_refused(run, fake, plan):
    no = Finding("LW301", ("build",), ("box",), {"need_ms": 2, "cap_ms": 1, "short_ms": 1})
    refused = ended("build", "refused", no, ran_ms=0)
    fake.steps = {BUILD: [refused]}
    placed = PlacedTask(BUILD, "build", findings=(finding_info(no),), outcome=refused.outcome)
    fake.reply = SubmitReply("nightly-3", (placed,), NOON)
    done = run("run", "--partial", str(plan))
    assert done.exit_code == 3
    assert "0 of 1 task accepted" in done.stdout
    assert "LW301" in done.stdout


def test_ctrl_c_cancels_and_waits_on(run, fake, plan):
    script(fake, running("build"), KeyboardInterrupt(), cancelled("build"))
    done = run("run", str(plan))
    assert fake.named("cancel") == [("nightly-3",)]
    assert "Cancelling." in done.stderr
    assert "1 cancelled" in done.stdout
    assert done.exit_code == 1


@pytest.mark.parametrize("what", ["plan", "command"])
def test_a_second_ctrl_c_stops_waiting_and_says_that_the_cancel_goes_on(run, fake, plan, what):
    script(fake, running("build"), KeyboardInterrupt(), KeyboardInterrupt())
    done = run("run", str(plan)) if what == "plan" else run("run", "--", "make")
    said = " ".join(done.stderr.split())
    assert done.exit_code == 130
    assert fake.named("cancel") == [("nightly-3",)]
    assert "nightly-3 is being cancelled" in said
    assert "runs on" not in said
    assert f"leaseway logs -f {BUILD}" in said
    assert fake.named("acknowledge") == []


def test_a_cancel_that_was_cut_off_is_not_called_done(run, fake, plan, monkeypatch):
    script(fake, running("build"), KeyboardInterrupt())

    def cut_off(_plan):
        raise KeyboardInterrupt

    monkeypatch.setattr(fake, "cancel", cut_off)
    done = run("run", str(plan))
    assert "Whether nightly-3 was cancelled is not known" in " ".join(done.stderr.split())


def test_a_coordinator_that_stays_away_leaves_it_undecided(run, fake, plan, monkeypatch):
    monkeypatch.setattr("leaseway.cli.follow.PATIENCE_MS", -1)
    script(fake, running("build"), Unreachable("http://fake", "refused"))
    done = run("run", str(plan))
    assert done.exit_code == 4
    assert "nightly-3 may run on." in " ".join(done.stderr.split())
    assert "leaseway inbox" in done.stderr
    assert fake.named("acknowledge") == []


def test_usage(run, fake, plan):
    for words in (
        ["run"],
        ["run", str(plan), "--", "true"],
        ["run", "--"],
        ["run", str(plan), "--limit", "5m"],
        ["run", "--limit", "soon", "--", "true"],
        ["run", "--output", "", "--", "true"],
    ):
        assert run(*words).exit_code == 2
    assert fake.calls == []


def test_a_command_becomes_a_plan_of_one_task(run, fake, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script(fake, succeeded("build"))
    run("run", "--limit", "5m", "--estimate", "20s", "--on", "box", "--label", "gpu", "--",
        "make", "-j2", "--", "x")  # fmt: skip
    ((request,),) = fake.named("submit")
    (only,) = request.plan.tasks
    assert only.run == ("make", "-j2", "--", "x")
    assert (only.name, only.limit_ms, only.estimate_ms) == ("make", 300_000, 20_000)
    assert (request.plan.workers, only.on.labels) == (("box",), ("gpu",))
    assert request.plan.workdir == str(tmp_path)


def test_output_of_a_command_is_ours_and_status_is_on_stderr(run, fake):
    script(fake, task("build"), running("build"), failed("build", exit_code=7))
    fake.written = {"stdout": b"first line\nsecond line\n", "stderr": b"warned\n"}
    done = run("run", "--", "make")
    assert done.exit_code == 7
    assert done.stdout == "first line\nsecond line\n"
    assert "warned\n" in done.stderr
    assert "running" in done.stderr
    assert "exit code 7" in done.stderr
    assert fake.named("acknowledge") == [((BUILD,),)]


@pytest.mark.parametrize(
    ("last", "code"),
    [(overran("build"), 124), (lost("build"), 126), (cancelled("build"), 130)],
    ids=["overran", "lost", "cancelled"],
)
def test_codes_of_a_command(run, fake, last, code):
    script(fake, last)
    assert run("run", "--", "make").exit_code == code


def test_a_refused_command(run, fake):
    fake.refused = (Finding("LW402", ("make",), variant="no-worker"),)
    done = run("run", "--", "make")
    assert done.exit_code == 125
    assert "Nothing ran." in done.stderr


def test_an_estimate_over_the_limit_of_one_command(run, fake):
    done = run("run", "--limit", "10s", "--estimate", "1m", "--", "make")
    assert done.exit_code == 2
    assert fake.calls == []


def test_a_command_that_is_not_utf8_is_told_of(run, fake):
    def encoded(request):
        msgspec.json.encode(request)
        raise AssertionError("it cannot be encoded")

    fake.submit = encoded
    done = run("run", "--in-place", "--", "echo", "caf\udce9")
    assert done.exit_code == 2
    assert "is not UTF-8: caf\\xe9. Nothing ran." in done.stderr
