"""Keepers as the spawner sees them: forked from it, or found running by it."""

from __future__ import annotations

import mmap
import os
import signal
import socket
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass

from leaseway.core.model.units import Millis
from leaseway.core.model.worker import LocalGrant, NoteStarted
from leaseway.worker.channel import Channel, connect_in
from leaseway.worker.journal import START, Position
from leaseway.worker.keeper import KeeperSetup, read_leader, run_keeper
from leaseway.worker.processes import is_halted, signal_if, start_of
from leaseway.worker.spool import Spool

_FAILED = 70


@dataclass(eq=False)
class Slot:
    """A keeper. `born`: where the journal ended when it came to us, so that its notes are looked
    for from there. `cell`: the pid of its task, if it is a child of ours."""

    pid: int
    channel: Channel
    born: Position
    cell: mmap.mmap | None = None
    grant: LocalGrant | None = None
    started: NoteStarted | None = None
    idle_since: Millis = 0

    @property
    def is_own(self) -> bool:
        """Forked by this spawner, so ours to reap."""
        return self.cell is not None

    def leader(self) -> int:
        """The pid of its task; 0 if it has none or we cannot know."""
        return read_leader(self.cell) if self.cell is not None else 0

    def go_on(self) -> None:
        """Let a keeper run again that somebody halted: meanwhile it holds no bound."""
        if is_halted(self.pid):
            signal_if(self.pid, signal.SIGCONT, self._is_it)

    def _is_it(self, pid: int) -> bool:
        """A child keeps its pid until it is reaped; others are known by their start time."""
        known = self.started.keeper_start if self.started is not None else None
        return self.is_own or start_of(pid) == known


def fork_keeper(spool: Spool, environment: Mapping[str, str], cap_bytes: int) -> Slot:
    """A new keeper, idle. OSError: no more processes or descriptors."""
    ours, theirs = socket.socketpair()
    cell = mmap.mmap(-1, 8)
    born = spool.journal.end()
    pid = os.fork()
    if pid == 0:
        _be_keeper(KeeperSetup(spool.root, theirs, environment, cell, cap_bytes))
    theirs.close()
    return Slot(pid, Channel(ours), born, cell)


def _be_keeper(setup: KeeperSetup) -> None:
    """In the child; does not return. Everything open but its control belongs to the spawner: an
    inherited lock file would keep the spawner's lock after the spawner's death."""
    code = _FAILED
    try:
        control = setup.control.fileno()
        os.closerange(3, control)
        os.closerange(control + 1, os.sysconf("SC_OPEN_MAX"))
        run_keeper(setup)
        code = 0
    finally:
        if code:
            traceback.print_exc()
            sys.stderr.flush()
        os._exit(code)


def find_keeper(spool: Spool, grant: LocalGrant, started: NoteStarted) -> Slot | None:
    """The keeper that noted this start, if it is alive and answers the door."""
    if start_of(started.keeper_pid) != started.keeper_start:
        return None
    try:
        sock = connect_in(spool.keepers, f"{started.keeper_pid}.sock")
    except OSError:
        return None
    return Slot(started.keeper_pid, Channel(sock), START, grant=grant, started=started)
