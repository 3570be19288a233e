"""Goal: the command looks at both sides, ends with what its exit code says, and writes nothing.
Method: against a pool that is not there, and against none."""

from __future__ import annotations

import json
import os

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from leaseway.cli import pool as cli_pool
from leaseway.cli.doctor import clocks
from leaseway.cli.main import leaseway
from leaseway.cli.setting import Places
from leaseway.runtime import Clock
from tests.cli.samples import worker


@pytest.fixture(autouse=True)
def here(fake, monkeypatch, tmp_path):
    """A pool whose clock goes as ours does; a home without anything."""
    about = fake.about

    def now():
        return replace(about(), now=Clock().wall_ms())

    monkeypatch.setattr(fake, "about", now)
    monkeypatch.setattr(clocks, "GAP_S", 0.0)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    (tmp_path / "home").mkdir()


def test_all_well(run, fake, tmp_path):
    fake.workers_there = (worker("box"), worker("mini"))
    done = run("doctor")
    assert done.exit_code == 0, done.stdout
    for name in ("python", "cgroups", "landlock", "confinement", "clock offset", "clock rate"):
        assert f" {name} " in done.stdout
    assert "ana, role owner" in done.stdout
    assert "2 of 2 take work: box, mini" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    assert os.listdir(tmp_path / "home") == [], "a look changes nothing"


def test_what_is_bad_is_exit_1_and_json_says_the_same(run, tmp_path):
    state = tmp_path / "home" / "leaseway"
    state.mkdir()
    (state / "owner.credential").write_text("{}")
    (state / "owner.credential").chmod(0o644)
    done = run("doctor", "--json")
    assert done.exit_code == 1
    told = {each["name"]: each for each in json.loads(done.stdout)}
    assert told["secrets"]["verdict"] == "bad"
    assert told["secrets"]["mend"] == f"chmod 600 '{state}/owner.credential'"


def test_no_coordinator_is_a_line_with_what_mends_it(monkeypatch):
    monkeypatch.undo()
    done = CliRunner().invoke(leaseway, ["--url", "http://127.0.0.1:1", "doctor"])
    assert done.exit_code == 1
    assert "bad   coordinator" in done.stdout
    assert "nothing ran" not in done.stdout


def test_a_box_is_looked_at_as_its_worker(fake, monkeypatch, tmp_path):
    """Without a coordinator of its own, and with what an invitation was redeemed for."""
    asked: list[Places] = []

    def client_of(places: Places):
        asked.append(places)
        return fake

    monkeypatch.setattr(cli_pool, "client_of", client_of)
    joined = tmp_path / "home" / "leaseway" / "workers" / "box" / "joined.credential"
    joined.parent.mkdir(parents=True)
    joined.write_text("{}")
    joined.chmod(0o600)
    done = CliRunner().invoke(leaseway, ["doctor"])
    assert done.exit_code == 0, done.stdout
    assert [(each.credential, each.folder) for each in asked] == [(str(joined), None)]
    (tmp_path / "home" / "leaseway" / "url").write_text("http://127.0.0.1:9\n")
    CliRunner().invoke(leaseway, ["doctor"])
    assert asked[-1].credential is None, "the coordinator of this machine comes first"
