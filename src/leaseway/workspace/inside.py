"""Writing below one folder without ever leaving it: every step goes from an open folder to a real
folder in it, so a symbolic link on the way is replaced or refused, never followed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from leaseway.workspace.manifest import FOLDER, LINK, PROGRAM, Entry, link_entry
from leaseway.workspace.reading import CHUNK, Member
from leaseway.workspace.removing import remove_tree

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class Inside:
    """An open folder and the last folder used in it, since names come sorted."""

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._last = ""
        self._last_fd = self._root

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._forget()
        os.close(self._root)

    def put(self, member: Member, content: IO[bytes] | None) -> Entry:
        """Make one member here in place of whatever has its name, and its folders in place of what
        is none. OSError as the system says it."""
        above, _, name = member.name.rpartition("/")
        folder = self._folder(above, make=True)
        if member.mode == FOLDER:
            _make_folder(name, folder)
            return Entry(FOLDER, "")
        self._remove(name, folder)
        if member.mode == LINK:
            os.symlink(member.target, name, dir_fd=folder)
            os.utime(name, (member.mtime_s,) * 2, dir_fd=folder, follow_symlinks=False)
            return link_entry(member.target)
        assert content is not None
        fd = os.open(name, _NEW_FILE, member.mode & 0o777, dir_fd=folder)
        try:
            sha256 = _copy(content, fd)
            os.fchmod(fd, 0o755 if member.mode == PROGRAM else 0o644)
            os.utime(fd, (member.mtime_s,) * 2)
        finally:
            os.close(fd)
        return Entry(member.mode, sha256)

    def delete(self, name: str) -> None:
        """Remove a file, a link or an empty folder; what is not there, or holds something, stays as
        it is."""
        above, _, last = name.rpartition("/")
        try:
            folder = self._folder(above, make=False)
            if _is_folder(last, folder):
                os.rmdir(last, dir_fd=folder)
            else:
                os.unlink(last, dir_fd=folder)
        except OSError as cause:
            gone = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENOTEMPTY, errno.EEXIST)
            if cause.errno not in gone:
                raise

    def _folder(self, path: str, make: bool) -> int:
        if path == self._last:
            return self._last_fd
        self._forget()
        fd = self._root
        for part in path.split("/") if path else ():
            if make:
                _make_folder(part, fd)
            try:
                inner = os.open(part, _OPEN_FOLDER, dir_fd=fd)
            finally:
                if fd != self._root:
                    os.close(fd)
            fd = inner
        self._last, self._last_fd = path, fd
        return fd

    def _forget(self) -> None:
        if self._last_fd != self._root:
            os.close(self._last_fd)
        self._last, self._last_fd = "", self._root

    def _remove(self, name: str, folder: int) -> None:
        try:
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            return
        except (IsADirectoryError, PermissionError):
            if not _is_folder(name, folder):
                raise
            remove_tree(name, folder)


def _make_folder(name: str, within: int) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=within)
    except FileExistsError:
        if not _is_folder(name, within):
            os.unlink(name, dir_fd=within)
            os.mkdir(name, 0o755, dir_fd=within)


def _is_folder(name: str, within: int) -> bool:
    with contextlib.suppress(OSError):
        return stat.S_ISDIR(os.stat(name, dir_fd=within, follow_symlinks=False).st_mode)
    return False


def _copy(content: IO[bytes], fd: int) -> str:
    seen = hashlib.sha256()
    while chunk := content.read(CHUNK):
        seen.update(chunk)
        left = memoryview(chunk)
        while left:
            left = left[os.write(fd, left) :]
    return seen.hexdigest()
