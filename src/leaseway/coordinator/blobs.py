"""The store of archives: one file for each digest, checked while it is received.

A digest is of what is in the archive, the uncompressed stream; so the same tree has the same name
however it was compressed. What comes is written under a passing name, checked to the end, and only
then there. Where the store is full, what was not asked for longest and nobody needs goes first.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from leaseway.runtime import fresh_id

MOST_OF_STORE = 20 * 1024**3
MOST_OF_ONE = 2 * 1024**3
MOST_CONTENT = 8 * 1024**3
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_PASSING = ".part"
_STEP = 1 << 20
_GZIP = 31


class BlobError(Exception):
    """An archive cannot be kept.

    ├── NotThat  what came is not what its name says
    ├── TooBig   one archive is over what is kept of one
    └── NoRoom   the store is full of what is still needed, or its disk is
    """


class NotThat(BlobError):
    """What came is not what its name says."""


class TooBig(BlobError):
    """One archive is over what is kept of one: `have` and `cap` in bytes."""

    def __init__(self, have: int, cap: int) -> None:
        super().__init__(f"{have} bytes, at most {cap} are taken")
        self.have = have
        self.cap = cap


class NoRoom(BlobError):
    """The store is full of what is still needed, or its disk is."""


class Receiving:
    """One archive on its way in; `take` its bytes in order, then `finish`."""

    def __init__(self, digest: str, out: BinaryIO) -> None:
        self._digest = digest
        self._out = out
        self._hash = hashlib.sha256()
        self._unzip = zlib.decompressobj(_GZIP)
        self._content = 0
        self.size = 0

    def take(self, data: bytes) -> None:
        """The next bytes. NotThat, TooBig; OSError."""
        if not data:
            return
        self._out.write(data)
        self.size += len(data)
        if self._unzip.eof:
            raise NotThat("something follows the end of the archive")
        rest = data
        while rest:
            try:
                content = self._unzip.decompress(rest, _STEP)
            except zlib.error as wrong:
                raise NotThat(f"it is no archive: {wrong}") from wrong
            self._hash.update(content)
            self._content += len(content)
            if self._content > MOST_CONTENT:
                raise TooBig(self._content, MOST_CONTENT)
            rest = self._unzip.unconsumed_tail
        if self._unzip.unused_data:
            raise NotThat("something follows the end of the archive")

    def finish(self) -> None:
        """All has come. NotThat."""
        self._hash.update(self._unzip.flush())
        if not self._unzip.eof:
            raise NotThat("it ends in the middle")
        found = f"sha256:{self._hash.hexdigest()}"
        if found != self._digest:
            raise NotThat(f"its digest is {found}")


def is_digest(text: str) -> bool:
    """Whether it can name an archive."""
    return _DIGEST.fullmatch(text) is not None


class BlobStore:
    """All archives of one coordinator. `most_bytes` in all, `most_of_one` of one."""

    def __init__(
        self, folder: Path, most_bytes: int = MOST_OF_STORE, most_of_one: int = MOST_OF_ONE
    ) -> None:
        self._folder = folder
        self._most = most_bytes
        self.most_of_one = most_of_one

    def size(self, digest: str) -> int | None:
        """How many bytes it has; None: it is not here."""
        try:
            return self.path(digest).stat().st_size
        except FileNotFoundError:
            return None

    def path(self, digest: str) -> Path:
        """Where it is, or would be."""
        return self._folder / digest.removeprefix("sha256:")

    def asked_for(self, digest: str) -> None:
        """It was used just now."""
        with contextlib.suppress(FileNotFoundError):
            os.utime(self.path(digest))

    @contextmanager
    def receiving(self, digest: str) -> Iterator[Receiving]:
        """Receive one archive; there, whole and on the disk, once the block has ended well."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        passing = self._folder / f"{fresh_id('blob')}{_PASSING}"
        try:
            with passing.open("xb") as out:
                receiving = Receiving(digest, out)
                yield receiving
                receiving.finish()
                out.flush()
                os.fsync(out.fileno())
            passing.replace(self.path(digest))
            _sync_folder(self._folder)
        finally:
            passing.unlink(missing_ok=True)

    def make_room(self, more: int, needed: set[str]) -> None:
        """Let go of what was not asked for longest and is not needed, until `more` bytes fit.
        TooBig, NoRoom."""
        if more > self.most_of_one:
            raise TooBig(more, self.most_of_one)
        kept = self._by_age()
        total = sum(size for _, size, _ in kept)
        for _, size, path in kept:
            if total + more <= self._most:
                return
            if f"sha256:{path.name}" not in needed:
                path.unlink(missing_ok=True)
                total -= size
        if total + more > self._most:
            raise NoRoom(f"{total} bytes of {self._most} are archives that are still needed")

    def sweep(self) -> None:
        """Remove what an earlier coordinator left half received."""
        for path in self._folder.glob(f"*{_PASSING}"):
            path.unlink(missing_ok=True)

    def _by_age(self) -> list[tuple[float, int, Path]]:
        found = []
        for path in self._folder.glob("*"):
            with contextlib.suppress(FileNotFoundError):
                about = path.stat()
                found.append((about.st_mtime, about.st_size, path))
        return sorted(found, key=lambda each: each[0])


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
