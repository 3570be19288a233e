"""A worker's disk: the journal survives every crash of a process, and its unsynced tail may be lost
when the power goes."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import Adopted, Note, NoteEnded, NoteSettled
from leaseway.sim.chance import Chance
from leaseway.worker import recovery
from leaseway.worker.folded import Folded, fold
from leaseway.worker.spool import Spool

NOWHERE = Path("/nonexistent")


class Journal:
    """The journal of one spool. Reading it is the real fold of the worker."""

    def __init__(self, spool_id: str) -> None:
        self.spool_id = spool_id
        self.notes: list[Note] = []
        self.synced = 0
        self.retold: set[AttemptRef] = set()  # settled, but a power cut has wiped the note of it

    def append(self, *notes: Note) -> None:
        """Into the page cache: there for every process, not yet on the disk."""
        self.notes.extend(notes)

    def sync(self) -> None:
        """Everything appended so far is on the disk."""
        self.synced = len(self.notes)

    def lose_power(self, chance: Chance) -> int:
        """Some of the unsynced tail is gone, the last of it first; how many notes."""
        kept = chance.between(self.synced, len(self.notes))
        lost = len(self.notes) - kept
        for note in self.notes[kept:]:
            if isinstance(note, NoteSettled):
                self.retold.update(note.refs)
        del self.notes[kept:]
        self.synced = kept
        return lost

    def recovered(self, boot_id: str) -> tuple[Folded, tuple[Adopted, ...]]:
        """What a daemon that starts finds, after it wrote the endings of what a reboot ended."""
        folded = fold(self.notes)
        recovery.end_older_boots(cast(Spool, _Folder(self)), folded, boot_id)
        return folded, recovery.adopted(folded, boot_id)

    def endings(self) -> dict[AttemptRef, NoteEnded]:
        """Endings that are here, settled or not: the first of each attempt counts."""
        found: dict[AttemptRef, NoteEnded] = {}
        for note in self.notes:
            if isinstance(note, NoteEnded):
                found.setdefault(note.ref, note)
        return found


class _Folder:
    """As much of a spool's directory as recovery looks at: a journal, and no outputs."""

    root = NOWHERE

    def __init__(self, journal: Journal) -> None:
        self.journal = journal

    def folder_of(self, ref: AttemptRef) -> Path:
        """Where the outputs would be."""
        return NOWHERE
