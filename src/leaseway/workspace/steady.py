"""Reading a file as it was at one moment, or saying that it never held still."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

ATTEMPTS = 3
CHUNK = 1 << 20
IN_MEMORY = 16 << 20  # of one file; a larger one goes through a temporary file


@dataclass(frozen=True, slots=True)
class Still:
    """One file's content as of one moment, rewound; the reader closes it."""

    content: IO[bytes]
    found: os.stat_result
    sha256: str


class Moved(Exception):
    """It changed while it was read, each time."""


def read_still(path: str, beside: Path) -> Still:
    """The content of a regular file, unchanged from before to after it was read, else tried again.
    Large content lies in the folder `beside` meanwhile. Raises Moved, or OSError (FileNotFoundError
    when it is gone or is no regular file any more)."""
    for _attempt in range(ATTEMPTS):
        still = _read_once(path, beside)
        if still is not None:
            return still
    raise Moved


def _read_once(path: str, beside: Path) -> Still | None:
    # Not blocking: what was a file may be a pipe by now.
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        before = os.fstat(fd)
        if not stat.S_ISREG(before.st_mode):
            raise FileNotFoundError(2, os.strerror(2), path)
        kept = tempfile.SpooledTemporaryFile(IN_MEMORY, dir=str(beside))  # noqa: SIM115 - the reader's
        try:
            size, sha256 = copy_content(fd, kept, before.st_size)
            is_still = size == before.st_size and _same(before, os.fstat(fd))
        except BaseException:
            kept.close()
            raise
    finally:
        os.close(fd)
    if not is_still:
        kept.close()
        return None
    kept.seek(0)
    return Still(kept, before, sha256)


def copy_content(fd: int, into: IO[bytes], expected: int) -> tuple[int, str]:
    """Copies what can be read; gives bytes and sha256. Stops soon after more than expected."""
    seen = hashlib.sha256()
    size = 0
    while size <= expected and (chunk := os.read(fd, min(CHUNK, expected - size + 1))):
        seen.update(chunk)
        into.write(chunk)
        size += len(chunk)
    return size, seen.hexdigest()


def _same(one: os.stat_result, two: os.stat_result) -> bool:
    return _marks(one) == _marks(two)


def _marks(of: os.stat_result) -> tuple[int, ...]:
    return (of.st_dev, of.st_ino, of.st_mode, of.st_size, of.st_mtime_ns, of.st_ctime_ns)
