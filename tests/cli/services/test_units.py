"""Goal: what systemd reads is what was asked for, whatever stands in a path. Method: texts by hand,
words read back by another reader, and systemd's own check."""

from __future__ import annotations

import os
import plistlib
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaseway.cli.services.naming import coordinator, worker
from leaseway.cli.services.plist import plist_text
from leaseway.cli.services.unit import Service, exec_line, quoted, unit_text
from tests.cli.services.reading import command_of, environment_of, words_of

COORDINATOR = Service(
    name="leaseway-coordinator",
    about="Leaseway coordinator, state in /srv/100% büro",
    words=("/opt/leaseway", "up", "--state", "/srv/100% büro", "--port", "7070"),
    environment={"LEASEWAY_STATE": "/srv/$HOME x"},
)
WORKER = Service(
    name="leaseway-worker-anna",
    about="Leaseway worker anna",
    words=("/opt/leaseway", "worker", "join", "--state", "/var/lib/w", "--for", "8h"),
    environment={"PATH": "/usr/bin:/bin"},
    stop_s=26,
    no_return=(2, 3, 4),
    holds_tasks=True,
)

SYSTEM_UNIT = """\
# Written by leaseway --service; the same command with other options replaces it.
[Unit]
Description=Leaseway coordinator, state in /srv/100%% büro
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=/opt/leaseway up --state "/srv/100%% büro" --port 7070
Environment="LEASEWAY_STATE=/srv/$HOME x"
UMask=0077
KillMode=process
TimeoutStopSec=20
Restart=on-failure
RestartSec=2
RestartSteps=6
RestartMaxDelaySec=60
StandardOutput=journal
StandardError=journal

[Install]
WantedBy=multi-user.target
"""

USER_UNIT = """\
# Written by leaseway --service; the same command with other options replaces it.
[Unit]
Description=Leaseway worker anna
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart=/opt/leaseway worker join --state /var/lib/w --for 8h
Environment=PATH=/usr/bin:/bin
UMask=0077
KillMode=process
TimeoutStopSec=26
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2 3 4
Delegate=yes
OOMPolicy=continue
TasksMax=infinity
StandardOutput=journal
StandardError=journal

[Install]
WantedBy=default.target
"""


def test_a_unit_of_the_machine():
    assert unit_text(COORDINATOR, system=True, version=254) == SYSTEM_UNIT


def test_a_unit_of_a_user_for_an_older_systemd():
    assert unit_text(WORKER, system=False, version=252) == USER_UNIT


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("plain-1.2/x_y:z=", "plain-1.2/x_y:z="),
        ("", '""'),
        ("two words", '"two words"'),
        ('say "hi"', '"say \\"hi\\""'),
        ("it's", '"it\'s"'),
        ("back\\slash", '"back\\\\slash"'),
        (";", '";"'),
        ("line\nbreak", '"line\\nbreak"'),
        ("ünï/日本", "ünï/日本"),
        ("\udcff", '"\\xff"'),
    ],
)
def test_words_are_quoted(word, written):
    assert quoted(word) == written


def test_percent_and_dollar_are_taken_as_they_are():
    assert exec_line(["/o%t/$x", "50%", "$HOME", "a$$b"]) == "/o%%t/$x 50%% $$HOME a$$$$b"


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9)))
def test_what_is_read_back_is_what_was_written(arguments):
    words = ["/opt/p", *arguments]
    assert words_of(exec_line(words), is_command=True) == words


# What a path can hold: text, and bytes that are none, which Python keeps as U+DC80 to U+DCFF.
IN_PATHS = st.characters(codec="utf-8", exclude_characters="\0") | st.characters(
    min_codepoint=0xDC80, max_codepoint=0xDCFF
)


@given(st.text(IN_PATHS, max_size=20))
def test_a_unit_stays_a_unit_whatever_a_path_is_called(path):
    service = Service("leaseway-x", f"state in {path}", ("/p", path), {"A": path})
    lines = unit_text(service, system=True).split("\n")
    assert [line for line in lines if line.startswith("[")] == ["[Unit]", "[Service]", "[Install]"]
    assert sum(line.startswith("ExecStart=") for line in lines) == 1


def test_values_of_the_environment_are_read_back():
    text = unit_text(COORDINATOR, system=True)
    assert environment_of(text) == COORDINATOR.environment
    assert command_of(text) == list(COORDINATOR.words)


def test_leaving_has_the_time_that_it_takes(tmp_path):
    """20 s, and what stopping the tasks may take where leaving stops them: 5 s + 1 s, or 1.5 s."""
    assert coordinator(tmp_path, ["x"], {}).stop_s == 20
    assert worker("w", ["x"], {}, 0).stop_s == 20
    assert worker("w", ["x"], {}, 6_000).stop_s == 26
    assert worker("w", ["x"], {}, 1_500).stop_s == 22


def test_two_coordinators_are_two_services(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert coordinator(tmp_path / "leaseway", [], {}).name == "leaseway-coordinator"
    others = {coordinator(tmp_path / each, [], {}).name for each in "ab"}
    assert len(others) == 2
    assert all(each.startswith("leaseway-coordinator-") for each in others)


def test_a_property_list():
    read = plistlib.loads(plist_text(COORDINATOR, "/Library/Logs/x.log").encode())
    assert read["Label"] == "dev.leaseway.leaseway-coordinator"
    assert read["ProgramArguments"] == list(COORDINATOR.words)
    assert read["EnvironmentVariables"] == COORDINATOR.environment
    assert (read["RunAtLoad"], read["KeepAlive"]) == (True, {"SuccessfulExit": False})


@pytest.mark.parametrize("system", [True, False], ids=["system", "user"])
@pytest.mark.parametrize("service", [COORDINATOR, WORKER], ids=["coordinator", "worker"])
def test_systemd_finds_nothing_wrong(service, system, tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing: apt-get install systemd")
    real = Service(**{**vars(service), "words": ("/bin/true", *service.words[1:])})
    path = tmp_path / f"{service.name}.service"
    path.write_text(unit_text(real, system=system, version=_version()), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(() if system else ("--user",)), str(path)],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "SYSTEMD_LOG_TARGET": "console"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in (done.stdout + done.stderr).splitlines() if path.name in line]
    assert (done.returncode, said) == (0, [])


def _version():
    said = subprocess.run(
        ["systemd-analyze", "--version"], capture_output=True, text=True, check=True
    )
    return int(said.stdout.split()[1])
