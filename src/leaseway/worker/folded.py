"""What a worker's journal says, attempt by attempt. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from leaseway.core.model.sync import AttemptRef, Phase
from leaseway.core.model.worker import (
    Adopted,
    Note,
    NoteChecked,
    NoteCollected,
    NoteDelivered,
    NoteEnded,
    NoteGranted,
    NoteLedger,
    NoteReceived,
    NoteReturned,
    NoteSettled,
    NoteStarted,
)
from leaseway.worker.journal import START, Position


@dataclass
class Entry:
    """What the journal says of one attempt, each kind once (the first counts)."""

    granted: NoteGranted | None = None
    received: NoteReceived | None = None
    started: NoteStarted | None = None
    checked: NoteChecked | None = None  # the last one
    ended: NoteEnded | None = None
    collected: NoteCollected | None = None
    delivered: NoteDelivered | None = None
    returned: bool = False
    settled: bool = False

    def notes(self) -> Iterator[Note]:
        """The same again, for a compacted journal."""
        said = (self.granted, self.received, self.started, self.checked, self.ended)
        for note in (*said, self.collected, self.delivered):
            if note is not None:
                yield note
        if self.ended is not None and self.settled:
            yield NoteSettled((self.ended.ref,))

    def adopted(self) -> Adopted | None:
        """What a daemon hears of it; None when there is nothing left to do."""
        if self.granted is None or self.returned or self.settled:
            return None
        phase = Phase.GRANTED
        if self.started is not None:
            phase = Phase.RUNNING
        if self.ended is not None:
            phase = Phase.ENDED
        return Adopted(
            grant=self.granted.grant,
            phase=phase,
            boot_id=self.granted.boot_id,
            started_boot=self.started.started_boot if self.started else None,
            ended=self._told(self.granted.grant.has_view),
            received_ms=self.received.received_ms if self.received else None,
            checked=self.checked,
        )

    def _told(self, has_view: bool) -> NoteEnded | None:
        """The ending as it is reported. What ran in a view is, once all of it is delivered."""
        if self.ended is None or not has_view:
            return self.ended
        if self.delivered is None:
            return None
        return replace(self.ended, ending=self.delivered.ending)


@dataclass
class Folded:
    """The journal, folded: an entry per attempt in the order granted, and the ledger followed."""

    entries: dict[AttemptRef, Entry] = field(default_factory=dict)
    ledger: NoteLedger | None = None
    end: Position = START

    def add(self, note: Note) -> None:
        """One more note."""
        match note:
            case NoteLedger():
                self.ledger = note
            case NoteSettled(refs):
                for ref in refs:
                    self.entry(ref).settled = True
            case NoteGranted(grant):
                entry = self.entry(grant.ref)
                entry.granted = entry.granted or note
            case NoteReturned(ref):
                self.entry(ref).returned = True
            case NoteChecked(ref):
                self.entry(ref).checked = note
            case _:
                self._add_of_run(note)

    def _add_of_run(
        self, note: NoteReceived | NoteStarted | NoteEnded | NoteCollected | NoteDelivered
    ) -> None:
        entry = self.entry(note.ref)
        match note:
            case NoteReceived():
                entry.received = entry.received or note
            case NoteStarted():
                entry.started = entry.started or note
            case NoteEnded():
                entry.ended = entry.ended or note
            case NoteCollected():
                entry.collected = entry.collected or note
            case NoteDelivered():
                entry.delivered = entry.delivered or note

    def entry(self, ref: AttemptRef) -> Entry:
        """The entry of an attempt, made if it is new."""
        return self.entries.setdefault(ref, Entry())

    def records(self) -> tuple[Adopted, ...]:
        """What a daemon adopts."""
        found = (entry.adopted() for entry in self.entries.values())
        return tuple(record for record in found if record is not None)

    def running(self) -> dict[AttemptRef, Entry]:
        """Noted as started, without an ending."""
        return {
            ref: entry
            for ref, entry in self.entries.items()
            if entry.started is not None and entry.ended is None and not entry.returned
        }


def fold(notes: Iterable[Note]) -> Folded:
    """All notes from the start."""
    folded = Folded()
    for note in notes:
        folded.add(note)
    return folded
