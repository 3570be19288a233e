"""The worker's disk: what it holds, told by one journal and a folder of outputs per attempt.

Reading the journal from its start gives back everything the worker must not forget; everything
else in the directory can be made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from pathlib import Path

from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import LocalGrant, Note
from leaseway.runtime import fresh_id
from leaseway.worker.folded import Entry, Folded, fold
from leaseway.worker.journal import START, Journal, Position, lines_of, notes_of
from leaseway.worker.locks import JOURNAL, LockFile

LONGEST_NAME = 200
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")


class Spool:
    """The directory, opened by one process. After a fork the child opens its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.keepers.mkdir(mode=0o700, exist_ok=True)
        self.attempts.mkdir(mode=0o700, exist_ok=True)
        self.locks = LockFile(root / "lock")
        self.journal = Journal(root / "journal", self.locks)
        self.spool_id = _kept_id(root / "id")

    @property
    def is_there(self) -> bool:
        """Whether the next daemon will find this; what was removed is read by nobody."""
        return self.locks.has_name()

    @property
    def attempts(self) -> Path:
        """Folder of the outputs."""
        return self.root / "attempts"

    @property
    def keepers(self) -> Path:
        """Folder of the sockets on which keepers can be reached by a later spawner."""
        return self.root / "keepers"

    def folder_of(self, ref: AttemptRef) -> Path:
        """Where the outputs of one attempt are, if it wrote any."""
        return self.attempts / safe_name(ref)

    def view_of(self, grant: LocalGrant) -> str:
        """Where it has its view; empty for what runs in place."""
        return str(self.views / view_name(grant.ref)) if grant.has_view else ""

    @property
    def views(self) -> Path:
        """Folder of the views of all attempts: beside the spool, since they can be large."""
        return self.root.parent / "views"

    def mark_of(self, ref: AttemptRef) -> str:
        """What all processes of this attempt carry as LEASEWAY_ATTEMPT: unique on this machine."""
        return f"{self.spool_id}:{ref}"

    def fold(self) -> Folded:
        """The journal from its start."""
        data, end = self.journal.read_from(START)
        folded = fold(notes_of(data))
        folded.end = end
        return folded

    def forget(self, ref: AttemptRef) -> None:
        """Delete the outputs of an attempt."""
        folder = self.folder_of(ref)
        with contextlib.suppress(FileNotFoundError):
            for path in folder.iterdir():
                path.unlink(missing_ok=True)
            folder.rmdir()

    def compact(self, seen: Position) -> tuple[list[Note], Folded] | None:
        """Put a journal in place that says the same in fewer notes. Gives the notes after `seen`,
        which may not be in it any more, and the new journal folded; None: somebody is writing,
        ask again. What is settled stays for as long as its outputs are here."""
        if not self.locks.take(JOURNAL):
            return None
        try:
            unseen = list(notes_of(self.journal.read_from(seen)[0]))
            folded = self.fold()
            for ref in [ref for ref, entry in folded.entries.items() if self._is_past(ref, entry)]:
                del folded.entries[ref]
            self._replace_journal(folded)
            folded.end = self.journal.end()
            return unseen, folded
        finally:
            self.locks.free(JOURNAL)

    def close(self) -> None:
        """Close what is open."""
        self.journal.close()
        self.locks.close()

    def _is_past(self, ref: AttemptRef, entry: Entry) -> bool:
        if entry.granted is None or entry.returned:
            return True
        return entry.settled and not self.folder_of(ref).exists()

    def _replace_journal(self, folded: Folded) -> None:
        notes = [note for entry in folded.entries.values() for note in entry.notes()]
        head: list[Note] = [folded.ledger] if folded.ledger else []
        fresh = self.root / "journal.new"
        try:
            with fresh.open("wb") as file:
                file.write(lines_of([*head, *notes]))
                file.flush()
                os.fsync(file.fileno())
        except OSError:
            with contextlib.suppress(OSError):
                fresh.unlink()
            raise
        fresh.replace(self.journal.path)
        _sync_folder(self.root)


def safe_name(ref: AttemptRef) -> str:
    """A file name for an attempt, whatever its task is called."""
    safe = "".join(c if c in _SAFE else "".join(f"%{b:02X}" for b in c.encode()) for c in ref.task)
    name = f"{safe}.{ref.number}"
    return name if len(name) <= LONGEST_NAME else _hashed(name)


def view_name(ref: AttemptRef) -> str:
    """The same for a folder in which tools work that take `%` for something of their own."""
    return safe_name(ref).replace("%", "~")


def _hashed(name: str) -> str:
    return f"{name[:100]}-{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"


def _kept_id(path: Path) -> str:
    """The spool's id, made once. Two processes may come first at the same time: one name wins."""
    try:
        kept = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        kept = ""
    if kept:
        return kept
    fresh = path.with_name(f"id.{fresh_id('new')}")
    with fresh.open("w", encoding="ascii") as file:
        file.write(fresh_id("spool") + "\n")
        file.flush()
        os.fsync(file.fileno())
    if path.exists():  # torn by a power cut: nobody can have used it
        fresh.replace(path)
    else:
        with contextlib.suppress(FileExistsError):
            os.link(fresh, path)
        fresh.unlink()
    _sync_folder(path.parent)
    return path.read_text(encoding="ascii").strip()


def _sync_folder(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
