"""Goal: who calls a command wrongly is told how to call it rightly, also in JSON. Method: wrong
calls, one by one."""

from __future__ import annotations

import json

import pytest

from leaseway.core.model.capacity import Uses
from tests.cli.samples import accepted, succeeded, task

BUILD = "nightly-3/build"


@pytest.fixture
def one(fake, monkeypatch):
    """A command that succeeds."""
    monkeypatch.setattr("leaseway.cli.one_command.EVERY_MS", 1)
    fake.reply = accepted(task("build"))
    fake.steps = {BUILD: [succeeded("build")]}
    fake.written = {"stdout": b"hello\xff\n", "stderr": b"oh\n"}


@pytest.mark.parametrize("words", [["echo"], ["echo", "hello"], ["echo", "hello", "world"]])
def test_a_command_without_its_dashes(run, fake, words):
    done = run("run", *words)
    assert done.exit_code == 2
    assert "Put -- before a command" in " ".join(done.stderr.split())
    assert fake.calls == []


def test_a_plan_that_is_not_there(run, fake, tmp_path):
    done = run("scan", str(tmp_path / "nope"))
    assert done.exit_code == 3
    assert "No such file" in done.stderr
    assert "ends in .toml" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["ack", "--json"],
        ["lease", "set", "mini", "--json"],
        ["run", "--json", "--limit", "x", "--", "echo"],
        ["tasks", "--json", "--limit", "0"],
        ["logs", "--json"],
    ],
    ids=" ".join,
)
def test_a_usage_error_in_json(run, words):
    done = run(*words)
    assert done.exit_code == 2
    said = json.loads(done.stdout)["error"]
    assert said["exit_code"] == 2
    assert said["sentence"]
    assert done.stderr == ""


def test_json_behind_the_dashes_belongs_to_the_command(run):
    done = run("run", "--limit", "x", "--", "tool", "--json")
    assert done.stdout == ""
    assert "--limit" in done.stderr


def test_one_command_in_json_holds_what_it_wrote(run, one):
    told = json.loads(run("run", "--json", "--", "make").stdout)
    assert (told["stdout"], told["stderr"]) == ("hello�\n", "oh\n")


def test_one_command_may_take_more_or_less_than_a_cpu(run, fake, one):
    run("run", "--cpus", "0.5", "--memory", "1GiB", "--", "make")
    ((request,),) = fake.named("submit")
    assert request.plan.tasks[0].uses == Uses(cpus_milli=500, memory_bytes=1 << 30)


def test_amounts_are_not_for_plans(run):
    assert run("run", "plan.toml", "--cpus", "2").exit_code == 2


def test_names_and_all_at_once(run):
    assert "Either names, or --all" in run("ack", "--all", "x/y").stderr
