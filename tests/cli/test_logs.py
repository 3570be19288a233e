"""Goal: an output that is not there, or not whole, says so. Method: a pool that answers from a
script."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from tests.cli.samples import accepted, lost, plan_info, skipped, succeeded, task

BUILD = "nightly-3/build"


@pytest.fixture(autouse=True)
def pool(fake):
    fake.plans_there = (plan_info("build"),)
    fake.steps = {BUILD: [succeeded("build")]}


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (task("build"), "has not started yet"),
        (skipped("build", "lint"), "never ran"),
        (lost("build"), "no output of nightly-3/build has arrived; box was not heard of"),
        (succeeded("build"), "wrote nothing"),
    ],
)
def test_no_output_says_why(run, fake, there, said):
    fake.steps = {BUILD: [there]}
    done = run("logs", BUILD)
    assert (done.exit_code, done.stdout) == (0, "")
    assert said in done.stderr


def test_an_attempt_that_was_not_made(run):
    done = run("logs", BUILD, "--attempt", "3")
    assert done.exit_code == 2
    assert "has no attempt 3; there is attempt 1" in done.stderr


@pytest.fixture
def cut(fake):
    fake.written = {"stdout": b"head and tail"}
    fake.left_out = {"stdout": 9000}
    return replace(succeeded("build"), left_out_bytes={"stdout": 9000})


def test_a_cut_output_says_so_on_stderr(run, fake, cut):
    for words in (["logs", BUILD], ["logs", "-f", BUILD]):
        done = run(*words)
        assert done.stdout == "head and tail"
        assert "9000 bytes in the middle of stdout were left out" in done.stderr


def test_a_cut_output_in_json(run, fake, cut):
    told = json.loads(run("logs", "--json", BUILD).stdout)
    assert (told["complete"], told["left_out_bytes"]) == (True, {"stdout": 9000})


def test_a_cut_output_of_one_command(run, fake, cut, monkeypatch):
    monkeypatch.setattr("leaseway.cli.one_command.EVERY_MS", 1)
    fake.reply, fake.steps = accepted(task("build")), {BUILD: [cut]}
    done = run("run", "--", "make")
    assert done.exit_code == 0
    assert "9000 bytes in the middle of stdout were left out" in done.stderr


def test_a_cut_output_stands_on_the_page_of_its_task(run, fake, cut):
    fake.steps = {BUILD: [cut]}
    assert "left out" in run("task", BUILD).stdout
