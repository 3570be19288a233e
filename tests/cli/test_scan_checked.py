"""Goal: a run that was scanned runs only if all is as it was. Method: a pool that changes between
scan and run, one part at a time."""

from __future__ import annotations

import json

import pytest
from msgspec import structs

from tests.cli.samples import accepted, task, worker

PLAN = '[task.build]\nrun = "make"\nlimit = "5m"\nreads = []\nwrites = []\n'


@pytest.fixture
def plan(fake, tmp_path):
    fake.workers_there = (worker("box"), worker("mini"))
    fake.reply = accepted(task("build"))
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def pinned(run, plan):
    return json.loads(run("scan", str(plan), "--json").stdout)["scan_id"]


def submitted(fake):
    return [request for (request,) in fake.named("submit") if not request.dry]


def test_nothing_changed(run, fake, plan):
    done = run("run", "--detach", "--check", pinned(run, plan), str(plan))
    assert done.exit_code == 0
    assert len(submitted(fake)) == 1


def test_the_page_tells_how(run, plan):
    said = " ".join(run("scan", str(plan)).stdout.split())
    assert f"leaseway run --check {pinned(run, plan)} PLAN" in said


@pytest.mark.parametrize("part", ["plan", "lease", "promises"])
def test_what_changed_is_said_and_nothing_ran(run, fake, plan, part):
    pin = pinned(run, plan)
    wanted = {
        "plan": "the plan plan differs.",
        "lease": "the lease of mini differs.",
        "promises": "what is promised differs, now 1 in all.",
    }
    match part:
        case "plan":
            plan.write_text(PLAN.replace("5m", "6m"))
        case "lease":
            box, mini = fake.workers_there
            newer = structs.replace(mini, terms_version=mini.terms_version + 1)
            fake.workers_there = (box, newer)
        case _:
            fake.steps["other-1/x"] = [task("x")]
    done = run("run", "--detach", "--check", pin, str(plan), "--json")
    assert done.exit_code == 3
    assert submitted(fake) == []
    (told,) = json.loads(done.stdout)["error"]["findings"]
    assert told["code"] == "LW313"
    assert wanted[part] in told["sentence"]
    assert "Nothing ran." in told["sentence"]


def test_misuse(run, fake, plan):
    assert "is no scan id" in run("run", "--check", "what", str(plan)).stderr
    assert "of a plan only" in run("run", "--check", "a-b-c", "--", "true").stderr
    assert submitted(fake) == []
