"""Writing that leaves a whole file or folder, or nothing; and sweeping what a crash left."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from leaseway.workspace.errors import written
from leaseway.workspace.removing import remove_tree


@contextmanager
def whole_file(path: Path, prefix: str = ".part-") -> Generator[IO[bytes]]:
    """A new file that gets its name when all of it is on the disk. It is locked while it is being
    written, so that `sweep` can tell it from one that a crash left. Raises NotWritten."""
    with written(path):
        with _making(path.parent):
            fd, name = tempfile.mkstemp(prefix=prefix, dir=path.parent)
            fcntl.flock(fd, fcntl.LOCK_EX)
        try:
            with open(fd, "w+b") as file:
                yield file
                file.flush()
                os.fsync(fd)
                os.replace(name, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


@contextmanager
def passing_folder(parent: Path, prefix: str) -> Generator[Path]:
    """A new folder that is gone afterwards, unless it was renamed. Locked as `whole_file` is, so
    nothing may be made whole directly in it, only in a folder below."""
    with written(parent), _making(parent):
        path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(fd, fcntl.LOCK_EX)
    try:
        yield path
    finally:
        remove_tree(path)
        os.close(fd)


def sweep(parent: Path, prefix: str) -> None:
    """Remove what crashed writers left here under this prefix; what is locked is in use."""
    with contextlib.suppress(OSError), _making(parent, fcntl.LOCK_EX | fcntl.LOCK_NB):
        for path in parent.glob(f"{prefix}*"):
            with contextlib.suppress(OSError):
                _sweep_one(path)


def _sweep_one(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.is_dir():
            remove_tree(path)
        else:
            path.unlink()
    finally:
        os.close(fd)


@contextmanager
def _making(parent: Path, lock: int = fcntl.LOCK_SH) -> Generator[None]:
    """Between making something and locking it nobody sweeps."""
    fd = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, lock)
        yield
    finally:
        os.close(fd)
