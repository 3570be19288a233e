"""All attempts in the spawner's hands: who keeps each, and what becomes of it if nobody does.

An attempt is *held* from the moment a keeper is told to run it until its ending stands in the
journal. In between its keeper may die, or prove to be one of an earlier spawner; each step finds
out from the journal and the locks what is true, and nothing is believed because it was sent.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping

from leaseway.core.model.capacity import Vector
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import (
    LocalGrant,
    MoveStop,
    NoteEnded,
    NoteStarted,
    StopAttempt,
    Stopping,
    WorkerNow,
)
from leaseway.worker import messages
from leaseway.worker.channel import Channel, Hub
from leaseway.worker.folded import Entry
from leaseway.worker.guardian import Guardian, Orphaned
from leaseway.worker.journal import Position, notes_of
from leaseway.worker.locks import place_of
from leaseway.worker.slots import Slot, find_keeper, fork_keeper
from leaseway.worker.spool import Spool

IDLE_MS: Millis = 60_000
"""An idle keeper is let go after this long."""


class Pool:
    """Keepers and what they hold. What the spawner has to pass on collects in `moved` (the journal
    has grown), `has_room` (something has ended), `stopping`, `unstarted` (to be queued again) and
    `unnoted` (to be handed back)."""

    def __init__(
        self, spool: Spool, hub: Hub, environment: Mapping[str, str], cap_bytes: int
    ) -> None:
        self._spool = spool
        self._hub = hub
        self._environment = dict(environment)
        self._cap_bytes = cap_bytes
        self._guardian = Guardian(spool, self._environment, cap_bytes)
        self._slots: dict[Channel, Slot] = {}
        self._idle: list[Slot] = []
        self._dying: dict[int, Slot] = {}
        self._exits: dict[int, int] = {}
        self._orphans: list[Orphaned] = []
        self._unclear: dict[AttemptRef, LocalGrant] = {}
        self.held: dict[AttemptRef, LocalGrant] = {}
        self.heard_boot: Millis = 0
        self.moved = False
        self.has_room = False
        self.stopping: list[AttemptRef] = []
        self.unstarted: list[LocalGrant] = []
        self.unnoted: list[AttemptRef] = []

    def running(self) -> tuple[tuple[AttemptRef, Vector], ...]:
        """What takes capacity."""
        return tuple((ref, grant.taken) for ref, grant in self.held.items())

    @property
    def is_busy_clearing(self) -> bool:
        """Whether `step` has something to do soon."""
        is_guarding = any(not orphaned.is_blocked for orphaned in self._orphans)
        return bool(is_guarding or self._dying or self._unclear)

    def start(self, grant: LocalGrant, check_from: Position | None) -> bool:
        """Give it to an idle keeper, a new one if none is idle. False: none can be made now."""
        try:
            slot = self._idle.pop() if self._idle else self._forked()
        except OSError:
            return False
        slot.grant = self.held[grant.ref] = grant
        mark = self._spool.mark_of(grant.ref)
        run = messages.Run(grant, mark, self.heard_boot, check_from)
        slot.channel.send(messages.encode(run))
        return True

    def adopt(self, entry: Entry) -> None:
        """Take over what the journal says was started and has no ending."""
        assert entry.granted is not None
        assert entry.started is not None
        grant = entry.granted.grant
        self.held[grant.ref] = grant
        slot = find_keeper(self._spool, grant, entry.started)
        if slot is not None:
            self._add(slot)
        else:
            self._orphans.append(Orphaned(grant, entry.started))

    def order(self, message: StopAttempt | MoveStop) -> None:
        """Pass an order on to whoever keeps that attempt."""
        for slot in self._slots.values():
            if slot.grant is not None and slot.grant.ref == message.ref:
                slot.channel.send(messages.encode(message))

    def hear(self, heard_boot: Millis) -> None:
        """The coordinator was heard; keepers count from it who may be cut off."""
        self.heard_boot = max(self.heard_boot, heard_boot)
        line = messages.encode(messages.Heard(heard_boot))
        for slot in self._slots.values():
            if slot.grant and slot.grant.cut_off_ms is not None and not slot.channel.waiting:
                slot.channel.send(line)

    def receive(self, channel: Channel, now: WorkerNow) -> None:
        """What a keeper says, or that it is gone."""
        slot = self._slots[channel]
        for line in channel.receive():
            self._take(slot, messages.from_keeper(line), now)
        if channel.is_gone():
            self._lose(slot)

    def step(self, now: WorkerNow) -> None:
        """Reap, guard, look into what is unclear, see that keepers run, let idle ones go."""
        self._reap()
        for orphaned in list(self._orphans):
            keepers = {slot.pid for slot in (*self._slots.values(), *self._dying.values())}
            orphaned.is_blocked = True
            with contextlib.suppress(OSError):  # the disk is full: again, but not in a hurry
                if self._guardian.step(orphaned, keepers, now) is not None:
                    self._orphans.remove(orphaned)
                    self._finish(orphaned.grant.ref)
                orphaned.is_blocked = False
            if orphaned.is_blocked and not self._spool.is_there:  # nobody will ever read it
                self._orphans.remove(orphaned)
                self._finish(orphaned.grant.ref)
        if self._unclear:
            self._look_into_unclear()
        for slot in self._slots.values():
            if slot.grant is not None:
                slot.go_on()
        for slot in [s for s in self._idle if now.boot_ms - s.idle_since > IDLE_MS]:
            self._idle.remove(slot)
            slot.channel.send(messages.encode(messages.Retire()))

    def _forked(self) -> Slot:
        slot = fork_keeper(self._spool, self._environment, self._cap_bytes)
        self._add(slot)
        return slot

    def _add(self, slot: Slot) -> None:
        self._slots[slot.channel] = slot
        self._hub.add(slot.channel)

    def _finish(self, ref: AttemptRef) -> None:
        self.held.pop(ref, None)
        self.moved = self.has_room = True

    def _take(self, slot: Slot, message: messages.FromKeeper, now: WorkerNow) -> None:
        match message:
            case messages.Running() | messages.Noted():
                self.moved = True
            case Stopping(ref):
                self.stopping.append(ref)
            case messages.Done(ref, reusable):
                self._rest(slot, now, reusable=reusable)
                self._finish(ref)
            case messages.NotMine(ref):
                self._unclear[ref] = self.held[ref]
                self._rest(slot, now, reusable=True)
            case messages.NotNoted(ref):
                self._rest(slot, now, reusable=True)
                self.held.pop(ref, None)
                self.unnoted.append(ref)

    def _rest(self, slot: Slot, now: WorkerNow, *, reusable: bool) -> None:
        slot.grant = None
        slot.idle_since = now.boot_ms
        if reusable and slot.is_own:
            self._idle.append(slot)

    def _lose(self, slot: Slot) -> None:
        """Its keeper has left, or died."""
        del self._slots[slot.channel]
        self._hub.remove(slot.channel)
        if slot in self._idle:
            self._idle.remove(slot)
        if slot.is_own:
            self._dying[slot.pid] = slot  # its children are ours only when it has been reaped
            self._reap()
        elif slot.grant is not None:
            self._mourn(slot, slot.grant)

    def _reap(self) -> None:
        """Wait for keepers that left and for orphans that fell to us, whoever is ready."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            self._exits[pid] = os.waitstatus_to_exitcode(status)
        for pid in [pid for pid in self._dying if pid in self._exits]:
            slot = self._dying.pop(pid)
            if slot.grant is not None:
                self._mourn(slot, slot.grant)
            if slot.cell is not None:
                slot.cell.close()
        for orphaned in self._orphans:
            if orphaned.leader in self._exits:
                orphaned.see_exit(self._exits[orphaned.leader])
        if not self._dying:
            # Many may die at once: whose end we have not noticed yet has been reaped here too.
            later = {pid for slot in self._slots.values() for pid in (slot.pid, slot.leader())}
            self._exits = {pid: code for pid, code in self._exits.items() if pid in later}

    def _mourn(self, slot: Slot, grant: LocalGrant) -> None:
        """A keeper is gone that had an attempt: how far had it got?"""
        started, ended = slot.started, None
        for note in notes_of(self._spool.journal.read_from(slot.born)[0]):
            if isinstance(note, NoteStarted) and note.ref == grant.ref:
                started = note
            elif isinstance(note, NoteEnded) and note.ref == grant.ref:
                ended = note
        if ended is not None:
            self._finish(grant.ref)
        elif started is not None:
            self._orphans.append(Orphaned(grant, started, slot.leader()))
        else:
            self.held.pop(grant.ref, None)
            self.unstarted.append(grant)

    def _look_into_unclear(self) -> None:
        """Our keeper found the lock taken or a start noted: somebody of an earlier spawner."""
        entries = self._spool.fold().entries
        for ref, grant in list(self._unclear.items()):
            entry = entries.get(ref)
            if entry is None or entry.ended is not None or entry.returned:
                self._finish(ref)
            elif entry.started is not None:
                self.adopt(entry)
            elif not self._spool.locks.is_taken(place_of(ref)):
                self.held.pop(ref, None)
                self.unstarted.append(grant)
            else:
                continue  # it has the lock and has not noted the start yet
            del self._unclear[ref]
