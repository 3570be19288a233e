"""A disk that fails when told to: SQLite's own file layer with faults between it and the system.

By default only the write-ahead log fails, for that is where a commit happens; a checkpoint that
fails is repeated by SQLite and no answer depends on it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import apsw

NAME = "faulty"
BELOW = "unix"


class FaultyDisk(apsw.VFS):
    """Registered as the default; `fail_at` counts writes and syncs from 1."""

    def __init__(self) -> None:
        super().__init__(NAME, BELOW, makedefault=True)
        self.operations = 0
        self.log_syncs = 0
        self.only_log = True
        self.only_syncs = False
        self.fail_at: int | None = None
        self.fail_once = True
        self.synced: dict[str, bytes] = {}
        self.failed = 0

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> FaultyFile:  # noqa: N802
        return FaultyFile(self, name, flags)

    def arm(self, at: int, *, once: bool) -> None:
        """Fail at the `at`-th operation from now on, or at every one from there."""
        self.operations, self.fail_at, self.fail_once, self.failed = 0, at, once, 0

    def heal(self) -> None:
        self.fail_at = None

    def fails(self, *, log: bool, sync: bool) -> bool:
        """Count an operation, if its kind is one that may fail, and say whether it does."""
        if (self.only_log and not log) or (self.only_syncs and not sync):
            return False
        self.operations += 1
        if self.fail_at is None or self.operations < self.fail_at:
            return False
        if self.fail_once:
            self.fail_at = None
        self.failed += 1
        return True

    @contextmanager
    def broken(self) -> Iterator[None]:
        self.arm(1, once=False)
        yield
        self.heal()


class FaultyFile(apsw.VFSFile):
    """A file that writes a half and then says that the disk is full."""

    def __init__(
        self, disk: FaultyDisk, name: str | apsw.URIFilename | None, flags: list[int]
    ) -> None:
        self.disk = disk
        self.path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self.is_log = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        super().__init__(BELOW, name, flags)

    def xWrite(self, data: Any, offset: int) -> None:  # noqa: N802
        if self.disk.fails(log=self.is_log, sync=False):
            with suppress(apsw.Error):
                super().xWrite(bytes(data)[: len(data) // 2], offset)
            raise apsw.FullError("no space left")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        if self.disk.fails(log=self.is_log, sync=True):
            raise apsw.IOError("the disk did not answer")
        self.disk.log_syncs += self.is_log
        super().xSync(flags)
        self.disk.synced[os.path.basename(self.path)] = Path(self.path).read_bytes()


@contextmanager
def faulty_disk() -> Iterator[FaultyDisk]:
    """Every connection opened within goes through the disk; close them before it ends."""
    disk = FaultyDisk()
    try:
        yield disk
    finally:
        disk.unregister()
