"""One process per ledger folder: a second one is refused before it reads anything.

The lock is the kernel's (`flock`): it ends with the process however that ends, so a lock file
that was left behind locks nothing.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from leaseway.ledger.errors import LedgerInUse, LedgerUnavailable

LOCK_NAME = "ledger.lock"


@contextmanager
def folder_held(folder: Path) -> Iterator[None]:
    """Hold the folder, making it if need be. LedgerInUse names the process that holds it."""
    path = folder / LOCK_NAME
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as wrong:
        raise LedgerUnavailable(f"{path} cannot be opened: {wrong.strerror}") from wrong
    try:
        _take(lock, folder)
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(lock)


def _take(lock: int, folder: Path) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(lock, 20, 0).decode("ascii", "replace") or "unknown"
        raise LedgerInUse(
            f"the ledger in {folder} is in use by process {holder}; stop that coordinator first,"
            " or give this one another folder"
        ) from None
    except OSError as wrong:
        raise LedgerUnavailable(f"{folder} cannot be locked: {wrong.strerror}") from wrong
