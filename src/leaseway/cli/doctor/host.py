"""This machine: Python, descriptors, the state folder, room on disk."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from leaseway.cli.doctor.check import Check
from leaseway.core.model.units import show_bytes

OLDEST_PYTHON = (3, 11)
LEAST_FREE, LITTLE_FREE = 500 * 1024 * 1024, 2 * 1024 * 1024 * 1024
LEAST_FILES = 4096


@dataclass(frozen=True)
class Folder:
    """A folder that is written to. `there`: what of the path exists already."""

    what: str  # state | spool
    path: Path
    there: Path
    writable: bool
    free_bytes: int


@dataclass(frozen=True)
class Host:
    """Facts of this machine. `files_most`: what a process may open after asking for all."""

    python: tuple[int, ...]
    system: str
    files_most: int
    folders: tuple[Folder, ...]


def host_here(folders: dict[str, Path]) -> Host:
    """Gather; `folders` by what they are for."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = sys.maxsize if hard == resource.RLIM_INFINITY else hard
    found = tuple(_folder(what, path) for what, path in folders.items())
    return Host(
        tuple(sys.version_info[:3]), f"{platform.system()} {platform.machine()}", most, found
    )


def _folder(what: str, path: Path) -> Folder:
    there = next(each for each in (path, *path.absolute().parents) if each.exists())
    free = shutil.disk_usage(there).free
    return Folder(what, path, there, os.access(there, os.W_OK | os.X_OK), free)


def host_checks(host: Host) -> Iterator[Check]:
    """Judge."""
    said = f"{'.'.join(map(str, host.python))}, {host.system}"
    if host.python < OLDEST_PYTHON:
        mend = "Install Python 3.11 or newer, and Leaseway with it."
        yield Check("python", "bad", said, mend)
    else:
        yield Check("python", "ok", said)
    yield _files(host.files_most)
    for folder in host.folders:
        yield _state(folder)
        yield _room(folder)


def _files(most: int) -> Check:
    if most >= sys.maxsize:
        return Check("open files", "ok", "no limit for one process")
    said = f"{most} for one process"
    if most < LEAST_FILES:
        mend = f"ulimit -Hn {LEAST_FILES}, or LimitNOFILE={LEAST_FILES} in the unit"
        return Check("open files", "note", f"{said}: many workers at once need more", mend)
    return Check("open files", "ok", said)


def _state(folder: Folder) -> Check:
    if not folder.writable:
        mend = f"chown -R $USER {folder.there}, or name another with --state DIR"
        return Check(folder.what, "bad", f"{folder.path} cannot be written", mend)
    there = folder.there == folder.path
    return Check(folder.what, "ok", f"{folder.path}{'' if there else ', not made yet'}")


def _room(folder: Folder) -> Check:
    said = f"{show_bytes(folder.free_bytes)} free at {folder.there}"
    mend = f"du -xh {folder.there} | sort -h | tail shows what takes it"
    if folder.free_bytes < LEAST_FREE:
        return Check("disk", "bad", f"{said}: with a full disk nothing is accepted", mend)
    if folder.free_bytes < LITTLE_FREE:
        return Check("disk", "note", f"{said}: little for outputs", mend)
    return Check("disk", "ok", said)
