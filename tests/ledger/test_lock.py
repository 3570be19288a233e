"""Goal: a folder has one coordinator. Method: a second one, in this process and in another."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from leaseway.ledger.errors import LedgerInUse, LedgerUnavailable
from leaseway.ledger.lock import LOCK_NAME, folder_held
from leaseway.ledger.sqlite import SqliteLedger

OPEN_ELSEWHERE = """
import sys
from pathlib import Path
from leaseway.ledger.errors import LedgerInUse
from leaseway.ledger.sqlite import SqliteLedger
try:
    SqliteLedger.open(Path(sys.argv[1])).close()
except LedgerInUse as refused:
    print(refused)
"""


def open_elsewhere(folder) -> str:
    done = subprocess.run(
        [sys.executable, "-c", OPEN_ELSEWHERE, str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_second_process_is_refused_by_name_and_folder(tmp_path):
    ledger = SqliteLedger.open(tmp_path)
    said = open_elsewhere(tmp_path)
    assert str(tmp_path) in said
    assert f"process {os.getpid()};" in said
    ledger.close()
    assert open_elsewhere(tmp_path) == ""


def test_a_second_one_in_the_same_process_is_refused_too(tmp_path):
    ledger = SqliteLedger.open(tmp_path)
    with pytest.raises(LedgerInUse, match="in use by process"):
        SqliteLedger.open(tmp_path)
    ledger.close()
    SqliteLedger.open(tmp_path).close()


def test_a_lock_file_left_behind_locks_nothing(tmp_path):
    (tmp_path / LOCK_NAME).write_text("4711")
    with folder_held(tmp_path):
        assert (tmp_path / LOCK_NAME).read_text() == str(os.getpid())


def test_a_folder_is_made_for_its_owner_alone(tmp_path):
    folder = tmp_path / "new" / "state"
    with folder_held(folder):
        assert folder.stat().st_mode & 0o777 == 0o700
        assert (folder / LOCK_NAME).stat().st_mode & 0o777 == 0o600


def test_a_folder_that_cannot_be_is_an_error(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(LedgerUnavailable, match="cannot be opened"),
        folder_held(tmp_path / "file" / "state"),
    ):
        pass


def test_a_ledger_that_does_not_open_lets_the_folder_go(tmp_path):
    (tmp_path / "ledger.db").mkdir()
    with pytest.raises(LedgerUnavailable):
        SqliteLedger.open(tmp_path)
    with folder_held(tmp_path):
        pass
