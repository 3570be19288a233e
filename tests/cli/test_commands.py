"""Goal: each command asks for what its words say. Method: look at what the pool was asked."""

from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.wire.streams import EventInfo
from leaseway.wire.tasks import EndingInfo
from leaseway.wire.workers import HeldInfo
from tests.cli.samples import (
    NOON,
    lost,
    plan_info,
    running,
    succeeded,
    worker,
)


@pytest.fixture(autouse=True)
def pool(fake):
    build, test = succeeded("build"), running("test", 2)
    fake.plans_there = (plan_info("build", "test"),)
    fake.steps = {build.id: [build], test.id: [test]}
    fake.workers_there = (worker("box"), worker("mini"))


def test_ack_of_tasks_plans_and_all(run, fake):
    run("ack", "nightly-3/build")
    run("ack", "nightly-3")
    run("ack", "--all")
    assert fake.named("acknowledge") == [(("nightly-3/build",),), (("nightly-3/build",),), ((),)]


def test_ack_needs_to_know_what(run, fake):
    assert run("ack").exit_code == run("ack", "--all", "x/y").exit_code == 2
    assert fake.calls == []


def test_cancel(run, fake):
    done = run("cancel", "nightly-3/build", "nightly-3")
    assert fake.named("cancel") == [("nightly-3/build",), ("nightly-3",)]
    assert done.stdout == "3 tasks are cancelled, or will be when stopped.\n"


def test_give_up_tells_the_outcome(run, fake):
    fake.steps["nightly-3/build"] = [running("build"), lost("build")]
    done = run("give-up", "nightly-3/build")
    assert fake.named("give_up") == [("nightly-3/build",)]
    assert "Not confirmed either way" in done.stdout


def test_workers_are_drained_undrained_closed_and_revoked(run, fake):
    run("drain", "box", "--reason", "moving")
    run("undrain", "box")
    run("lease", "close", "box")
    run("revoke", "box")
    assert fake.named("set_state") == [
        ("box", "draining", "moving"),
        ("box", "active", ""),
        ("box", "ended", ""),
    ]
    assert fake.named("revoke") == [("box", "")]


def test_lease_set_changes_only_what_was_said(run, fake):
    assert run("lease", "set", "box", "--for", "2h", "--max-run-time", "5m").exit_code == 0
    assert fake.named("change_lease") == [
        ("box", TermsChange(windows=(WindowOffer(closes_in_ms=7_200_000),), max_run_ms=300_000))
    ]


def test_lease_set_keeps_the_rest_of_the_capacity(run, fake):
    run("lease", "set", "box", "--cpus", "4", "--guard", "10s")
    ((_, change),) = fake.named("change_lease")
    assert (change.capacity.cpus_milli, change.capacity.slots) == (4_000, 4)
    assert change.capacity.gpus == 0
    assert change.guard.total_ms == 10_000


def test_lease_set_says_what_is_wrong(run, fake):
    for words in (["box"], ["box", "--for", "1h", "--until", "18:00"], ["box", "--until", "noon"]):
        assert run("lease", "set", *words).exit_code == 2
    assert fake.calls == []


@pytest.mark.parametrize(
    "words",
    [
        ["lease", "show", "bx"],
        ["task", "nightly-3/biuld"],
        ["tasks", "nightli-3"],
        ["ack", "nightli-3"],
        ["logs", "nightly-3/biuld"],
    ],
    ids=" ".join,
)
def test_an_unknown_name_is_answered_with_the_nearest(run, words):
    done = run(*words)
    assert done.exit_code == 2
    assert "nearest: " in done.stderr
    assert "Traceback" not in done.stderr


def test_tasks_of_all_plans_have_their_whole_names(run):
    assert "nightly-3/build" in run("tasks").stdout
    assert "nightly-3/" not in run("tasks", "nightly-3").stdout


def test_tasks_filters(run, fake):
    run("tasks", "--open", "--only", "running", "--limit", "5")
    ((wanted,),) = fake.named("tasks")
    assert (wanted.ended, wanted.state, wanted.limit) == (False, "running", 5)


def test_logs(run, fake):
    fake.written = {"stdout": b"a\xff lot of output", "stderr": b"and errors"}
    done = run("logs", "nightly-3/build")
    assert done.stdout_bytes == b"a\xff lot of output"
    assert done.stderr_bytes == b"and errors"
    assert run("logs", "--stream", "stderr", "nightly-3/build").stdout_bytes == b""
    told = json.loads(run("logs", "--json", "nightly-3/build").stdout)
    assert told == {
        "task": "nightly-3/build",
        "complete": True,
        "left_out_bytes": {},
        "attempt": 1,
        "stdout": "a� lot of output",
        "stderr": "and errors",
    }


def test_logs_can_be_followed_to_the_end(run, fake):
    fake.written = {"stdout": b"first and second", "stderr": b""}
    assert run("logs", "-f", "nightly-3/build").stdout == "first and second"


def test_events_can_be_followed_as_lines_of_json(run, fake):
    fake.happened = tuple(EventInfo(at, NOON, "WorkerSlept", {}) for at in (1, 2, 3))
    done = run("events", "-f", "--json", "--after", "1")
    assert [json.loads(line)["position"] for line in done.stdout.splitlines()] == [2, 3]
    assert done.exit_code == 130


@pytest.mark.parametrize(
    "words",
    [["plans"], ["tasks"], ["workers"], ["events"], ["doctor"], ["inbox"], ["lease", "show"]],
    ids=" ".join,
)
def test_json_of_what_is_listed(run, words):
    told = json.loads(run(*words, "--json").stdout)
    assert isinstance(told, dict if words == ["inbox"] else list)


def test_nothing_there_is_said_calmly(run, fake):
    fake.plans_there, fake.steps, fake.workers_there = (), {}, ()
    assert "No plan was handed in yet" in run("plans").stdout
    assert "No worker has joined yet" in run("workers").stdout
    assert run("inbox").stdout == "Nothing new for owner.\n"
    assert run("tasks").stdout == "No such tasks.\n"


@pytest.mark.parametrize("number", ["0", "-1"])
@pytest.mark.parametrize("command", ["plans", "tasks", "inbox", "events"])
def test_a_limit_is_at_least_one(run, fake, command, number):
    done = run(command, "--limit", number)
    assert done.exit_code == 2
    assert "--limit" in done.stderr
    assert fake.calls == []


def test_a_cancel_out_of_hearing_says_so(run, fake):
    held = HeldInfo("nightly-3/build", 1, "running")
    gone = worker("box", present=False, heard_ago_ms=20_000, held=(held,))
    fake.workers_there = (gone, worker("mini"))
    done = run("cancel", "nightly-3/build")
    assert "box was not heard of for 20s: it will be told when it is back" in done.stdout


def test_what_is_granted_ahead_is_queued_and_does_not_run(run, fake):
    held = (HeldInfo("nightly-3/a", 1, "running"), HeldInfo("nightly-3/b", 1, "granted"))
    fake.workers_there = (worker("box", held=held),)
    head, row = run("workers").stdout.splitlines()
    assert (head.split()[8:10], row.split()[-4:-2]) == (["RUNS", "QUEUED"], ["1", "1"])
    page = run("lease", "show", "box").stdout
    assert "queued there  nightly-3/b #1" in page
    assert "running       nightly-3/a #1\n" in page


def test_a_late_result_is_told_in_words_and_nothing_is_invented(run, fake):
    gone = replace(
        lost("build"), kept=(EndingInfo("exited", exit_code=0, ran_ms=15_000),), attempt=None
    )
    fake.steps = {gone.id: [replace(gone, past=(lost("build").attempt,))]}
    page = run("task", "nightly-3/build").stdout
    assert "told late, not counted: exit code 0 after 15s" in page
    assert "nobody saw its end" in page
    assert " 0s" not in page
