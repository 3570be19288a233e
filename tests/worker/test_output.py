"""Goal: whatever a task prints, it ends, and head and tail are kept. Method: real commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaseway.core.model.outcomes import EndKind
from leaseway.worker.capture import marker
from tests.worker.rig import Rig
from tests.worker.waiting import until

CAP = 1_000_000


@pytest.fixture
def capped(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path / "spool", tmp_path / "clock.json", cap_bytes=CAP)
    made.spawner()
    made.connect()
    yield made
    made.close()


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code)


def test_five_megabytes_and_exit(live: Rig):
    """faults.md 17"""
    code = "import os\nfor i in range(5000): os.write(1, b'%04d' % i + b'x' * 995 + b'\\n')"
    grant = live.give("t", python(code))
    ending = live.ended(grant).ending
    assert (ending.exit_code, ending.stdout_bytes) == (0, 5_000_000)
    printed = live.output(grant)
    assert printed == b"".join(b"%04d" % i + b"x" * 995 + b"\n" for i in range(5000))


def test_two_hundred_megabytes_against_the_cap(capped: Rig):
    """faults.md 17: head and tail, a line between, and no memory taken."""
    code = "import os\nfor i in range(3200): os.write(1, b'%07d\\n' % i * 7813)"
    other = capped.give("other", "sleep 0.2; echo unharmed")
    grant = capped.give("t", python(code))
    ending = capped.ended(grant, within_s=60).ending
    produced = 3200 * 8 * 7813
    assert (ending.exit_code, ending.stdout_bytes) == (0, produced)
    kept = capped.output(grant)
    line = marker(produced - CAP)
    assert len(kept) == CAP + len(line)
    head = b"".join(b"%07d\n" % i * 7813 for i in range(9))
    assert kept[: CAP // 2] == head[: CAP // 2]
    assert kept[CAP // 2 : CAP // 2 + len(line)] == line
    assert kept.endswith(b"0003199\n" * 7813)
    keeper = capped.noted_start(grant).keeper_pid
    peak = next(
        int(row.split()[1])
        for row in Path(f"/proc/{keeper}/status").read_text().splitlines()
        if row.startswith("VmHWM")
    )
    assert peak < 60_000, "kilobytes"
    assert capped.ended(other).ending.exit_code == 0
    assert capped.output(other) == b"unharmed\n"
    assert not (capped.spool.folder_of(grant.ref) / "stdout.ring").exists()


@pytest.mark.parametrize(
    "data",
    [b"\0\0\0", b"\xff\xfe\xed\xa0\x80", b"no newline", b"\n" * 100, bytes(range(256))],
    ids=["nul", "invalid", "unended", "empty-lines", "all"],
)
def test_any_bytes(live: Rig, data):
    """faults.md 16"""
    grant = live.give("t", python(f"import os; os.write(1, {data!r}); os.write(2, {data!r})"))
    ending = live.ended(grant).ending
    assert (ending.kind, ending.exit_code) == (EndKind.EXITED, 0)
    assert live.output(grant) == live.output(grant, "stderr") == data


def test_one_long_line(live: Rig):
    """faults.md 16"""
    grant = live.give("t", python("import os; os.write(1, b'x' * 3_000_000)"))
    assert live.ended(grant).ending.exit_code == 0
    assert live.output(grant) == b"x" * 3_000_000


def test_output_can_be_read_while_it_runs(live: Rig):
    grant = live.give("t", "echo one; sleep 300")
    until(lambda: live.output(grant) == b"one\n", "the first line")
    assert live.spool.fold().entry(grant.ref).ended is None


def test_no_output_no_file(live: Rig):
    grant = live.give("t", "exit 0")
    live.ended(grant)
    assert list(live.spool.attempts.iterdir()) == []


def test_stdout_held_by_somebody_who_stays(live: Rig):
    """faults.md 12: a child that keeps the pipe does not keep the ending."""
    grant = live.give("t", "echo before; (trap '' TERM; sleep 300) & exit 0")
    ending = live.ended(grant, within_s=6).ending
    assert ending.exit_code == 0
    assert len(ending.left_pids) >= 1
    assert live.processes(grant) == []
    assert live.output(grant) == b"before\n"
