"""Goal: installing tells the supervisor the right things in the right order, twice is once, and who
cannot start a service is told how to start it. Method: a supervisor that only notes."""

from __future__ import annotations

import click
import pytest

from leaseway.cli.commands.service import chosen
from leaseway.cli.faults import Fault
from leaseway.cli.services.installing import install, remove, standing
from leaseway.cli.services.machine import Said, Supervisor, run_here
from leaseway.cli.services.unit import Service

USER = ["systemctl", "--user"]
UNIT = "leaseway-worker-w.service"


class Noting:
    """Every command succeeds, except those of `wrong`."""

    def __init__(self, **wrong):
        self.asked = []
        self.wrong = wrong

    def __call__(self, words):
        self.asked.append(list(words))
        for word in words:
            if word.replace("-", "_") in self.wrong:
                return self.wrong[word.replace("-", "_")]
        return Said(0)


def service(*options):
    words = ("/opt/leaseway", "worker", "join", *options)
    return Service("leaseway-worker-w", "Leaseway worker w", words, {"PATH": "/bin"})


def user(folder, *, runs=True):
    return Supervisor("systemd", False, folder / "units", runs, 252)


def test_the_first_time(tmp_path):
    run = Noting()
    done = install(service("--for", "8h"), user(tmp_path), run)
    assert (done.changed, done.started) == (True, True)
    assert run.asked[:3] == [
        [*USER, "daemon-reload"],
        [*USER, "enable", UNIT],
        [*USER, "restart", UNIT],
    ]
    assert run.asked[3][:2] == ["loginctl", "enable-linger"]
    assert done.lines[0] == f"{tmp_path}/units/{UNIT} is written."
    assert (tmp_path / "units" / UNIT).stat().st_mode & 0o777 == 0o644


def test_twice_is_once(tmp_path):
    install(service("--for", "8h"), user(tmp_path), Noting())
    run = Noting()
    done = install(service("--for", "8h"), user(tmp_path), run)
    assert (done.changed, done.started) == (False, True)
    assert run.asked[2] == [*USER, "start", UNIT], "what runs is not disturbed"
    assert done.lines[0] == f"{tmp_path}/units/{UNIT} stays as it is."


def test_other_options_are_shown_and_replace(tmp_path):
    install(service("--for", "8h"), user(tmp_path), Noting())
    run = Noting()
    done = install(service("--for", "9h"), user(tmp_path), run)
    assert done.lines[:3] == (
        f"{tmp_path}/units/{UNIT} is replaced:",
        "  -ExecStart=/opt/leaseway worker join --for 8h",
        "  +ExecStart=/opt/leaseway worker join --for 9h",
    )
    assert run.asked[2] == [*USER, "restart", UNIT]
    assert "--for 9h" in (tmp_path / "units" / UNIT).read_text()


def test_the_machines_own_manager_needs_no_lingering(tmp_path):
    run = Noting()
    install(service(), Supervisor("systemd", True, tmp_path, True, 252), run)
    assert run.asked == [
        ["systemctl", "daemon-reload"],
        ["systemctl", "enable", UNIT],
        ["systemctl", "restart", UNIT],
    ]


def test_where_no_systemd_runs_the_start_line_is_told(tmp_path):
    run = Noting()
    done = install(service("--name", "two words"), user(tmp_path, runs=False), run)
    assert (done.started, run.asked) == (False, [])
    assert done.lines[-2:] == (
        "No systemd answers here, so nothing was started. Start it with:",
        "  PATH=/bin /opt/leaseway worker join --name 'two words'",
    )


def test_what_systemd_refuses_is_told_and_nothing_more_is_tried(tmp_path):
    run = Noting(enable=Said(1, "Access denied"))
    done = install(service(), user(tmp_path), run)
    assert done.started is False
    assert done.lines[-1] == f"systemctl --user enable {UNIT} failed: Access denied"
    assert len(run.asked) == 2


def test_no_lingering_is_told_with_what_mends_it(tmp_path):
    done = install(service(), user(tmp_path), Noting(enable_linger=Said(1, "denied")))
    assert done.started
    assert "sudo loginctl enable-linger" in done.lines[-1]


def test_a_folder_that_takes_nothing(tmp_path):
    (tmp_path / "units").write_text("a file")
    with pytest.raises(Fault, match="Nothing was installed"):
        install(service(), user(tmp_path), Noting())


def test_shown_and_removed(tmp_path):
    install(service("--for", "8h"), user(tmp_path), Noting())
    run = Noting(is_enabled=Said(0, "enabled"), is_active=Said(3, "failed"))
    (found,) = standing(user(tmp_path), run)
    assert (found.name, found.scope) == ("leaseway-worker-w", "user")
    assert (found.enabled, found.active) == ("enabled", "failed")
    assert found.starts == "/opt/leaseway worker join --for 8h"
    run = Noting()
    remove("leaseway-worker-w", user(tmp_path), run)
    assert run.asked == [[*USER, "disable", "--now", UNIT], [*USER, "daemon-reload"]]
    assert standing(user(tmp_path), Noting()) == []


def test_which_one_is_meant():
    assert chosen(None, ["leaseway-coordinator"]) == "leaseway-coordinator"
    assert chosen("b.service", ["a", "b"]) == "b"
    with pytest.raises(click.UsageError, match="Which one"):
        chosen(None, ["a", "b"])
    with pytest.raises(click.UsageError, match="There is no service c"):
        chosen("c", ["a", "b"])


def test_a_program_that_is_not_there():
    assert run_here(["no-such-program-here"]).code == 127
