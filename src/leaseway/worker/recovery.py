"""What a daemon does with its spool before it speaks to anybody.

After a reboot nothing of the last boot runs, and every attempt of it has a known ending: what was
granted counts as started, since a start may have been noted on a page that never reached the disk.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import Adopted, NoteEnded
from leaseway.worker.capture import produced, ring_of, unroll
from leaseway.worker.folded import Entry, Folded
from leaseway.worker.spool import Spool


class Beat(Struct, frozen=True):
    """That this worker was alive at this moment: how long an attempt ran at the least."""

    boot_id: str
    boot_ms: Millis


def write_beat(root: Path, beat: Beat) -> None:
    """Not synced: a bound that is a little too low is a bound as well."""
    fresh = root / "beat.new"
    fresh.write_bytes(msgspec.json.encode(beat))
    fresh.replace(root / "beat")


def read_beat(root: Path) -> Beat | None:
    """The last one, if it can be read."""
    try:
        return msgspec.json.decode((root / "beat").read_bytes(), type=Beat)
    except (OSError, msgspec.DecodeError):
        return None


def end_older_boots(spool: Spool, folded: Folded, boot_id: str) -> None:
    """Write the endings of what a reboot ended. OSError: the disk is full; nothing may go on."""
    beat = read_beat(spool.root)
    for entry in folded.entries.values():
        note = _restarted(spool, entry, boot_id, beat)
        if note is not None:
            spool.journal.append(note)
            folded.add(note)
    spool.journal.sync()


def adopted(folded: Folded, boot_id: str) -> tuple[Adopted, ...]:
    """What the agent takes over, in times of this boot: what ended before it, ended at 0."""
    return tuple(_in_this_boot(record, boot_id) for record in folded.records())


def _in_this_boot(record: Adopted, boot_id: str) -> Adopted:
    ended = record.ended
    if ended is not None and ended.boot_id != boot_id:
        record = replace(record, ended=replace(ended, ended_boot=0, started_boot=None))
    if record.boot_id != boot_id:
        record = replace(record, started_boot=None)
    return record


def _restarted(spool: Spool, entry: Entry, boot_id: str, beat: Beat | None) -> NoteEnded | None:
    granted, started = entry.granted, entry.started
    if granted is None or entry.ended is not None or entry.returned or entry.settled:
        return None
    noted = started.boot_id if started is not None else granted.boot_id
    if noted == boot_id:
        return None
    ref = granted.grant.ref
    ran_ms = 0
    if started is not None and beat is not None and beat.boot_id == noted:
        ran_ms = max(0, beat.boot_ms - started.started_boot)
    sizes = []
    for name in ("stdout", "stderr"):
        path = spool.folder_of(ref) / name
        sizes.append(produced(path))
        if ring_of(path).exists():
            unroll(path)
    ending = Ending(
        kind=EndKind.RESTARTED,
        ran_ms=ran_ms,
        held_ms=ran_ms,
        stdout_bytes=sizes[0],
        stderr_bytes=sizes[1],
        detail="" if started else "granted before the restart; no start is noted",
    )
    return NoteEnded(ref, ending, boot_id, ended_boot=0)
