"""Goal: who calls a command wrongly is told how to call it rightly, also in JSON. Method: wrong
calls, one by one."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from leaseway.cli.main import leaseway
from leaseway.cli.pool import refusal_of
from leaseway.cli.setting import Setting, of_environment, places_of
from leaseway.client.errors import Unavailable
from leaseway.core.model.capacity import Uses
from leaseway.core.model.findings import Finding
from leaseway.wire.problems import Kind, problem
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


@pytest.fixture
def bare(tmp_path, monkeypatch):
    """The real client, and a state folder of a coordinator that is down."""
    monkeypatch.setenv("LEASEWAY_STATE", str(tmp_path))
    (tmp_path / "url").write_text("http://127.0.0.1:9\n")
    (tmp_path / "owner.credential").write_text('{"name":"o","role":"owner","secret":"s1"}')

    def call(*words):
        return CliRunner().invoke(leaseway, list(words))

    return call


def test_nobody_there_says_that_nothing_ran_in_the_words_of_the_system(bare):
    for words in (["tasks"], ["run", "--", "true"]):
        said = " ".join(bare(*words).stderr.split())
        assert "Connection refused" in said
        assert "Nothing was handed in, and nothing ran." in said
        assert "Connect call failed" not in said


def test_an_address_that_is_none(bare):
    done = bare("tasks", "--url", "nonsense")
    assert done.exit_code == 5
    assert "nonsense is no address" in done.stderr.lower()


def test_a_broken_credential_file_says_where_good_ones_are(bare, tmp_path):
    path = tmp_path / "x.credential"
    path.write_text("\0")
    said = " ".join(bare("tasks", "--credential", str(path)).stderr.split())
    assert "is no credential file" in said
    assert "leaseway up" in said


@pytest.mark.parametrize(
    ("said", "there"),
    [
        (Setting(url="http://127.0.0.1:9/"), ("http://127.0.0.1:9/", "owner.credential")),
        (Setting(credential="lw_x"), ("http://127.0.0.1:9", "lw_x")),
        (Setting(url="http://elsewhere:9"), ("http://elsewhere:9", None)),
    ],
)
def test_the_state_folder_fills_in_what_was_not_said(bare, tmp_path, said, there):
    found = places_of(said, of_environment())
    credential = there[1] and (str(tmp_path / there[1]) if "owner" in there[1] else there[1])
    assert (found.url, found.credential) == (there[0], credential)


def test_a_name_moves_no_cursor(run, fake):
    fake.refused = (Finding("LW901", numbers={"what": "plan", "got": "x"}, variant="name"),)
    said = run("run", "--name", "a\nb\x1b[31m", "--", "true").stderr
    assert said.startswith("Plan a b\\x1b[31m was refused.")


def test_no_room_for_a_tree_names_what_helps():
    said = problem(Kind.NO_ROOM, "The archive could not be kept: No space left on device.")
    fault = refusal_of(Unavailable(said))
    assert fault.mend.startswith("Make room on the disk of the coordinator")
    assert "--in-place" in fault.mend
    assert refusal_of(Unavailable(problem(Kind.UNAVAILABLE, "Later."))).mend == ""
