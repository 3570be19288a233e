"""Reading an archive that somebody else made: everything is checked before anything is written."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import stat
import tarfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from leaseway.workspace.errors import BadArchive
from leaseway.workspace.limits import DIGEST, Limits
from leaseway.workspace.links import Target, leads_out
from leaseway.workspace.manifest import FILE, FOLDER, LINK, PROGRAM
from leaseway.workspace.naming import DELETED, is_reserved, parents, shown

CHUNK = 1 << 20
LATEST_S = 1 << 40  # a time of change no file system refuses
_KINDS = {
    tarfile.REGTYPE: FILE,
    tarfile.AREGTYPE: FILE,
    tarfile.SYMTYPE: LINK,
    tarfile.DIRTYPE: FOLDER,
}


@dataclass(frozen=True, slots=True)
class Member:
    """One name of an archive. `mode` as in a manifest; `mtime_s` since the epoch; `target` of a
    link, else empty."""

    name: str
    mode: int
    size: int
    mtime_s: int
    target: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What an archive holds, checked: its members in order, and the names it deletes."""

    members: tuple[Member, ...]
    deleted: tuple[str, ...]


def survey(archive: IO[bytes], digest: str, limits: Limits, elsewhere: Target) -> Contents:
    """Reads an archive to its end without writing anything. `elsewhere` says what names that are
    not in it link to, where it will be unpacked. BadArchive if anything is wrong with it."""
    reading = _Inflating(archive, limits)
    members: dict[str, Member] = {}
    deleted: tuple[str, ...] = ()
    content = 0
    with told():
        tar = _tar(reading)
        for found in tar:
            if found.name == DELETED and not members:
                deleted = _deleted(tar, found)
                continue
            member = _checked(found)
            if member.name in members:
                raise BadArchive("stands in it twice", member.name)
            members[member.name] = member
            content += member.size
            if content > limits.content_bytes or len(members) > limits.files:
                raise BadArchive("goes over the limits of bytes or files", member.name)
            tar.members = []  # type: ignore[attr-defined] # it would keep them all
        reading.drain()
    if reading.digest() != digest:
        raise BadArchive(f"is not what it is called: {digest} was asked, {reading.digest()} came")
    _check_places(members, set(deleted), elsewhere)
    return Contents(tuple(members.values()), deleted)


def contents(archive: IO[bytes], limits: Limits) -> Iterator[tuple[str, IO[bytes]]]:
    """The files of an archive that was surveyed, each with its content, in order."""
    with told():
        tar = _tar(_Inflating(archive, limits))
        for found in tar:
            if found.isreg() and found.name != DELETED:
                content = tar.extractfile(found)
                assert content is not None
                yield found.name, content
            tar.members = []  # type: ignore[attr-defined]


class _Inflating:
    """The uncompressed stream, hashed as it goes by; it only goes forward, never further than the
    limits allow, and never hands out much at once (a header says how long it is)."""

    def __init__(self, archive: IO[bytes], limits: Limits) -> None:
        archive.seek(0)
        self.inflated = gzip.GzipFile(fileobj=archive, mode="rb")
        self.sha256 = hashlib.sha256()
        self.at = 0
        # A name and a link may be longer than a header is: 16 KiB for each file is ample.
        self.most = limits.content_bytes + (limits.files + 4) * (16 << 10)

    def read(self, size: int) -> bytes:
        if size > CHUNK:
            raise BadArchive("has a header of more than a mebibyte")
        parts = []
        while size and (part := self.inflated.read(size)):
            parts.append(part)
            size -= len(part)
        data = b"".join(parts)
        self.sha256.update(data)
        self.at += len(data)
        if self.at > self.most:
            raise BadArchive("unpacks to more than the limits allow")
        return data

    def tell(self) -> int:
        return self.at

    def seek(self, to: int) -> int:
        while self.at < to and self.read(min(CHUNK, to - self.at)):
            pass
        return self.at

    def drain(self) -> None:
        """To the very end, where only the tar's padding may be."""
        while data := self.read(CHUNK):
            if data.strip(b"\0"):
                raise BadArchive("goes on after its end")

    def digest(self) -> str:
        return DIGEST + self.sha256.hexdigest()


@contextmanager
def told() -> Generator[None]:
    """What the libraries say of a damaged archive, in our words."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as cause:
        raise BadArchive(f"is damaged ({cause})") from cause
    except (ValueError, OverflowError, RecursionError) as cause:
        raise BadArchive(f"is no archive of ours ({cause})") from cause


def _tar(reading: _Inflating) -> tarfile.TarFile:
    return tarfile.TarFile(
        fileobj=reading,  # type: ignore[arg-type] # it reads and goes forward, as is all we ask
        mode="r",
        encoding="utf-8",
        errors="surrogateescape",
    )


def _deleted(tar: tarfile.TarFile, found: tarfile.TarInfo) -> tuple[str, ...]:
    content = tar.extractfile(found) if found.isreg() else None
    if content is None:
        raise BadArchive("is not a file", DELETED)
    parts = []
    while part := content.read(CHUNK):
        parts.append(part)
    names = json.loads(b"".join(parts))
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise BadArchive("is not a list of names", DELETED)
    for name in names:
        _check_name(name)
    return tuple(names)


def _checked(found: tarfile.TarInfo) -> Member:
    name = found.name
    _check_name(name)
    mode = _KINDS.get(found.type)
    if mode is None or found.sparse is not None:
        raise BadArchive("is neither file, symbolic link nor folder", name)
    if found.size < 0 or (mode != FILE and found.size):
        raise BadArchive("has a size that cannot be", name)
    if not math.isfinite(found.mtime) or abs(found.mtime) > LATEST_S:
        raise BadArchive("has a time that cannot be", name)
    if mode == FILE and found.mode & stat.S_IXUSR:
        mode = PROGRAM
    target = found.linkname if mode == LINK else ""
    if mode == LINK and (not target or "\0" in target):
        raise BadArchive("is a link to nothing", name)
    return Member(name, mode, found.size, int(found.mtime), target)


def _check_name(name: str) -> None:
    if name.startswith("/"):
        raise BadArchive("is an absolute name", name)
    if "\0" in name or any(part in ("", ".", "..") for part in name.split("/")):
        raise BadArchive("is not a plain name inside a tree", name)
    if is_reserved(name):
        raise BadArchive("is a name that git or Leaseway uses itself", name)


def _check_places(members: dict[str, Member], replaced: set[str], elsewhere: Target) -> None:
    """Nothing lies below a link or a file, and no link leads out. `replaced` names what will be no
    link any more, whatever is there now."""
    for member in members.values():
        for folder in parents(member.name):
            above = members.get(folder)
            if above is not None and above.mode != FOLDER:
                raise BadArchive(f"lies below {shown(folder)}, which is no folder", member.name)
            replaced.add(folder)

    def target_of(name: str) -> str | None:
        if (held := members.get(name)) is not None:
            return held.target or None
        return None if name in replaced else elsewhere(name)

    for member in members.values():
        if member.mode == LINK and leads_out(member.name, member.target, target_of):
            raise BadArchive(f"is a link that leads out, to {shown(member.target)}", member.name)


def nowhere(_name: str) -> None:
    """For an archive that is unpacked into a new folder."""


@contextmanager
def opened(archive: Path) -> Generator[IO[bytes]]:
    """The archive, for reading; BadArchive if it cannot be."""
    try:
        file = archive.open("rb")
    except OSError as cause:
        raise BadArchive(f"cannot be read ({cause.strerror})") from cause
    with file:
        yield file
