"""Goal: processes are found and never mistaken. Method: children of this test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from leaseway.worker.processes import (
    MARK,
    Tree,
    carries,
    descendants,
    is_alive,
    mark_in,
    marked,
    signal_if,
    start_of,
)
from tests.worker.waiting import until

MARK_HERE = f"spool-of-test-{os.getpid()}:t#1"


@pytest.fixture
def made() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(["sleep", "300"], env={**os.environ, MARK: MARK_HERE})
    yield process
    process.kill()
    process.wait()


def test_marks_are_matched_whole(made):
    until(lambda: mark_in(made.pid), "the mark")
    assert carries(made.pid, MARK_HERE)
    assert not carries(made.pid, MARK_HERE[:-1])
    assert not carries(made.pid, MARK_HERE + "1")
    assert marked(MARK_HERE) == [made.pid]
    made.kill()
    until(lambda: not is_alive(made.pid), "its end")
    assert start_of(made.pid) is not None, "a zombie is there, and is not alive"
    made.wait()
    assert start_of(made.pid) is None


def test_a_name_with_brackets_does_not_confuse(tmp_path):
    odd = tmp_path / "a) b (c"
    odd.symlink_to(sys.executable)
    made = subprocess.Popen([odd, "-S", "-c", "input()"], stdin=subprocess.PIPE)
    assert start_of(made.pid) is not None
    assert made.pid in descendants(os.getpid())
    made.communicate()
    assert made.pid not in descendants(os.getpid())


def test_who_does_not_belong_is_not_signalled(made):
    """faults.md 27"""
    assert not signal_if(made.pid, signal.SIGKILL, lambda pid: False)
    assert is_alive(made.pid)
    Tree(root=1 << 22, mark="nobody").signal(signal.SIGKILL, [made.pid])
    assert is_alive(made.pid)
    Tree(root=os.getpid(), mark="nobody").signal(signal.SIGKILL, [made.pid])
    assert made.wait(timeout=10) == -signal.SIGKILL
    assert not signal_if(made.pid, signal.SIGKILL, lambda pid: True)
