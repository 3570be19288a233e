"""A keeper: a process that serves one attempt at a time and needs nobody to hold its bounds.

Forked from the spawner, so that it costs a few megabytes of its own. It is used again only after a
clean end. With daemon and spawner dead it goes on alone: it reads both clocks, stops its attempt
when that is due, and writes the ending; then, with nobody left to ask it for more, it leaves.
"""

from __future__ import annotations

import contextlib
import gc
import mmap
import os
import select
import signal
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import (
    MoveStop,
    NoteEnded,
    NoteStarted,
    StopAttempt,
    Stopping,
    WorkerNow,
)
from leaseway.runtime import Clock
from leaseway.worker import messages
from leaseway.worker.attempt import Around, Attempt, ending_of
from leaseway.worker.bounds import Bounds
from leaseway.worker.capture import CAP_BYTES, Capture
from leaseway.worker.channel import Channel, listen_in
from leaseway.worker.checks import Checks
from leaseway.worker.journal import Position
from leaseway.worker.launch import SOCKET, CannotStart, folder_for, launch
from leaseway.worker.locks import place_of
from leaseway.worker.messages import FromKeeper, Run
from leaseway.worker.outputs import checked
from leaseway.worker.processes import MARK, OwnChildren, Tree, become_subreaper, start_of
from leaseway.worker.spool import Spool
from leaseway.worker.started import was_started
from leaseway.worker.task_door import TaskDoor

SERVES = 50
"""Attempts after which a keeper makes room for a fresh one."""

SHORT_MS: Millis = 5
"""What is over within this is not announced as running: the ending follows at once."""

RETRY_MS: Millis = 200
_LEADER = struct.Struct("<q")


@dataclass(frozen=True)
class KeeperSetup:
    """What a keeper gets from the spawner when it is forked."""

    root: Path
    control: socket.socket
    environment: Mapping[str, str]
    cell: mmap.mmap  # shared with the spawner: the leader's pid, 0 for none
    cap_bytes: int = CAP_BYTES


def read_leader(cell: mmap.mmap) -> int:
    """The pid that the keeper's task has, or had when the keeper died; 0 for none."""
    pid: int = _LEADER.unpack_from(cell)[0]
    return pid


class Keeper:
    """The keeper's whole state; made after the fork."""

    def __init__(self, setup: KeeperSetup) -> None:
        self._setup = setup
        self._clock = Clock.of_environment()
        self._spool = Spool(setup.root)
        self._boot_id = self._clock.boot_id()
        self._start = start_of(os.getpid()) or 0
        self._control = Channel(setup.control)
        self._name = f"{os.getpid()}.sock"
        self._door = listen_in(self._spool.keepers, self._name)
        self._children = OwnChildren()
        self._null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self._served = 0
        self._leaving = False
        self._poll = select.poll()
        self._poll.register(self._control, select.POLLIN)
        self._poll.register(self._door, select.POLLIN)
        self._task_door = TaskDoor(self._spool.keepers, self._poll)
        self._shared = {**setup.environment, SOCKET: self._task_door.address}

    def serve(self) -> None:
        """Run what is ordered until there is no more reason to."""
        while not self._leaving and not self._control.is_gone():
            self._knocks(self._poll.poll())
            for message in self._heard():
                if isinstance(message, Run):
                    self._run(message)
                elif isinstance(message, messages.Retire):
                    self._leaving = True
        self._task_door.remove()
        (self._spool.keepers / self._name).unlink(missing_ok=True)

    def _run(self, order: Run) -> None:
        ref = order.grant.ref
        place = place_of(ref)
        if not self._spool.locks.take(place):
            self._say(messages.NotMine(ref))
            return
        try:
            if order.check_from is not None and self._is_known(ref, order.check_from):
                self._say(messages.NotMine(ref))
                return
            started = self._now()
            try:
                self._note_start(order, started)
            except OSError as error:
                self._say(messages.NotNoted(ref, error.strerror or str(error)))
                return
            reusable = self._run_noted(order, started)
        finally:
            self._spool.locks.free(place)
        self._served += 1
        self._leaving = self._leaving or not reusable or self._served >= SERVES
        self._say(messages.Done(ref, not self._leaving))

    def _is_known(self, ref: AttemptRef, position: Position) -> bool:
        return was_started(self._spool.journal, ref, position)

    def _note_start(self, order: Run, started: WorkerNow) -> None:
        self._spool.journal.append(
            NoteStarted(
                ref=order.grant.ref,
                boot_id=self._boot_id,
                keeper_pid=os.getpid(),
                keeper_start=self._start,
                started_boot=started.boot_ms,
                mark=order.mark,
            )
        )

    def _run_noted(self, order: Run, started: WorkerNow) -> bool:
        """Execute, watch, and write the ending; whether this keeper is as good as new."""
        grant = order.grant
        bounds = Bounds.of(grant, started, order.heard_boot)
        checks = Checks(grant, bounds, order.mark, self._clock)
        streams = checks.streams(partial(self._spool.folder_of, grant.ref), self._setup.cap_bytes)
        try:
            view = self._spool.view_of(grant)
            launched = launch(grant, order.mark, self._shared, self._null, view)
        except CannotStart as error:
            ending = Ending(kind=EndKind.SPAWN_FAILED, detail=str(error))
            self._note_end(grant.ref, ending, started, streams)
            return True
        _LEADER.pack_into(self._setup.cell, 0, launched.pid)
        around = Around(self._poll, self._children, Tree(os.getpid(), order.mark))
        attempt = Attempt(grant, launched, streams, bounds, around)
        self._task_door.open()
        now = self._watch(attempt, checks)
        self._task_door.shut()
        is_clean = attempt.is_clean
        ending = replace(ending_of(attempt, attempt.reap(), now), checkpoint=checks.last)
        where = folder_for(grant, self._setup.environment, view)
        self._note_end(grant.ref, checked(ending, grant.outputs, where), started, streams)
        _LEADER.pack_into(self._setup.cell, 0, 0)
        os.chdir("/")
        return is_clean

    def _watch(self, attempt: Attempt, checks: Checks) -> WorkerNow:
        """Until nothing of the attempt is left; when that was."""
        now = attempt.bounds.started
        is_told_running = is_told_stopping = False
        wait_ms = min(SHORT_MS, attempt.wait_ms(now))
        while not attempt.over:
            events = self._poll.poll(wait_ms)
            now = checks.now = self._now()
            for event in events:
                if not (attempt.ready(event[0], now) or self._task_door.ready(event[0])):
                    self._knocks([event])
                    self._obey(attempt, now)
            attempt.look(now)
            attempt.read_along()
            self._check(attempt, checks)
            if not is_told_running and attempt.exited is None:
                is_told_running = True
                self._say(messages.Running(attempt.grant.ref))
            if not is_told_stopping and attempt.reason is not None:
                is_told_stopping = True
                self._say(Stopping(attempt.grant.ref))
            wait_ms = min(attempt.wait_ms(now), checks.wait_ms(now))
            wait_ms = 0 if self._task_door.is_busy else wait_ms
        return now

    def _check(self, attempt: Attempt, checks: Checks) -> None:
        """Answer the task, signal it, and note what it said."""
        self._task_door.serve(checks.answer)
        checks.look(attempt, checks.now)
        note = checks.due(checks.now)
        if note is not None:
            with contextlib.suppress(OSError):  # its ending says the last one again
                self._spool.journal.append(note)
                self._say(messages.Noted(attempt.grant.ref))

    def _obey(self, attempt: Attempt, now: WorkerNow) -> None:
        for message in self._heard():
            match message:
                case StopAttempt(ref, reason) if ref == attempt.grant.ref:
                    attempt.stop(reason, now)
                case MoveStop(ref) if ref == attempt.grant.ref:
                    attempt.bounds.move(message)
                case messages.Heard(heard_boot):
                    attempt.bounds.hear(heard_boot)
                case messages.Retire():
                    self._leaving = True
                case _:
                    pass  # about an attempt that has ended meanwhile

    def _note_end(
        self,
        ref: AttemptRef,
        ending: Ending,
        started: WorkerNow,
        streams: tuple[Capture, Capture],
    ) -> None:
        """Write the ending, however long the disk takes to have room for it. What the task
        printed makes room first. A spool that was removed is not waited for."""
        ended_boot = self._now().boot_ms
        while not self._has_noted(ref, ending, (started.boot_ms, ended_boot)):
            if not self._spool.is_there:
                return
            for stream in streams:
                stream.give_up()
            ending = replace(ending, detail=streams[0].trouble or streams[1].trouble)
            select.select([], [], [], RETRY_MS / 1000)

    def _has_noted(self, ref: AttemptRef, ending: Ending, at: tuple[Millis, Millis]) -> bool:
        try:
            self._spool.journal.append(NoteEnded(ref, ending, self._boot_id, at[1], at[0]))
        except OSError:
            return False
        return True

    def _heard(self) -> list[messages.ToKeeper]:
        """Whatever was said to us."""
        if self._control.is_gone():
            return []
        lines = self._control.receive()
        if self._control.is_gone():
            self._poll.unregister(self._control)
        elif self._control.waiting:
            self._control.flush()
        return [messages.to_keeper(line) for line in lines]

    def _knocks(self, events: list[tuple[int, int]]) -> None:
        """A later spawner that knocks takes the earlier one's place."""
        door = self._door.fileno()
        if not any(fd == door for fd, _ in events):
            return
        try:
            sock, _ = self._door.accept()
        except BlockingIOError:
            return
        self._forget_control()
        self._control = Channel(sock)
        self._poll.register(self._control, select.POLLIN)
        self._leaving = True  # it watches us, but forks keepers of its own

    def _forget_control(self) -> None:
        if not self._control.is_gone():
            self._poll.unregister(self._control)
        self._control.close()

    def _say(self, message: FromKeeper) -> None:
        if not self._control.is_gone():
            self._control.send(messages.encode(message))

    def _now(self) -> WorkerNow:
        return WorkerNow(self._clock.boot_ms(), self._clock.awake_ms())


def run_keeper(setup: KeeperSetup) -> None:
    """The life of a keeper, in a process just forked."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.environ.pop(MARK, None)
    become_subreaper()
    os.chdir("/")
    gc.disable()  # it leaves before anything could pile up
    Keeper(setup).serve()
