"""SQLite files for tests: handles without the folder lock, so that two may meet in one test."""

from __future__ import annotations

from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from leaseway.ledger.sqlite import FILE_NAME, SqliteLedger
from tests.ledger.faulty_disk import FaultyDisk


class SqliteStore:
    """One file and every handle that was opened on it."""

    def __init__(self, folder: Path, disk: FaultyDisk) -> None:
        self.path = folder / FILE_NAME
        self.disk = disk
        self.handles: list[SqliteLedger] = []

    def open(self) -> SqliteLedger:
        handle = SqliteLedger(self.path, ExitStack())
        self.handles.append(handle)
        return handle

    def broken(self) -> AbstractContextManager[None]:
        return self.disk.broken()

    def close(self) -> None:
        for handle in self.handles:
            handle.close()
