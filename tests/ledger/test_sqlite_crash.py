"""Goal: what was acknowledged is there after any death of the process, and no half batch is.
Method: real child processes, killed or kept from growing their files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from leaseway.ledger.rows import TaskQuery
from leaseway.ledger.sqlite import SqliteLedger
from tests.checkout import ROOT
from tests.ledger.appender import EVENTS
from tests.ledger.batches import anchor


def killed_after(folder: Path, acknowledgements: int) -> int:
    """The last head that the child acknowledged, read to the end of what it had said."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.ledger.appender", str(folder)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    with child:
        heads = [child.stdout.readline() for _ in range(acknowledgements)]
        child.kill()
        heads += child.stdout.readlines()
    return int([line for line in heads if line.endswith("\n")][-1])


@pytest.mark.parametrize("acknowledgements", [1, 2, 5, 40, 350])
def test_sigkill_loses_nothing_acknowledged_and_leaves_no_half_batch(tmp_path, acknowledgements):
    for _ in range(2):
        acknowledged = killed_after(tmp_path, acknowledgements)
        ledger = SqliteLedger.open(tmp_path)
        head = ledger.head()
        batches = head // EVENTS
        assert acknowledged <= head <= acknowledged + EVENTS
        assert head == batches * EVENTS
        stored = ledger.read(0, head + 1)
        assert [one.at for one in stored] == [n // EVENTS + 1 for n in range(head)]
        last = ledger.task("last")
        assert last is not None
        assert int(last.doc) == batches
        rows = ledger.tasks(TaskQuery(limit=head))
        assert [row.id for row in rows[:-1]] == [f"t{n}" for n in range(batches, 1, -1)] + ["t1"]
        assert ledger.anchor() == anchor(batches)
        ledger.close()


def test_a_file_that_may_not_grow_refuses_and_then_goes_on(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.ledger.disk_filler", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    said = json.loads(done.stdout)
    assert said["same"], "a refused batch left something behind"
    assert len(said["refused"]) == 3
    assert all("appending failed" in text for text in said["refused"])
    assert said["after"] == said["before"] + 1

    ledger = SqliteLedger.open(tmp_path)
    assert ledger.head() == said["after"] * 5
    assert [one.at for one in ledger.read(0, 10_000)][::5] == list(range(1, said["after"] + 1))
    last = ledger.task("last")
    assert last is not None
    assert int(last.doc) == said["after"]
    ledger.close()
