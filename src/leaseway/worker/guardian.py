"""The second guardian: what is done for an attempt whose keeper is gone without an ending.

Its processes are found by the mark in their environment, and below the spawner, to which they fell
when their keeper died (it is the next subreaper above). All are killed; then, and only then, the
ending is written. If the command had exited before that, its exit is in the ending.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.worker import LocalGrant, NoteEnded, NoteStarted, WorkerNow
from leaseway.worker.capture import produced, ring_of, unroll
from leaseway.worker.launch import folder_for
from leaseway.worker.locks import place_of
from leaseway.worker.outputs import checked
from leaseway.worker.processes import (
    ancestors,
    carries,
    children_of,
    descendants,
    is_alive,
    mark_in,
    marked,
    signal_if,
)
from leaseway.worker.spool import Spool


@dataclass
class Orphaned:
    """An attempt without a keeper. `leader`: the pid of its command if we know it; `exit_code` as
    of wait (negative: signal) if it exited before we killed anything. `is_blocked`: the disk does
    not take its ending."""

    grant: LocalGrant
    started: NoteStarted
    leader: int = 0
    exit_code: int | None = None
    killed: tuple[int, ...] = ()
    is_locked: bool = False
    is_blocked: bool = False

    def see_exit(self, exit_code: int) -> None:
        """The command was reaped. After we killed, that says nothing about the command."""
        if not self.killed:
            self.exit_code = exit_code


class Guardian:
    """Clears away orphaned attempts, a step at each call, so that the queue is not kept waiting."""

    def __init__(self, spool: Spool, environment: dict[str, str], cap_bytes: int) -> None:
        self._spool = spool
        self._environment = environment
        self._cap_bytes = cap_bytes

    def step(self, orphaned: Orphaned, keepers: set[int], now: WorkerNow) -> NoteEnded | None:
        """Kill what is left; once nothing is, the ending, written. OSError: not written yet."""
        ref = orphaned.grant.ref
        if not orphaned.is_locked and not self._spool.locks.take(place_of(ref)):
            return None  # its keeper is not quite gone
        orphaned.is_locked = True
        alive = self._members(orphaned.started.mark, keepers)
        if alive:
            fresh = [pid for pid in alive if pid not in orphaned.killed]
            orphaned.killed += tuple(fresh)
            for pid in alive:
                signal_if(pid, signal.SIGKILL, lambda pid: self._belongs(pid, orphaned, keepers))
            return None
        note = NoteEnded(
            ref=ref,
            ending=self._ending(orphaned, now),
            boot_id=orphaned.started.boot_id,
            ended_boot=now.boot_ms,
            started_boot=orphaned.started.started_boot,
        )
        self._spool.journal.append(note)
        self._spool.locks.free(place_of(ref))
        return note

    def _members(self, mark: str, keepers: set[int]) -> list[int]:
        found = dict.fromkeys(marked(mark))
        for child in children_of(os.getpid()):
            if child not in keepers:
                for pid in (child, *descendants(child)):
                    if mark_in(pid) in (None, mark):
                        found[pid] = None
        return [pid for pid in found if is_alive(pid)]

    def _belongs(self, pid: int, orphaned: Orphaned, keepers: set[int]) -> bool:
        if carries(pid, orphaned.started.mark):
            return True
        above = list(ancestors(pid))
        return os.getpid() in above and pid not in keepers and not keepers & set(above)

    def _ending(self, orphaned: Orphaned, now: WorkerNow) -> Ending:
        folder = self._spool.folder_of(orphaned.grant.ref)
        counts = []
        for name in ("stdout", "stderr"):
            path = folder / name
            counts.append(produced(path, self._cap_bytes))
            if ring_of(path).exists():
                unroll(path, self._cap_bytes)
        code = orphaned.exit_code
        held_ms = max(0, now.boot_ms - orphaned.started.started_boot)
        ending = Ending(
            kind=EndKind.KEEPER_DIED,
            exit_code=code if code is not None and code >= 0 else None,
            signal=-code if code is not None and code < 0 else None,
            ran_ms=held_ms,
            held_ms=held_ms,
            stdout_bytes=counts[0],
            stderr_bytes=counts[1],
            left_pids=orphaned.killed,
        )
        view = self._spool.view_of(orphaned.grant)
        where = folder_for(orphaned.grant, self._environment, view)
        return checked(ending, orphaned.grant.outputs, where)
