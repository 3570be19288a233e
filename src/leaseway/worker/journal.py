"""The journal: one file that daemon, spawner and keepers append to, one write for each group.

Every record stands between two newlines, its own at both ends: a record torn by a full disk or a
crash spoils nothing but itself, wherever it stands. Appenders hold the journal's byte shared for
the length of one write, so that whoever compacts can hold it alone and put a new file in place
while others run; an appender notices that its file has lost its name and opens the new one.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from leaseway.core.model.worker import Note
from leaseway.worker.locks import JOURNAL, LockFile

Position = tuple[int, int]
"""Inode of the journal and offset in it: which file, and how far it was read."""

START: Position = (0, 0)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Note).decode
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC


def lines_of(notes: Iterable[Note]) -> bytes:
    """Notes as they stand in the file."""
    return b"".join(b"\n%b\n" % _encode(note) for note in notes)


def notes_of(data: bytes) -> Iterator[Note]:
    """The notes in whole lines; what is torn is passed over."""
    for line in data.split(b"\n"):
        if line:
            try:
                yield _decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError):
                continue


class Journal:
    """The journal, opened for appending and reading. Not to be shared across a fork."""

    def __init__(self, path: Path, locks: LockFile) -> None:
        self.path = path
        self.locks = locks
        self._fd = os.open(path, _FLAGS, 0o600)

    def append(self, *notes: Note) -> None:
        """One write for all of them. OSError: not all of them are there."""
        data = lines_of(notes)
        self.locks.take(JOURNAL, shared=True, wait=True)
        try:
            self.reopen_if_replaced()
            if os.write(self._fd, data) != len(data):
                raise OSError(errno.ENOSPC, "the journal took only part of a note", str(self.path))
        finally:
            self.locks.free(JOURNAL)

    def sync(self) -> None:
        """Everything appended so far, by whomever, is on the disk."""
        os.fdatasync(self._fd)

    def size(self) -> int:
        """Bytes, torn and superseded records included."""
        return os.fstat(self._fd).st_size

    def end(self) -> Position:
        """Where the next note will stand, at the earliest."""
        self.reopen_if_replaced()
        stat = os.fstat(self._fd)
        return (stat.st_ino, stat.st_size)

    def read_from(self, position: Position) -> tuple[bytes, Position]:
        """Whole lines appended since `position` (all, if the file is another one by now)."""
        self.reopen_if_replaced()
        inode = os.fstat(self._fd).st_ino
        start = position[1] if position[0] == inode else 0
        parts, offset = [], start
        while chunk := os.pread(self._fd, 1 << 20, offset):
            parts.append(chunk)
            offset += len(chunk)
        data = b"".join(parts)
        whole = data.rfind(b"\n") + 1
        return data[:whole], (inode, start + whole)

    def reopen_if_replaced(self) -> None:
        """Follow the name when the file behind it was replaced."""
        if os.fstat(self._fd).st_nlink == 0:
            old, self._fd = self._fd, os.open(self.path, _FLAGS, 0o600)
            os.close(old)

    def close(self) -> None:
        """Close the file; locks stay with whoever owns them."""
        os.close(self._fd)
