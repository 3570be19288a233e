"""A folder of archives by digest, bounded in bytes; several processes may use it at once."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from leaseway.core.model.units import show_bytes
from leaseway.workspace.disk import sweep, whole_file
from leaseway.workspace.errors import BadArchive, TooLarge, written
from leaseway.workspace.limits import DEFAULT_LIMITS, DIGEST, Limits
from leaseway.workspace.reading import nowhere, opened, survey

CHUNK = 1 << 20
_HEX = re.compile(r"[0-9a-f]{64}")
_PART = ".part-"
_END = ".tar.gz"


@dataclass(frozen=True, slots=True)
class Cache:
    """Archives below `folder`, which is made if need be; all together at most `most_bytes`, what
    is held or was just put excepted. The least recently used goes first."""

    folder: Path
    most_bytes: int
    limits: Limits = DEFAULT_LIMITS

    def put(self, digest: str, source: Path | IO[bytes]) -> Path:
        """Keep a copy, checked against its digest, and make room. An archive that is here already
        is not read again. Raises BadArchive, TooLarge (more than the whole cache may hold) and
        NotWritten; then the cache is as it was."""
        path = self._path(digest)
        if self.get(digest) is not None:
            return path
        with written(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        sweep(self.folder, _PART)
        if isinstance(source, Path):
            with opened(source) as file:
                self._write(digest, file, path)
        else:
            self._write(digest, source, path)
        self._make_room(path)
        return path

    def get(self, digest: str) -> Path | None:
        """Where it lies, if it does, and that it was used now. Another process may remove it at any
        time; `hold` prevents that."""
        path = self._path(digest)
        try:
            os.utime(path)
        except FileNotFoundError:
            return None
        return path

    @contextmanager
    def hold(self, digest: str) -> Generator[Path | None]:
        """The same; while it is held, nobody removes it."""
        with contextlib.ExitStack() as stack:
            path = self.get(digest)
            try:
                file = stack.enter_context(path.open("rb")) if path else None
            except FileNotFoundError:
                file = None
            if file is not None:
                fcntl.flock(file, fcntl.LOCK_SH)
                if os.fstat(file.fileno()).st_nlink == 0:  # removed before we had the lock
                    path = None
            yield path if file is not None else None

    def let_go(self, wanted_bytes: int) -> int:
        """Remove the least recently used until so much is gone, as far as nobody holds it; how much
        that was."""
        gone = 0
        for _used, path, size in sorted(self._kept()):
            if gone >= wanted_bytes:
                break
            if _removed(path):
                gone += size
        return gone

    def held_bytes(self) -> int:
        """Of all archives together."""
        return sum(size for _used, _path, size in self._kept())

    def _path(self, digest: str) -> Path:
        hexed = digest.removeprefix(DIGEST)
        if not digest.startswith(DIGEST) or _HEX.fullmatch(hexed) is None:
            raise BadArchive(f"is asked for by {digest!r}, which is no digest")
        return self.folder / f"{hexed}{_END}"

    def _write(self, digest: str, source: IO[bytes], path: Path) -> None:
        with whole_file(path, _PART) as file:
            size = 0
            while chunk := source.read(CHUNK):
                size += len(chunk)
                if size > self.most_bytes:
                    allowed = show_bytes(self.most_bytes)
                    raise TooLarge(f"an archive of more than {allowed} does not fit the cache")
                file.write(chunk)
            survey(file, digest, self.limits, nowhere)

    def _make_room(self, newest: Path) -> None:
        kept = sorted(self._kept())
        total = sum(size for _used, _path, size in kept)
        for _used, path, size in kept:
            if total <= self.most_bytes:
                return
            if path != newest and _removed(path):
                total -= size

    def _kept(self) -> list[tuple[int, Path, int]]:
        """When last used, where, how large."""
        kept = []
        for path in self.folder.glob(f"*{_END}"):
            with contextlib.suppress(FileNotFoundError):
                found = path.stat()
                kept.append((found.st_mtime_ns, path, found.st_size))
        return kept


def _removed(path: Path) -> bool:
    """Whether it is gone now; what somebody holds stays."""
    try:
        fd = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink(missing_ok=True)
    except BlockingIOError:
        return False
    finally:
        os.close(fd)
    return True
