"""Files that are open and must keep their names: what is written to one that was deleted is lost,
and no error of the disk says so."""

from __future__ import annotations

from pathlib import Path

Identity = tuple[int, int]
"""Device and inode."""


class Named:
    """Some files, as they were when each was first seen."""

    def __init__(self, *paths: Path) -> None:
        self._seen = {path: identity(path) for path in paths}

    def missing(self) -> Path | None:
        """One that was removed, or replaced by another; None if all are there."""
        for path, before in self._seen.items():
            now = identity(path)
            if before is None:
                self._seen[path] = now
            elif now != before:
                return path
        return None


def identity(path: Path) -> Identity | None:
    """Which file has this name now, if any."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino
