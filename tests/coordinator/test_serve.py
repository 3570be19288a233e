"""Goal: a coordinator comes up, says where, and goes down calmly. Method: the composition root in a
process of its own where signals count, in this one where they do not."""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from leaseway.client import calls
from leaseway.client.blocking import Client
from leaseway.client.errors import Unreachable
from leaseway.coordinator.errors import NotStarted
from leaseway.coordinator.serve import (
    BROKEN,
    STOPPED,
    UNUSABLE,
    CoordinatorOptions,
    run_coordinator,
)
from leaseway.ledger.sqlite import SqliteLedger
from leaseway.wire.plans import SubmitRequest
from tests.coordinator.pool import plan, registering, spec, syncing

PROGRAM = """
import pathlib, sys
from leaseway.coordinator.serve import CoordinatorOptions, run_coordinator
sys.exit(run_coordinator(CoordinatorOptions(pathlib.Path(sys.argv[1])),
                         lambda line: print(line, flush=True)))
"""


@contextmanager
def coordinator(state: Path):
    """A running coordinator and how it greeted."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(state)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process, [process.stdout.readline() for _ in range(4)]
    finally:
        process.kill()
        process.communicate()


def stop(process) -> str:
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=20)
    assert process.returncode == STOPPED
    return said


def test_up_and_down_and_up_again(tmp_path):
    with coordinator(tmp_path) as (process, greeting):
        assert "answers at http://127.0.0.1:" in greeting[0]
        assert stat.S_IMODE((tmp_path / "url").stat().st_mode) == 0o600
        with Client.find(state=tmp_path) as client:
            ledger_id = client.about().ledger_id
        assert stop(process) == "The coordinator stopped.\n"
    with (
        pytest.raises(Unreachable, match=r"http://127\.0\.0\.1:"),
        Client.find(state=tmp_path) as client,
    ):
        client.about()
    with coordinator(tmp_path), Client.find(state=tmp_path) as client:
        about = client.about()
        assert (about.ledger_id, about.term) == (ledger_id, 2)


def test_stopping_lets_parked_calls_go(tmp_path):
    with coordinator(tmp_path) as (process, _):
        worker = Client.find(credential=str(tmp_path / "worker.credential"))
        worker.send(calls.register(registering()))
        worker.send(calls.sync(syncing(seq=1)))
        said = []
        held = calls.sync(syncing(seq=2, hold_ms=7_000))
        parked = threading.Thread(target=lambda: said.append(worker.send(held)))
        parked.start()
        with Client.find(state=tmp_path) as client:
            while client.worker("box").heard_ago_ms is None or not parked.is_alive():
                pass
        assert "stopped" in stop(process)
        parked.join(10)
        assert [reply.for_seq for reply in said] == [2]
        worker.close()


def test_killed_in_the_middle_nothing_accepted_is_lost(tmp_path):
    with coordinator(tmp_path) as (process, _), Client.find(state=tmp_path) as client:
        worker = Client.find(credential=str(tmp_path / "worker.credential"))
        worker.send(calls.register(registering()))
        worker.send(calls.sync(syncing(seq=1)))
        said = client.submit(SubmitRequest(plan(spec("a", 60_000)), key="once"))
        process.kill()
        process.wait()
        worker.close()
    with coordinator(tmp_path), Client.find(state=tmp_path) as client:
        again = client.submit(SubmitRequest(plan(spec("a", 60_000)), key="once"))
        assert again.repeated
        assert again.tasks[0].promise == said.tasks[0].promise


def test_many_who_connect_and_ask_nothing_are_shed(tmp_path):
    """More connections than it may have descriptors; afterwards it answers as before."""
    with coordinator(tmp_path) as (process, greeting):
        most = len(os.listdir(f"/proc/{process.pid}/fd")) + 10
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (most, most))
        host, port = greeting[0].split("http://")[1].strip().split(":")
        idle = [socket.create_connection((host, int(port)), timeout=10) for _ in range(40)]
        assert idle[-1].recv(1) == b""
        for each in idle:
            each.close()
        with Client.find(state=tmp_path) as client:
            assert client.about().head > 0
        assert stop(process).strip() == "The coordinator stopped."


def test_a_second_one_on_the_same_state_is_refused_plainly(tmp_path):
    ledger = SqliteLedger.open(tmp_path)
    said: list[str] = []
    assert run_coordinator(CoordinatorOptions(tmp_path), said.append) == UNUSABLE
    assert said == [
        f"The coordinator did not start: the ledger in {tmp_path} is in use by process"
        f" {os.getpid()}; stop that coordinator first, or give this one another folder."
    ]
    ledger.close()


@pytest.mark.parametrize("host", ["example.org", "not an address", ""])
def test_an_address_that_is_none(tmp_path, host):
    said: list[str] = []
    options = CoordinatorOptions(tmp_path / "state", host=host)
    assert run_coordinator(options, said.append) == UNUSABLE
    assert said[0].startswith("The coordinator did not start: ")


def test_a_port_that_is_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said: list[str] = []
        options = CoordinatorOptions(tmp_path, port=taken.getsockname()[1])
        assert run_coordinator(options, said.append) == UNUSABLE
        assert "Address already in use" in said[0]


def test_a_port_that_there_is_not(tmp_path):
    said: list[str] = []
    assert run_coordinator(CoordinatorOptions(tmp_path, port=70_000), said.append) == UNUSABLE


def test_a_state_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    said: list[str] = []
    assert run_coordinator(CoordinatorOptions(tmp_path / "file" / "x"), said.append) == UNUSABLE
    assert said == [f"The coordinator did not start: {tmp_path}/file/x: Not a directory."]


def test_a_state_folder_that_takes_no_credentials(tmp_path):
    in_the_way = tmp_path / "agent.credential.new"
    in_the_way.mkdir()
    said: list[str] = []
    assert run_coordinator(CoordinatorOptions(tmp_path), said.append) == UNUSABLE
    assert said == [f"The coordinator did not start: {in_the_way}: Is a directory."]


def test_a_damaged_ledger_is_not_opened(tmp_path):
    (tmp_path / "ledger.db").write_bytes(
        b"no ledger at all, but long enough to be read as one" * 99
    )
    said: list[str] = []
    assert run_coordinator(CoordinatorOptions(tmp_path), said.append) == UNUSABLE
    assert "no ledger" in said[0]
    assert BROKEN != UNUSABLE
    assert issubclass(NotStarted, Exception)
