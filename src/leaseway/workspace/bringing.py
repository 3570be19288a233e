"""Results come home: into a tree in which somebody may have worked on meanwhile.

Nothing of it is in the tree before all of it is on the same disk. Then it is put in place name by
name, and undone again if one step fails. What is overwritten or deleted is only what is still as it
was sent; where both sides changed, the local one stays and the other is put beside it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from leaseway.workspace.disk import passing_folder, sweep
from leaseway.workspace.errors import Unsteady, written
from leaseway.workspace.limits import DEFAULT_LIMITS, Limits
from leaseway.workspace.manifest import FOLDER, Entry, Manifest, entry_on_disk
from leaseway.workspace.naming import STAGING, in_order, parents
from leaseway.workspace.unpacking import unpack

_OLD, _IN, _NEW = "old", "in", "in/new"
_RESCUED = "leaseway-rescued-"


@dataclass(frozen=True, slots=True)
class Aside:
    """A local file that was kept. `beside` is where what came was put; None: it came as deleted."""

    path: str
    beside: str | None


@dataclass(frozen=True, slots=True)
class Brought:
    """What became of each name that came. `unchanged` was the same already."""

    written: tuple[str, ...]
    kept_aside: tuple[Aside, ...]
    deleted: tuple[str, ...]
    unchanged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """An archive of results, and the task it is from, which names what is put beside (its `/` and
    other such characters become `-`)."""

    archive: Path
    digest: str
    task: str

    def beside(self, name: str) -> str:
        """`NAME.from-TASK`."""
        task = "".join(c if c.isalnum() or c in "-_." else "-" for c in self.task)
        return f"{name}.from-{task}"


def everything(_: str) -> bool:
    """Every name is wanted."""
    return True


def bring(
    delivery: Delivery,
    destination: Path,
    sent: Manifest,
    limits: Limits = DEFAULT_LIMITS,
    wanted: Callable[[str], bool] = everything,
) -> Brought:
    """Bring results into `destination`, of which `sent` says what it held when it was packed; of
    what came, the names that are `wanted`. A local name that differs from what was sent and from
    what comes is kept (LW202). Raises
    BadArchive, NotWritten, and Unsteady if files change under its hands; then nothing was changed.
    After a crash in the middle, bringing the same again completes it.
    """
    sweep(destination, STAGING)
    with passing_folder(destination, STAGING) as staging:
        (staging / _IN).mkdir()  # the staging folder itself is locked
        came = unpack(delivery.archive, staging / _NEW, delivery.digest, limits)
        (staging / _OLD).mkdir()
        bringing = _Bringing(delivery, destination, sent, staging)
        with written(destination), bringing.undone_on_failure():
            for name in sorted(filter(wanted, came.deleted), key=os.fsencode, reverse=True):
                bringing.delete(name)
            for name, entry in came.manifest.entries.items():
                if wanted(name):
                    bringing.put(name, entry)
        return bringing.brought()


@dataclass
class _Bringing:
    delivery: Delivery
    root: Path
    sent: Manifest
    staging: Path
    put_in: list[str] = field(default_factory=list)
    aside: list[Aside] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    same: list[str] = field(default_factory=list)
    _undo: list[tuple[Path | None, Path]] = field(default_factory=list)  # what was there, where

    def brought(self) -> Brought:
        aside = tuple(sorted(self.aside, key=lambda kept: os.fsencode(kept.path)))
        return Brought(in_order(self.put_in), aside, in_order(self.gone), in_order(self.same))

    def delete(self, name: str) -> None:
        """Remove a name that is still as it was sent."""
        path = self.root / name
        if self._hidden_by(name) is not None:
            self.same.append(name)
            return
        seen = _stat(path)
        local = entry_on_disk(path)
        if local is None or (local.mode == FOLDER and any(path.iterdir())):
            self.same.append(name)
        elif local == self.sent.entries.get(name) or local.mode == FOLDER:
            self._take_away(path, seen)
            self.gone.append(name)
        else:
            self.aside.append(Aside(name, None))

    def put(self, name: str, entry: Entry) -> None:
        """Put one name in place, or beside what is there."""
        hidden = self._hidden_by(name)
        if hidden is not None:
            self._beside(name, hidden)
            return
        path = self.root / name
        seen = _stat(path)
        local = entry_on_disk(path)
        if local == entry:
            self.same.append(name)
        elif local is None or self._may_go(name, local):
            self._take_away(path, seen)
            self._move_in(name, path)
            self.put_in.append(name)
        else:
            self._beside(name, name)

    def _may_go(self, name: str, local: Entry) -> bool:
        """Whether it is what was sent, or an empty folder, which says nothing."""
        if local.mode == FOLDER:
            return not any((self.root / name).iterdir())
        return local == self.sent.entries.get(name)

    def _hidden_by(self, name: str) -> str | None:
        """The first folder of this name that is something else here: a file, or a link that is not
        to be written through."""
        for folder in parents(name):
            found = _stat(self.root / folder)
            if found is None:
                return None
            if not stat.S_ISDIR(found.st_mode):
                return folder
        return None

    def _beside(self, name: str, local: str) -> None:
        """`local` stays; what came is put beside it, under a name that is free."""
        first = self.delivery.beside(local)
        for beside in _numbered(first):
            place = beside + name[len(local) :]
            if self._hidden_by(place) is None:
                there = entry_on_disk(self.root / place)
                if there is None:
                    self._move_in(name, self.root / place)
                    break
                if there == entry_on_disk(self.staging / _NEW / name):
                    break
        self.aside.append(Aside(name, place))

    def _take_away(self, path: Path, seen: os.stat_result | None) -> None:
        """Keep what is there until all is done, and be sure that it is what was looked at."""
        if seen is None:
            return
        if stat.S_ISDIR(seen.st_mode):
            path.rmdir()  # empty, or it fails and all is undone
            self._undo.append((path, path))
            return
        old = self.staging / _OLD / str(len(self._undo))
        os.rename(path, old)
        self._undo.append((old, path))
        if _looks(_stat(old)) != _looks(seen):
            raise Unsteady([os.path.relpath(path, self.root)])

    def _move_in(self, name: str, path: Path) -> None:
        for folder in parents(os.path.relpath(path, self.root)):
            with contextlib.suppress(FileExistsError):
                (self.root / folder).mkdir()
                self._undo.append((None, self.root / folder))
        try:
            _appear(self.staging / _NEW / name, path)
        except FileExistsError as cause:
            raise Unsteady([os.path.relpath(path, self.root)]) from cause
        self._undo.append((None, path))

    @contextlib.contextmanager
    def undone_on_failure(self) -> Iterator[None]:
        """If a step fails, everything goes back, the last first."""
        try:
            yield
        except BaseException:
            self._put_back()
            raise

    def _put_back(self) -> None:
        try:
            for old, path in reversed(self._undo):
                if old is None:
                    _away(path)
                elif old == path:
                    path.mkdir(exist_ok=True)
                else:
                    os.rename(old, path)
        except OSError:
            # What was taken away must not go with the staging folder.
            os.rename(self.staging / _OLD, self.root / self.staging.name.replace(STAGING, _RESCUED))
            raise


def _appear(fresh: Path, path: Path) -> None:
    """Give something its place; FileExistsError if somebody else was there first."""
    if fresh.is_dir() and not fresh.is_symlink():
        path.mkdir()
        return
    try:
        os.link(fresh, path, follow_symlinks=False)
    except OSError as cause:
        if cause.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
            raise
        os.rename(fresh, path)  # a file system without hard links


def _away(path: Path) -> None:
    found = _stat(path)
    if found is None:
        return
    if stat.S_ISDIR(found.st_mode):
        with contextlib.suppress(OSError):  # somebody else's file is in it
            path.rmdir()
    else:
        path.unlink()


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}.{number}"
        number += 1


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _looks(found: os.stat_result | None) -> tuple[int, ...]:
    """ctime left out: a rename changes it."""
    if found is None:
        return ()
    return (found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns)
