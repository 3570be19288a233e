"""Whether an attempt was started before: asked under its lock, by whoever is about to start it.

The order of lines in the journal is the same for everybody. Whoever noted a start held the lock;
so whoever has the lock afterwards finds that note behind the place it read up to before.
"""

from __future__ import annotations

from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import NoteEnded, NoteGranted, NoteReturned, NoteStarted
from leaseway.worker.journal import Journal, Position, notes_of


def was_started(journal: Journal, ref: AttemptRef, position: Position) -> bool:
    """Whether the journal notes a start, an ending or a return after `position`. If it was
    compacted meanwhile and does not know the grant any more, all that is long past."""
    data, end = journal.read_from(position)
    granted = end[0] == position[0]
    for note in notes_of(data):
        match note:
            case NoteStarted(seen) | NoteEnded(seen) | NoteReturned(seen) if seen == ref:
                return True
            case NoteGranted(grant) if grant.ref == ref:
                granted = True
            case _:
                pass
    return not granted
