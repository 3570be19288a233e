"""Views on the disk: a tree of its own for every attempt whose plan travels with its tree.

    views/<attempt>                 the tree itself
    views/.about/<attempt>/         what it looked like when it was made, what was collected of it,
                                    and, once it is to outlive its settling, that it is kept
    views/.making, views/.gone      on their way in and out; whatever a crash left there is removed

A tree has its name only once it is whole, and loses it before the first of its files goes.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import astuple
from pathlib import Path

import msgspec
from msgspec import Struct

from leaseway.core.model.plan import Archive
from leaseway.core.model.sync import AttemptRef
from leaseway.runtime import fresh_id
from leaseway.worker.spool import view_name
from leaseway.workspace.cache import Cache
from leaseway.workspace.changes import Mark, Snapshot, snapshot
from leaseway.workspace.disk import whole_file
from leaseway.workspace.limits import Limits
from leaseway.workspace.listing import walk
from leaseway.workspace.removing import remove_tree
from leaseway.workspace.unpacking import overlay, unpack

LIMITS = Limits(content_bytes=8 * 1024**3, files=1_000_000)
"""Of what is laid into a view: the coordinator has taken it, so these are no finer than its own."""

NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class Kept(Struct, frozen=True):
    """A view that is kept: of which attempt, how large it was, and why."""

    ref: AttemptRef
    bytes: int
    why: str


class NotHere(Exception):
    """An archive is not in the cache (any more)."""


class Views:
    """The folder of views of one spool."""

    def __init__(self, root: Path, spool_id: str) -> None:
        self.root = root
        self._spool_id = spool_id

    def path(self, ref: AttemptRef) -> Path:
        """The tree of an attempt."""
        return self.root / view_name(ref)

    def about(self, ref: AttemptRef) -> Path:
        """What is known of it."""
        return self.root / ".about" / view_name(ref)

    def is_made(self, ref: AttemptRef) -> bool:
        """Whether it is there, a folder, and we know what it looked like."""
        path = self.path(ref)
        return path.is_dir() and not path.is_symlink() and (self.about(ref) / "before").exists()

    def make(
        self, ref: AttemptRef, layers: Iterable[Archive], cache: Cache, workdir: str | None = None
    ) -> None:
        """Lay the archives over each other, and make the folder to run in, which does not travel
        while it is empty. NotHere: the cache lacks one; else as `unpack` and
        OSError; then nothing is there."""
        self.remove(ref)
        making = self.root / ".making" / fresh_id("view")
        try:
            making.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with ExitStack() as held:
                found = [(held.enter_context(cache.hold(one.digest)), one.digest) for one in layers]
                for at, (archive, digest) in enumerate(found):
                    if archive is None:
                        raise NotHere(digest)
                    lay = overlay if at else unpack
                    lay(archive, making, digest, LIMITS)
            _make_inside(making, workdir or ".")
            self._write_about(ref, snapshot(making))
            making.rename(self.path(ref))
        except BaseException:
            remove_tree(making)
            self.remove(ref)
            raise

    def before(self, ref: AttemptRef) -> Snapshot:
        """What it looked like when it was made. OSError or ValueError: nobody knows any more."""
        text = (self.about(ref) / "before").read_text(encoding="utf-8")
        read = json.loads(text)
        marks = {name: Mark(*mark) for name, mark in read["marks"].items()}
        return Snapshot(marks, frozenset(read["unreadable"]))

    def keep(self, ref: AttemptRef, why: str) -> None:
        """It shall outlive its settling. OSError: not noted."""
        about = self.about(ref)
        about.mkdir(mode=0o700, parents=True, exist_ok=True)
        note = Kept(ref, _bytes_below(self.path(ref)), why)
        with whole_file(about / "kept") as file:
            file.write(msgspec.json.encode(note))

    def kept(self, ref: AttemptRef) -> Kept | None:
        """The note that it is kept."""
        return _read_kept(self.about(ref) / "kept")

    def forget_archives(self, ref: AttemptRef) -> None:
        """Of what is kept: what was collected is at the coordinator, or in the tree itself."""
        for path in self.about(ref).iterdir():
            if path.name not in ("kept", "spool"):
                path.unlink()

    def remove(self, ref: AttemptRef) -> None:
        """The tree and all that is known of it."""
        self._let_go(self.path(ref))
        self._let_go(self.about(ref))

    def drop(self, ref: AttemptRef) -> None:
        """The same, because room was needed; a file in its place says so."""
        self.remove(ref)
        marker = self.root / f"{view_name(ref)}.removed"
        with contextlib.suppress(OSError):
            marker.write_text(
                f"The files of {ref} were removed because this disk needed room. What was"
                " collected of them was brought to the coordinator.\n",
                encoding="utf-8",
            )

    def sweep(self, live: Iterable[AttemptRef]) -> list[Kept]:
        """At the start of a daemon: remove what a crash left and what nobody will ask for. Gives
        what is kept, the oldest first. What another spool has made is left alone."""
        for passing in (".making", ".gone"):
            remove_tree(self.root / passing)
        names = {view_name(ref) for ref in live}
        kept: list[tuple[int, Kept]] = []
        abouts = self.root / ".about"
        for about in list(abouts.iterdir()) if abouts.is_dir() else ():
            note = _read_kept(about / "kept")
            if about.name in names or not self._is_ours(about):
                continue
            if note is not None and view_name(note.ref) == about.name:
                kept.append(((about / "kept").stat().st_mtime_ns, note))
            else:
                self._let_go(self.root / about.name)
                self._let_go(about)
        kept.sort(key=lambda pair: pair[0])
        return [note for _, note in kept]

    def free_bytes(self) -> int:
        """Room on the disk."""
        found = os.statvfs(self.root if self.root.is_dir() else self.root.parent)
        return found.f_bavail * found.f_frsize

    def _is_ours(self, about: Path) -> bool:
        try:
            return (about / "spool").read_text(encoding="ascii") == self._spool_id
        except OSError:
            return True  # from the middle of making it

    def _write_about(self, ref: AttemptRef, before: Snapshot) -> None:
        about = self.about(ref)
        about.mkdir(mode=0o700, parents=True, exist_ok=True)
        (about / "spool").write_text(self._spool_id, encoding="ascii")
        marks = {name: astuple(mark) for name, mark in before.marks.items()}
        said = json.dumps({"marks": marks, "unreadable": sorted(before.unreadable)})
        fresh = about / "before.new"
        fresh.write_text(said, encoding="utf-8")
        fresh.replace(about / "before")

    def _let_go(self, path: Path) -> None:
        """Its name goes at once, its files then. What cannot be removed is tried again at the next
        start."""
        gone = self.root / ".gone"
        with contextlib.suppress(FileNotFoundError):
            path.lstat()
            gone.mkdir(mode=0o700, parents=True, exist_ok=True)
            away = gone / fresh_id("gone")
            path.rename(away)
            remove_tree(away)


def _read_kept(path: Path) -> Kept | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except (OSError, msgspec.DecodeError):
        return None


def _make_inside(view: Path, workdir: str) -> None:
    """A folder of the view, unless its name or a link leads elsewhere."""
    folder = view / workdir
    if folder.resolve().is_relative_to(view.resolve()) and not folder.exists():
        folder.mkdir(parents=True)


def _bytes_below(root: Path) -> int:
    total = 0
    with contextlib.suppress(OSError):
        for _, entry in walk(os.fspath(root), []):
            with contextlib.suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    total += entry.stat(follow_symlinks=False).st_size
    return total
