"""What belongs to a tree: the names that travel, and what about them is worth telling."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from leaseway.workspace import git
from leaseway.workspace.errors import NotATree
from leaseway.workspace.links import leads_out, target_on_disk
from leaseway.workspace.naming import (
    GIT,
    collisions,
    in_order,
    is_reserved,
    is_utf8,
    parents,
    shown,
)

IGNORE_FILE = ".leasewayignore"
_DEEPEST = 4096 - 257
"""Bytes of a folder's path: with `/` and the longest name after it, the kernel still takes it."""


class Odd(StrEnum):
    """What can be odd about a name. The first three are kept, the others left out."""

    BROKEN_LINK = "broken link"
    NOT_UTF8 = "not UTF-8"
    CASE = "differs in case only"
    SPECIAL = "special file"
    LEADS_OUT = "leads out"
    SUBMODULE = "submodule"
    UNREADABLE = "unreadable"
    VANISHED = "vanished"
    RESERVED = "reserved"


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something to tell of one name; `detail` is printable, for people."""

    kind: Odd
    path: str
    detail: str


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree on this disk. `files` are relative names, sorted by bytes: files, links, and folders
    that are empty. `identity` is one for all worktrees of a repository (its real path), else the
    folder's real path; the caller adds the host."""

    root: Path
    files: tuple[str, ...]
    identity: str
    notes: tuple[Oddity, ...] = ()


@dataclass
class Seen:
    """What has been gathered of one tree so far."""

    root: str
    files: list[str] = field(default_factory=list)
    notes: list[Oddity] = field(default_factory=list)
    _folders: dict[str, bool] = field(default_factory=dict)

    def note(self, kind: Odd, path: str, detail: str) -> None:
        """One thing worth telling."""
        self.notes.append(Oddity(kind, path, detail))

    def below_real_folders(self, name: str) -> bool:
        """Whether nothing above it is a link or a file: else it is reached by another name."""
        for folder in parents(name):
            if folder not in self._folders:
                self._folders[folder] = _is_real_folder(f"{self.root}/{folder}")
            if not self._folders[folder]:
                return False
        return True

    def take(self, name: str, mode: int) -> None:
        """Add a name that exists, unless it is of a kind that does not travel."""
        if is_reserved(name):
            self.note(Odd.RESERVED, name, "left out: Leaseway or git uses this name itself")
        elif stat.S_ISLNK(mode):
            self._take_link(name)
        elif stat.S_ISREG(mode) or stat.S_ISDIR(mode):
            self.files.append(name)
        else:
            self.note(Odd.SPECIAL, name, f"left out: it is a {_kind(mode)}")

    def _take_link(self, name: str) -> None:
        try:
            target = os.readlink(f"{self.root}/{name}")
        except OSError:
            return
        if leads_out(name, target, target_on_disk(self.root)):
            self.note(
                Odd.LEADS_OUT, name, f"left out: it leads out of the tree, to {shown(target)}"
            )
            return
        self.files.append(name)
        if not os.path.exists(f"{self.root}/{name}"):
            self.note(Odd.BROKEN_LINK, name, f"kept: {shown(target)} does not exist")

    def tree(self, identity: Path) -> Tree:
        """What was gathered, in order, with the notes about names."""
        files = in_order(self.files)
        for name in files:
            if not is_utf8(name):
                self.note(Odd.NOT_UTF8, name, "kept: its name is not UTF-8")
        for name, first in collisions(files):
            self.note(Odd.CASE, name, f"kept: elsewhere the same file as {shown(first)}")
        notes = sorted(self.notes, key=lambda note: (os.fsencode(note.path), note.kind))
        return Tree(Path(self.root), files, os.fspath(identity), tuple(notes))


def tree_here(start: Path) -> Tree:
    """The git checkout around `start`: what is tracked and what is not, without what its ignore
    files leave out; what lies in submodules and other repositories below it too. NotATree if
    there is no checkout."""
    top, common = git.top_and_common(start)
    seen = Seen(os.fspath(top))
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        for name in git.names(top / inner):
            full = f"{inner}/{name}" if inner else name
            mode = _mode(f"{seen.root}/{full}")
            if mode is None or not seen.below_real_folders(full):
                continue
            if not stat.S_ISDIR(mode):
                seen.take(full, mode)
            elif os.path.lexists(f"{seen.root}/{full}/{GIT}"):
                waiting.append(full)
            else:
                seen.note(Odd.SUBMODULE, full, "left out: this submodule is not checked out")
    return seen.tree(common)


def tree_of(folder: Path) -> Tree:
    """Everything below a folder but `.git` and what its `.leasewayignore` names (one file, at the
    top, in the syntax of `.gitignore`). NotATree if it is no folder."""
    root = os.path.realpath(folder)
    if not os.path.isdir(root):
        raise NotATree(f"{shown(str(folder))} is no folder. Name one, or go into a git checkout.")
    seen = Seen(root)
    ignored = _ignored(Path(root))
    waiting = [""]
    while waiting:
        _one_folder(seen, waiting.pop(), ignored, waiting)
    return seen.tree(Path(root))


def walk(root: str, unreadable: list[str]) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Everything below, each with its name relative to `root`, links not followed; folders come
    before what is in them. What belongs to git or to Leaseway is passed over; folders that cannot
    be read, or lie too deep for paths, are added to `unreadable`. OSError: `root` itself."""
    waiting = [""]
    while waiting:
        inner = waiting.pop()
        if len(os.fsencode(f"{root}/{inner}")) > _DEEPEST:
            unreadable.append(inner)
            continue
        try:
            found = entries(root, inner)
        except OSError:
            if not inner:
                raise
            unreadable.append(inner)
            continue
        for name, entry in found:
            yield name, entry
            if entry.is_dir(follow_symlinks=False):
                waiting.append(name)


def entries(root: str, folder: str) -> list[tuple[str, os.DirEntry[str]]]:
    """What lies directly in one folder of a tree, without what is reserved."""
    with os.scandir(f"{root}/{folder}" if folder else root) as found:
        named = [(f"{folder}/{e.name}" if folder else e.name, e) for e in found]
    return [(name, entry) for name, entry in named if not is_reserved(name)]


def _one_folder(
    seen: Seen, folder: str, ignored: Callable[[str], bool], waiting: list[str]
) -> None:
    try:
        found = entries(seen.root, folder)
    except OSError as cause:
        seen.note(Odd.UNREADABLE, folder or ".", f"left out: {os.strerror(cause.errno or 0)}")
        return
    if folder and not found:
        seen.files.append(folder)
    for name, entry in found:
        mode = _mode(entry.path)
        is_folder = mode is not None and stat.S_ISDIR(mode)
        if mode is None or ignored(f"{name}/" if is_folder else name):
            continue
        if is_folder:
            waiting.append(name)
        else:
            seen.take(name, mode)


def _ignored(root: Path) -> Callable[[str], bool]:
    """Whether the ignore file names a path; a folder's ends in `/`. As for git, nothing below an
    ignored folder comes back."""
    try:
        text = (root / IGNORE_FILE).read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:
        return lambda _name: False
    import pathspec  # only for folders that have an ignore file

    return pathspec.GitIgnoreSpec.from_lines(text.splitlines()).match_file


def _mode(path: str) -> int | None:
    try:
        return os.lstat(path).st_mode
    except OSError:
        return None


def _is_real_folder(path: str) -> bool:
    mode = _mode(path)
    return mode is not None and stat.S_ISDIR(mode)


def _kind(mode: int) -> str:
    if stat.S_ISSOCK(mode):
        return "socket"
    return "pipe" if stat.S_ISFIFO(mode) else "device"
