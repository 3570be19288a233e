"""One deterministic archive of a tree: the same content gives the same digest on any machine.

A PAX tar, sorted by bytes, of nobody (uid and gid 0), modes 0755 or 0644, whole seconds of change,
in gzip of level 1 without a time. The digest is `sha256:` and the hex of the *uncompressed* tar:
two versions of zlib may compress differently, while whoever unpacks can still check it as the
stream goes by. What an archive deletes is a JSON list in its first member, `.leaseway/deleted`.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import stat
import tarfile
import tempfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, BinaryIO

from leaseway.workspace.disk import whole_file
from leaseway.workspace.errors import NotWritten, Unsteady, written
from leaseway.workspace.limits import DEFAULT_LIMITS, DIGEST, Limits
from leaseway.workspace.links import leads_out, target_on_disk
from leaseway.workspace.listing import Odd, Oddity, Tree, entries
from leaseway.workspace.manifest import FILE, FOLDER, LINK, Entry, Manifest, link_entry, mode_of
from leaseway.workspace.naming import DELETED, in_order, is_reserved, shown
from leaseway.workspace.steady import Moved, read_still

LEVEL = 1
_GZIP = 31  # zlib's way to say: with gzip's header, whose time is then 0


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive that was written. `files` counts its names; `notes` tells what was asked for and
    is not in it."""

    digest: str
    content_bytes: int
    archive_bytes: int
    files: int
    manifest: Manifest
    notes: tuple[Oddity, ...] = ()


def pack(tree: Tree, out: BinaryIO | Path, limits: Limits = DEFAULT_LIMITS) -> Packed:
    """Pack a tree. A path is written whole or not at all, a stream as it goes. Raises TooLarge,
    Unsteady and NotWritten; what vanished since it was listed is left out and named."""
    return pack_names(tree.root, tree.files, (), out, limits)


def pack_names(
    root: Path,
    names: Iterable[str],
    deleted: Iterable[str],
    out: BinaryIO | Path,
    limits: Limits = DEFAULT_LIMITS,
) -> Packed:
    """The same for some names below `root`, and the names that the archive deletes."""
    packing = _Packing(root, out if isinstance(out, Path) else None, limits)
    found = packing.find(in_order(names))
    limits.check({n: at.st_size if stat.S_ISREG(at.st_mode) else 0 for n, at in found.items()})
    if not isinstance(out, Path):
        return _pack(packing, found, in_order(deleted), out)
    with whole_file(out) as stream:
        return _pack(packing, found, in_order(deleted), stream)


class _Squeezing:
    """The tar on its way out: counted, hashed, compressed."""

    def __init__(self, into: IO[bytes], where: str) -> None:
        self.into = into
        self.where = where
        self.sha256 = hashlib.sha256()
        self.at = 0
        self.archive_bytes = 0
        self._gzip = zlib.compressobj(LEVEL, zlib.DEFLATED, _GZIP)

    def write(self, data: bytes) -> int:
        self.sha256.update(data)
        self.at += len(data)
        self._out(self._gzip.compress(data))
        return len(data)

    def tell(self) -> int:
        return self.at

    def end(self) -> None:
        self._out(self._gzip.flush())

    def _out(self, data: bytes) -> None:
        if data:
            with written(self.where):
                self.into.write(data)
            self.archive_bytes += len(data)


@dataclass
class _Packing:
    root: Path
    out: Path | None  # None: a stream
    limits: Limits
    entries: dict[str, Entry] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    held: int = 0
    moved: list[str] = field(default_factory=list)
    notes: list[Oddity] = field(default_factory=list)

    @property
    def where(self) -> str:
        """For messages."""
        return str(self.out or "the archive")

    @property
    def beside(self) -> Path:
        """Where large files may lie while they are read."""
        return self.out.parent if self.out else Path(tempfile.gettempdir())

    def find(self, names: Iterable[str]) -> dict[str, os.stat_result]:
        """Those that are there, as they are."""
        found = {}
        for name in names:
            try:
                found[name] = os.lstat(f"{self.root}/{name}")
            except OSError:
                self._vanished(name)
        return found

    def add(self, tar: tarfile.TarFile, name: str, found: os.stat_result) -> None:
        mode = mode_of(found.st_mode)
        if mode is None:
            self._left_out(Odd.SPECIAL, name, "it is neither file, link nor folder")
        elif is_reserved(name):
            self._left_out(Odd.RESERVED, name, "Leaseway or git uses this name itself")
        elif mode == LINK:
            self._add_link(tar, name, found)
        elif mode == FOLDER:
            self._add_folder(tar, name)
        else:
            self._add_file(tar, name)

    def _add_file(self, tar: tarfile.TarFile, name: str) -> None:
        try:
            still = read_still(f"{self.root}/{name}", self.beside)
        except Moved:
            self.moved.append(name)
            return
        except (FileNotFoundError, NotADirectoryError):
            self._vanished(name)
            return
        except OSError as cause:
            self._refused(name, cause)
            return
        with still.content:
            size = still.found.st_size
            self.sizes[name] = size
            self.held += size
            self.limits.check_grown(self.held, self.sizes.items())
            mode = mode_of(still.found.st_mode)
            assert mode is not None
            self.entries[name] = Entry(mode, still.sha256)
            member = _member(name, mode, tarfile.REGTYPE)
            member.size = size
            member.mtime = still.found.st_mtime_ns // 1_000_000_000
            tar.addfile(member, still.content)

    def _refused(self, name: str, cause: OSError) -> None:
        """What may not be read is left out; a disk that is full is a different matter."""
        if cause.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise NotWritten(self.beside, cause) from cause
        if cause.errno == errno.ELOOP:
            self._left_out(Odd.VANISHED, name, "it became a link while the tree was read")
            return
        self._left_out(Odd.UNREADABLE, name, os.strerror(cause.errno or 0))

    def _add_link(self, tar: tarfile.TarFile, name: str, found: os.stat_result) -> None:
        try:
            target = os.readlink(f"{self.root}/{name}")
        except OSError:
            self._vanished(name)
            return
        if leads_out(name, target, target_on_disk(str(self.root))):
            self._left_out(Odd.LEADS_OUT, name, f"it leads out of the tree, to {shown(target)}")
            return
        self.entries[name] = link_entry(target)
        member = _member(name, 0o777, tarfile.SYMTYPE)
        member.linkname = target
        member.mtime = found.st_mtime_ns // 1_000_000_000
        tar.addfile(member)

    def _add_folder(self, tar: tarfile.TarFile, name: str) -> None:
        """Without a time: a folder's changes with whatever is made in it for a moment."""
        try:
            inside = entries(str(self.root), name)
        except OSError:
            self._vanished(name)
            return
        if inside:
            self._left_out(Odd.VANISHED, name, "it became a folder that is not empty")
            return
        self.entries[name] = Entry(FOLDER, "")
        tar.addfile(_member(name, FOLDER, tarfile.DIRTYPE))

    def _vanished(self, name: str) -> None:
        self._left_out(Odd.VANISHED, name, "it was gone when it was to be read")

    def _left_out(self, kind: Odd, name: str, why: str) -> None:
        self.notes.append(Oddity(kind, name, f"left out: {why}"))


def _pack(
    packing: _Packing,
    found: dict[str, os.stat_result],
    deleted: tuple[str, ...],
    out: IO[bytes],
) -> Packed:
    stream = _Squeezing(out, packing.where)
    tar = tarfile.TarFile(
        fileobj=stream,  # type: ignore[arg-type] # it writes and tells, which is all that is asked
        mode="w",
        format=tarfile.PAX_FORMAT,
        encoding="utf-8",
        errors="surrogateescape",
    )
    if deleted:
        listed = json.dumps(deleted).encode("ascii")
        member = _member(DELETED, FILE, tarfile.REGTYPE)
        member.size = len(listed)
        tar.addfile(member, io.BytesIO(listed))
    for name, at in found.items():
        packing.add(tar, name, at)
    if packing.moved:
        raise Unsteady(packing.moved)
    tar.close()
    stream.end()
    return Packed(
        digest=DIGEST + stream.sha256.hexdigest(),
        content_bytes=packing.held,
        archive_bytes=stream.archive_bytes,
        files=len(packing.entries),
        manifest=Manifest(packing.entries),
        notes=tuple(packing.notes),
    )


def _member(name: str, mode: int, kind: bytes) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.mode = stat.S_IMODE(mode)
    member.type = kind
    return member
