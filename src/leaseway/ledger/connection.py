"""Connections to a ledger file: how they are opened, and what their errors mean to us."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from leaseway.ledger.errors import LedgerUnavailable, LedgerUnreadable

BUSY_MS = 1_000
WAL_KEPT_BYTES = 64 * 1024 * 1024

_NOT_NOW = (
    apsw.BusyError,
    apsw.CantOpenError,
    apsw.ConnectionClosedError,
    apsw.FullError,
    apsw.IOError,
    apsw.LockedError,
    apsw.NoMemError,
    apsw.PermissionsError,
    apsw.ReadOnlyError,
)
_DAMAGED = (apsw.CorruptError, apsw.FormatError, apsw.NotADBError)


def open_writer(path: Path) -> apsw.Connection:
    """The one connection that writes. The file is readable by its owner alone."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as wrong:
        raise LedgerUnavailable(f"{path} cannot be opened: {wrong.strerror}") from wrong
    return apsw.Connection(os.fspath(path), flags=apsw.SQLITE_OPEN_READWRITE)


def make_durable(writer: apsw.Connection) -> None:
    """Write-ahead log, and a commit returns only after its sync. LedgerUnavailable where the file
    system has no shared memory for it."""
    mode = writer.pragma("journal_mode", "wal")
    if mode != "wal":
        raise LedgerUnavailable(f"the file system cannot keep a write-ahead log (got {mode!r})")
    writer.pragma("synchronous", "full")
    writer.pragma("fullfsync", True)  # macOS: fsync alone stops at the drive's cache
    writer.pragma("checkpoint_fullfsync", True)
    writer.pragma("journal_size_limit", WAL_KEPT_BYTES)


def open_reader(path: Path) -> apsw.Connection:
    """A connection for reading while the writer writes."""
    reader = apsw.Connection(os.fspath(path), flags=apsw.SQLITE_OPEN_READWRITE)
    reader.set_busy_timeout(BUSY_MS)
    reader.pragma("query_only", True)
    return reader


@contextmanager
def transaction(writer: apsw.Connection) -> Iterator[None]:
    """All of it or nothing of it."""
    writer.execute("BEGIN IMMEDIATE")
    try:
        yield
        writer.execute("COMMIT")
    except BaseException:
        if writer.in_transaction:  # a full disk or an I/O error may have ended it already
            writer.execute("ROLLBACK")
        raise


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Errors of the store in the words of the port; everything else is a fault of ours."""
    try:
        yield
    except _NOT_NOW as wrong:
        raise LedgerUnavailable(f"{doing} failed: {wrong}") from wrong
    except _DAMAGED as wrong:
        raise LedgerUnreadable(
            f"{doing} failed, the file is damaged or no ledger: {wrong}"
        ) from wrong
