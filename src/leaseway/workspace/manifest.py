"""What each name of a tree held: enough to tell later whether it is still the same."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

FILE, PROGRAM, LINK, FOLDER = 0o100644, 0o100755, 0o120777, 0o040755
_VERSION = 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One name: `mode` is FILE, PROGRAM (x bit), LINK or FOLDER; `sha256` is in hex, of the content
    or of a link's target; empty for a folder."""

    mode: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The entries of a tree by name. Folders stand in it only if they were empty."""

    entries: Mapping[str, Entry] = field(default_factory=dict)

    def to_json(self) -> str:
        """For keeping; names that are not UTF-8 survive it."""
        held = {name: [f"{e.mode:o}", e.sha256] for name, e in self.entries.items()}
        return json.dumps({"version": _VERSION, "entries": held}, sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Back from `to_json`; ValueError for anything else."""
        read = json.loads(text)
        if not isinstance(read, dict) or read.get("version") != _VERSION:
            raise ValueError("not a manifest of this version")
        try:
            held = {name: Entry(int(mode, 8), sha) for name, (mode, sha) in read["entries"].items()}
        except (KeyError, TypeError, AttributeError) as cause:
            raise ValueError("a manifest with an entry that is none") from cause
        return cls(held)


def mode_of(st_mode: int) -> int | None:
    """The mode that travels; None for sockets, devices and the like, which do not."""
    if stat.S_ISREG(st_mode):
        return PROGRAM if st_mode & stat.S_IXUSR else FILE
    if stat.S_ISLNK(st_mode):
        return LINK
    return FOLDER if stat.S_ISDIR(st_mode) else None


def link_entry(target: str) -> Entry:
    """The entry of a symbolic link."""
    return Entry(LINK, hashlib.sha256(os.fsencode(target)).hexdigest())


def entry_on_disk(path: Path) -> Entry | None:
    """What stands there now; None: nothing. A special file is an entry like no other."""
    try:
        found = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    mode = mode_of(found.st_mode)
    if mode is None:
        return Entry(found.st_mode, "")
    if mode == LINK:
        return link_entry(os.readlink(path))
    if mode == FOLDER:
        return Entry(FOLDER, "")
    with path.open("rb") as file:
        return Entry(mode, hashlib.file_digest(file, "sha256").hexdigest())
