"""What a command changed in a tree, told without reading a file again, and packed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import BinaryIO

from leaseway.core.model.paths import Place, place
from leaseway.workspace.limits import DEFAULT_LIMITS, Limits
from leaseway.workspace.listing import Odd, Oddity, entries, walk
from leaseway.workspace.manifest import FOLDER, mode_of
from leaseway.workspace.naming import in_order, parents
from leaseway.workspace.packing import Packed, pack_names

_ANY_DEPTH = "**"


@dataclass(frozen=True, slots=True)
class Mark:
    """How one name looked: `mode` as in a manifest (None for special files), the rest as `lstat`
    says; only `mode` counts for a folder. `changed_ns` (ctime) tells of a file whose time of
    change was put back."""

    mode: int | None
    size: int
    mtime_ns: int
    changed_ns: int
    inode: int
    target: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A tree at one moment, by name, folders included; `unreadable` are folders whose insides are
    not in it."""

    marks: Mapping[str, Mark]
    unreadable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Changes:
    """Names, sorted by bytes. A folder is `added` only while it is empty, and `deleted` when it is
    gone; what became a folder is `deleted`, or `modified` if that folder is empty. `notes` names
    new special files, which do not travel, and folders that cannot be read, of which nothing is
    told."""

    added: tuple[str, ...]
    modified: tuple[str, ...]
    deleted: tuple[str, ...]
    notes: tuple[Oddity, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.modified or self.deleted)


def snapshot(view: Path) -> Snapshot:
    """How everything in a tree looks now, without `.git`. Take it when the tree is complete: a
    later change of owner or of links counts as a change of the file."""
    unreadable: list[str] = []
    marks = {name: _mark(entry) for name, entry in walk(os.fspath(view), unreadable)}
    return Snapshot(marks, frozenset(unreadable))


def changes(view: Path, before: Snapshot) -> Changes:
    """What differs from the snapshot. A file that was written again with the same content counts
    as modified."""
    root = os.fspath(view)
    now = snapshot(view)
    added: list[str] = []
    modified: list[str] = []
    deleted = [name for name in before.marks if _is_gone(name, now)]
    notes = [Oddity(Odd.UNREADABLE, name, "nothing in it was seen") for name in now.unreadable]
    for name, mark in now.marks.items():
        was = before.marks.get(name)
        if mark == was:
            continue
        if mark.mode is None:
            notes.append(Oddity(Odd.SPECIAL, name, "left out: it is neither file, link nor folder"))
            if was is not None and was.mode is not None:
                deleted.append(name)
        elif mark.mode != FOLDER or (name not in now.unreadable and not entries(root, name)):
            (added if was is None or was.mode is None else modified).append(name)
        elif was is not None:
            deleted.append(name)
    gone = [name for name in deleted if before.marks[name].mode is not None]
    return Changes(in_order(added), in_order(modified), in_order(gone), tuple(notes))


def select(
    changed: Changes, patterns: Iterable[str], base: str | None = None
) -> tuple[Changes, Changes]:
    """Those that a plan's `writes` or `outputs` cover, and the others. A path or a glob covers what
    it names and everything below; relative ones count from `base`, a folder of the tree. Paths
    outside of the tree cover nothing in it."""
    is_covered = covering(patterns, base)

    def part(wanted: bool) -> Changes:
        def of(names: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(name for name in names if is_covered(name) is wanted)

        notes = tuple(n for n in changed.notes if is_covered(n.path) is wanted)
        return Changes(of(changed.added), of(changed.modified), of(changed.deleted), notes)

    return part(True), part(False)


def covering(patterns: Iterable[str], base: str | None = None) -> Callable[[str], bool]:
    """Whether a name of the tree is covered by one of these, as `select` takes them."""
    places = [place(pattern, base) for pattern in patterns]
    return lambda name: _is_covered(name, places)


def pack_changes(
    view: Path,
    names: Iterable[str],
    deleted: Iterable[str],
    out: BinaryIO | Path,
    limits: Limits = DEFAULT_LIMITS,
) -> Packed:
    """Pack some names of a tree as they are now, and that others are deleted; else as `pack`."""
    return pack_names(view, names, deleted, out, limits)


def _mark(entry: os.DirEntry[str]) -> Mark:
    found = entry.stat(follow_symlinks=False)
    mode = mode_of(found.st_mode)
    if mode == FOLDER:
        return Mark(FOLDER, 0, 0, 0, 0)
    target = os.readlink(entry.path) if stat.S_ISLNK(found.st_mode) else ""
    return Mark(mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, target)


def _is_gone(name: str, now: Snapshot) -> bool:
    return name not in now.marks and not now.unreadable.intersection(parents(name))


def _is_covered(name: str, places: Iterable[Place]) -> bool:
    parts = (".", *name.split("/"))
    return any(_covers(pattern.parts, parts) for pattern in places)


def _covers(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether a path or glob names this or a folder above it. A file may be called like a glob."""
    if parts[: len(pattern)] == pattern:
        return True
    reached = {0}
    for step in pattern:
        if step == _ANY_DEPTH:
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(parts) and fnmatchcase(parts[at], step)}
        if not reached:
            return False
    return True
