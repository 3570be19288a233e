"""Archives become trees again: one in a new folder, or one laid over a tree that is there.

An archive is read twice: once to check all of it, digest included, before the first byte is
written, and once to write it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from leaseway.workspace.disk import passing_folder
from leaseway.workspace.errors import BadArchive, written
from leaseway.workspace.inside import Inside
from leaseway.workspace.limits import DEFAULT_LIMITS, Limits
from leaseway.workspace.links import target_on_disk
from leaseway.workspace.manifest import FILE, PROGRAM, Entry, Manifest
from leaseway.workspace.naming import STAGING
from leaseway.workspace.reading import Contents, contents, nowhere, opened, survey, told


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What came out of an archive, and the names it deletes where it is laid over something."""

    content_bytes: int
    manifest: Manifest
    deleted: tuple[str, ...]


def unpack(archive: Path, into: Path, digest: str, limits: Limits = DEFAULT_LIMITS) -> Unpacked:
    """Unpack into a new folder, which appears whole or not at all; `into` may only be there if it
    is empty. Raises BadArchive and NotWritten."""
    with opened(archive) as file:
        held = survey(file, digest, limits, nowhere)
        with passing_folder(into.parent, STAGING) as fresh, written(into):
            done = _write(file, held, fresh, limits)
            fresh.chmod(0o755)
            os.rename(fresh, into)
    return done


def overlay(archive: Path, view: Path, digest: str, limits: Limits = DEFAULT_LIMITS) -> Unpacked:
    """Lay an archive over a tree: what it deletes goes, what it holds replaces what has its name,
    whatever kind that was. Links in the tree are replaced, never followed. A bad archive changes
    nothing; after NotWritten the tree is neither the old nor the new one, and is to be made again.
    """
    with opened(archive) as file:
        held = survey(file, digest, limits, target_on_disk(os.path.realpath(view)))
        with written(view):
            return _write(file, held, view, limits)


def _write(file: IO[bytes], held: Contents, root: Path, limits: Limits) -> Unpacked:
    entries: dict[str, Entry] = {}
    files = contents(file, limits)
    with told(), Inside(root) as inside:
        # The deepest first, so that a folder is empty when its turn comes.
        for name in sorted(held.deleted, key=os.fsencode, reverse=True):
            inside.delete(name)
        for member in held.members:
            content = _next(files, member.name) if member.mode in (FILE, PROGRAM) else None
            entries[member.name] = inside.put(member, content)
    size = sum(member.size for member in held.members)
    return Unpacked(size, Manifest(entries), held.deleted)


def _next(files: Iterator[tuple[str, IO[bytes]]], name: str) -> IO[bytes]:
    found, content = next(files, ("", None))
    if found != name or content is None:
        raise BadArchive("changed while it was unpacked", name)
    return content
