"""Removing a folder with all that is in it. A command may have made folders that it may not enter
itself, or ones so deep that no path reaches them; neither may stop who cleans up after it."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path

_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_TAKEN = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)


def remove_tree(path: Path | str, dir_fd: int | None = None) -> None:
    """Remove a folder, a file or a link; no link is followed. What cannot be removed stays, with
    the folders that hold it, and no error is raised. A folder in a folder is moved up before its
    turn comes, so neither stack, nor paths, nor open files grow with the depth."""
    with contextlib.suppress(OSError):
        if not _is_folder(path, dir_fd):
            os.unlink(path, dir_fd=dir_fd)
            return
        _open_up(path, dir_fd)
        top = os.open(path, _OPEN_FOLDER, dir_fd=dir_fd)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(path, dir_fd=dir_fd)


def _empty(top: int) -> None:
    waiting, number = _folders_left(top), 0
    while waiting:
        name = waiting.pop()
        with contextlib.suppress(OSError):
            folder = os.open(name, _OPEN_FOLDER, dir_fd=top)
            try:
                for inner in _folders_left(folder):
                    number = _moved_up(inner, folder, top, number)
                    waiting.append(str(number))
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _folders_left(folder: int) -> list[str]:
    """Removes what is no folder; the folders, ready to be entered."""
    folders = []
    with os.scandir(folder) as found:
        entries = list(found)
    for entry in entries:
        with contextlib.suppress(OSError):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.name)
                _open_up(entry.name, folder)
            else:
                os.unlink(entry.name, dir_fd=folder)
    return folders


def _moved_up(name: str, folder: int, top: int, number: int) -> int:
    """Under the next number that is free; an empty folder there is as good as none."""
    while True:
        number += 1
        try:
            os.rename(name, str(number), src_dir_fd=folder, dst_dir_fd=top)
        except OSError as cause:
            if cause.errno not in _TAKEN:
                raise
        else:
            return number


def _is_folder(path: Path | str, dir_fd: int | None) -> bool:
    return stat.S_ISDIR(os.stat(path, dir_fd=dir_fd, follow_symlinks=False).st_mode)


def _open_up(path: Path | str, dir_fd: int | None) -> None:
    mode = os.stat(path, dir_fd=dir_fd, follow_symlinks=False).st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        os.chmod(path, 0o700, dir_fd=dir_fd)
