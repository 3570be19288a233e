"""Goal: a service is started with what was typed: nothing lost, nothing secret, nothing that was
meant once. Method: --service on commands, and the unit that it wrote, read back."""

from __future__ import annotations

import json

import pytest

from leaseway.cli.services.machine import Supervisor
from tests.cli.services.reading import command_of, environment_of, only_unit


@pytest.fixture
def units(tmp_path, monkeypatch):
    """Where units go; no systemd answers."""
    folder = tmp_path / "units"

    def here(scope, environment, run):
        return Supervisor("systemd", scope == "system", folder, runs=False)

    monkeypatch.setattr("leaseway.cli.services.asking.supervisor", here)
    monkeypatch.setenv("PATH", "/usr/bin:/a b")
    monkeypatch.chdir(tmp_path)
    return folder


def after(words, start):
    return words[words.index(start) :]


def test_a_coordinator(run, units, tmp_path):
    done = run("up", "--service", "--state", "st%te 1", "--port", "7070", "--patience", "20s")
    assert done.exit_code == 1, "nothing was started"
    assert after(command_of(only_unit(units)), "up") == [
        *("up", "--state", f"{tmp_path}/st%te 1"),
        *("--port", "7070", "--patience", "20s"),
    ]
    assert "Start it with:" in done.stdout
    assert not (tmp_path / "st%te 1").exists(), "the service makes it"


def test_options_before_the_command_and_the_environment(run, units, tmp_path, monkeypatch):
    monkeypatch.setenv("LEASEWAY_STATE", "there")
    monkeypatch.setenv("LEASEWAY_CLOCK", "/tmp/of-a-test")
    run("up", "--service", "--system")
    text = only_unit(units)
    assert after(command_of(text), "up") == ["up", "--state", f"{tmp_path}/there"]
    assert environment_of(text)["LEASEWAY_STATE"] == f"{tmp_path}/there"
    assert "LEASEWAY_CLOCK" not in text
    assert "WantedBy=multi-user.target" in text


def test_a_worker(run, units, tmp_path):
    lease = tmp_path / "l.toml"
    lease.write_text('[worker.anna]\nmax_run_time = "8m"\n')
    secret = tmp_path / "w.credential"
    secret.write_text(json.dumps({"name": "w", "role": "worker", "secret": "s3cret"}))
    run(
        *("worker", "join", "http://box:1", "--service", "--lease", "l.toml", "--for", "8h"),
        *("--label", "gpu", "--label", "fast", "--credential", "w.credential", "--stop-running"),
        *("--state", "own"),
    )
    text = only_unit(units)
    assert after(command_of(text), "worker") == [
        *("worker", "join", "--credential", f"{tmp_path}/w.credential"),
        *("--state", f"{tmp_path}/own", "--name", "anna", "--lease", f"{tmp_path}/l.toml"),
        *("--for", "8h", "--label", "gpu", "--label", "fast", "--stop-running", "http://box:1"),
    ]
    assert environment_of(text)["PATH"] == "/usr/bin:/a b"
    assert "s3cret" not in text
    assert "TimeoutStopSec=26" in text, "20 s, and grace 5 s + kill 1 s"


@pytest.mark.parametrize("how", ["option", "environment"])
def test_a_secret_goes_into_a_file_of_its_own(run, units, tmp_path, monkeypatch, how):
    words = ["worker", "join", "http://box:1", "--service", "--name", "w", "--state", "own"]
    if how == "option":
        words += ["--credential", "s3cret"]
    else:
        monkeypatch.setenv("LEASEWAY_CREDENTIAL", "s3cret")
    done = run(*words)
    kept = tmp_path / "own" / "service.credential"
    text = only_unit(units)
    assert "s3cret" not in text + done.stdout
    assert ["--credential", str(kept)] == after(command_of(text), "--credential")[:2]
    assert json.loads(kept.read_text())["secret"] == "s3cret"
    assert kept.stat().st_mode & 0o777 == 0o600


def test_what_could_never_run_is_refused_before_anything_is_written(run, units):
    done = run("worker", "join", "http://box:1", "--service", "--cpus", "0", "--credential", "s")
    assert done.exit_code == 3
    assert not units.exists()


def test_json(run, units):
    done = run("up", "--service", "--state", "x", "--json")
    told = json.loads(done.stdout)
    assert (told["changed"], told["started"]) == (True, False)


def test_nothing_is_made_up(run, units, tmp_path):
    run("worker", "join", "--service", "--name", "w", "--state", "own", "--credential", "s3cret")
    assert after(command_of(only_unit(units)), "worker")[-2:] == ["--name", "w"]
