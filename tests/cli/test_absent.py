"""Goal: an absent coordinator is told at once, with the address. Method: nobody listens there."""

from __future__ import annotations

import json
import socket
import subprocess
import sys

import pytest

from leaseway.cli.pool import CONNECT_S, client_of
from leaseway.cli.setting import Places
from leaseway.runtime import Clock


@pytest.fixture
def nobody():
    """An address of this machine where nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}"


def call(*words):
    argv = [sys.executable, "-m", "leaseway", *words]
    return subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)


def test_told_within_two_seconds_with_the_address(nobody):
    clock = Clock()
    took = []
    for _ in range(5):  # other work on this machine is not what is measured
        began = clock.boot_ms()
        done = call("--url", nobody, "plans")
        took.append(clock.boot_ms() - began)
        if took[-1] < 2_000:
            break
    assert min(took) < 2_000
    assert done.returncode == 5
    assert done.stdout == ""
    assert f"No coordinator answered at {nobody}" in done.stderr
    assert "leaseway up" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_connection_that_hangs_is_given_up_in_time(tmp_path):
    with client_of(Places("http://127.0.0.1:1", None, None, tmp_path)) as client:
        assert client.options.connect_s == CONNECT_S < 1.5


def test_json_is_one_document(nobody):
    done = call("plans", "--json", "--url", nobody)
    assert done.returncode == 5
    told = json.loads(done.stdout)["error"]
    assert nobody in told["sentence"]
    assert told["exit_code"] == 5


def test_a_command_keeps_its_own_codes_apart(nobody):
    assert call("run", "--url", nobody, "--", "true").returncode == 127


def test_a_state_without_a_coordinator(tmp_path):
    done = call("--state", str(tmp_path), "workers")
    assert done.returncode == 5
    assert f"none has been started in {tmp_path}" in done.stderr.replace("\n", " ")
