"""Who may do it: byte-range locks in one small file, each byte standing for one thing.

They belong to the open file, not to the process (F_OFD_*): a lock is gone exactly when the last
holder of that open file is, and a child that closes its copy takes nothing away.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import struct
from pathlib import Path

from leaseway.core.model.sync import AttemptRef

SPAWNER = 0
DAEMON = 1
JOURNAL = 2
_FIRST_ATTEMPT = 1 << 32
# struct flock on 64-bit Linux: type, whence, start, length, pid.
_FLOCK = struct.Struct("hhqqi4x")


def place_of(ref: AttemptRef) -> int:
    """The byte that stands for an attempt: 56 bits of its name's hash, so that no list of places
    has to be kept and compacting the journal moves none."""
    digest = hashlib.blake2b(str(ref).encode(), digest_size=7).digest()
    return _FIRST_ATTEMPT + int.from_bytes(digest, "big")


class LockFile:
    """One open file of locks. Never share one across a fork: open another."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def has_name(self) -> bool:
        """Whether others who open the path find this file."""
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._fd))
        except OSError:
            return False

    def take(self, place: int, *, shared: bool = False, wait: bool = False) -> bool:
        """Lock one byte; False when somebody else holds it and `wait` is False."""
        kind = fcntl.F_RDLCK if shared else fcntl.F_WRLCK
        command = fcntl.F_OFD_SETLKW if wait else fcntl.F_OFD_SETLK
        try:
            fcntl.fcntl(self._fd, command, _FLOCK.pack(kind, os.SEEK_SET, place, 1, 0))
        except (BlockingIOError, PermissionError):
            return False
        return True

    def free(self, place: int) -> None:
        """Give the byte back."""
        asked = _FLOCK.pack(fcntl.F_UNLCK, os.SEEK_SET, place, 1, 0)
        fcntl.fcntl(self._fd, fcntl.F_OFD_SETLK, asked)

    def is_taken(self, place: int) -> bool:
        """Whether somebody else holds it, without taking it."""
        asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, place, 1, 0)
        answer: bytes = fcntl.fcntl(self._fd, fcntl.F_OFD_GETLK, asked)
        return bool(_FLOCK.unpack(answer)[0] != fcntl.F_UNLCK)

    def close(self) -> None:
        """Give everything back."""
        os.close(self._fd)
