"""One attempt while it runs: from the launched process to the moment nothing of it is left.

    running ──bounds or order──▶ stopping (TERM to the group) ──grace──▶ killing (everything)
       │                             │                                        │
       └───────── leader exits ──────┴────────────────────────────────────────┘
                                     ▼
    clearing: children left behind get a short while, TERM, then KILL; none left ▶ over

The leader stays a zombie until all is over: so long nobody else can get its pid or its group.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from dataclasses import dataclass

from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import LocalGrant, WorkerNow
from leaseway.worker.bounds import LOOK_MS, Bounds
from leaseway.worker.capture import CHUNK, Capture
from leaseway.worker.launch import Launched
from leaseway.worker.processes import OwnChildren, Tree

LINGER_MS: Millis = 250
"""How long children may outlive their command before they are asked to go."""

LEFT_GRACE_MS: Millis = 1_000
"""How long children left behind have between TERM and KILL."""

BUSY_MS: Millis = 20
"""How often to look while something is being cleared away."""


@dataclass(frozen=True)
class Exit:
    """How the leader went, and what it and its reaped children used."""

    code: int
    cpu_ms: Millis
    max_rss_bytes: int


@dataclass(frozen=True)
class Around:
    """What a keeper lends to every attempt it runs."""

    poll: select.poll
    children: OwnChildren
    tree: Tree


class Attempt:
    """The processes of one grant."""

    def __init__(
        self,
        grant: LocalGrant,
        launched: Launched,
        streams: tuple[Capture, Capture],
        bounds: Bounds,
        around: Around,
    ) -> None:
        self.grant = grant
        self.bounds = bounds
        self.reason: StopReason | None = None
        self.over = False
        self.left: tuple[int, ...] = ()
        self.exited: WorkerNow | None = None
        self._pid, self._pidfd = launched.pid, launched.pidfd
        self.streams = streams
        self._open = {launched.out: streams[0], launched.err: streams[1]}
        self._poll, self._children, self._tree = around.poll, around.children, around.tree
        self._kill_at: Millis | None = None
        self._clear_at: Millis | None = None
        self._is_read = False
        self._poll.register(self._pidfd, select.POLLIN)

    def read_along(self) -> None:
        """Read what it prints as it comes. Not from the start: what is over within moments is
        cheaper read once at its end, and a pipe holds what is printed until then."""
        if not self._is_read and self.exited is None:
            self._is_read = True
            for fd in self._open:
                self._poll.register(fd, select.POLLIN)

    def ready(self, fd: int, now: WorkerNow) -> bool:
        """Something happened on `fd`; False when it is not one of ours."""
        if fd in self._open:
            self._read(fd)
        elif fd == self._pidfd and self.exited is None:
            os.waitid(os.P_PIDFD, self._pidfd, os.WEXITED | os.WNOWAIT)
            self._poll.unregister(fd)
            self.exited = now
        else:
            return False
        return True

    def stop(self, why: StopReason, now: WorkerNow) -> None:
        """TERM to the group, and CONT for those that are halted. The first reason counts."""
        if self.reason is None and self.exited is None:
            self.reason = why
            self._kill_at = now.boot_ms + self.grant.guard.stop_grace_ms
            self._signal_group(signal.SIGTERM)
            self._signal_group(signal.SIGCONT)

    def signal_leader(self, number: int) -> None:
        """To the command itself, and to none of its children."""
        if self.exited is None:
            signal.pidfd_send_signal(self._pidfd, number)

    def look(self, now: WorkerNow) -> None:
        """Do what has become due."""
        if self.exited is not None:
            self._clear(now)
        elif self.reason is None:
            why = self.bounds.look(now)
            if why is not None:
                self.stop(why, now)
        elif self._kill_at is not None and now.boot_ms >= self._kill_at:
            self._kill()
            self._kill_at = now.boot_ms + LOOK_MS  # again, for what was forked meanwhile

    def wait_ms(self, now: WorkerNow) -> Millis:
        """How long nothing can become due."""
        if self._clear_at is not None:
            return BUSY_MS
        if self._kill_at is not None:
            return max(BUSY_MS, min(LOOK_MS, self._kill_at - now.boot_ms))
        return self.bounds.left_ms(now)

    @property
    def is_clean(self) -> bool:
        """Ended by itself and left nothing behind, not even somebody else with its pipes."""
        return self.reason is None and not self.left and not self._open

    def reap(self) -> Exit:
        """Once over: let the leader's pid go, close everything."""
        _, status, usage = os.wait4(self._pid, 0)
        self._signal_marked()
        for fd in list(self._open):
            self._close_pipe(fd)
        os.close(self._pidfd)
        for stream in self.streams:
            stream.finish()
        cpu_ms = round((usage.ru_utime + usage.ru_stime) * 1000)
        return Exit(os.waitstatus_to_exitcode(status), cpu_ms, usage.ru_maxrss * 1024)

    def _clear(self, now: WorkerNow) -> None:
        """The leader has exited: see to what it left behind."""
        anyone_left = self._anyone_left()  # asked first, so that the last words are read
        for fd in list(self._open):
            self._read(fd)
        if not anyone_left:
            self.over = True
        elif self._clear_at is None:
            self._clear_at = now.boot_ms + (0 if self.reason else LINGER_MS)
        elif not self.left and now.boot_ms >= self._clear_at:
            self.left = tuple(self._tree.below())
            self._kill_at = now.boot_ms + min(LEFT_GRACE_MS, self.grant.guard.stop_grace_ms)
            self._tree.signal(signal.SIGTERM, list(self.left))
            self._tree.signal(signal.SIGCONT, list(self.left))
        elif self.left and self._kill_at is not None and now.boot_ms >= self._kill_at:
            self._kill()
            # What KILL does not end waits in the kernel; it is named, and not waited for.
            self.over = now.boot_ms >= self._kill_at + self.grant.guard.kill_ms

    def _anyone_left(self) -> bool:
        """Whether children other than the leader live; those that are dead are reaped here."""
        found = False
        for pid in self._children.pids():
            if pid != self._pid:
                found |= os.waitpid(pid, os.WNOHANG)[0] == 0
        return found

    def _kill(self) -> None:
        self._signal_group(signal.SIGKILL)
        self._tree.signal(signal.SIGKILL, self._tree.everywhere())

    def _signal_marked(self) -> None:
        """After an end that was not clean: what went out of the tree carries the mark still."""
        if self.reason is not None or self.left:
            self._tree.signal(signal.SIGKILL, self._tree.everywhere())

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, number)

    def _read(self, fd: int) -> None:
        """Read what is there, and no more: whoever else holds the pipe may keep it open for ever.
        At most a few chunks at once, so that a flood does not keep the bounds waiting."""
        for _ in range(16):
            try:
                data = os.read(fd, CHUNK)
            except BlockingIOError:
                return
            if not data:
                del self._open[fd]
                self._close_pipe(fd)
                return
            self._open[fd].take(data)

    def _close_pipe(self, fd: int) -> None:
        if self._is_read:
            self._poll.unregister(fd)
        os.close(fd)


def ending_of(attempt: Attempt, went: Exit, now: WorkerNow) -> Ending:
    """What was seen of it, without its declared outputs."""
    exited, started = attempt.exited or now, attempt.bounds.started
    out, err = attempt.streams
    signaled = went.code < 0
    return Ending(
        kind=EndKind.SIGNALED if signaled else EndKind.EXITED,
        exit_code=None if signaled else went.code,
        signal=-went.code if signaled else None,
        reason=attempt.reason,
        ran_ms=exited.awake_ms - started.awake_ms,
        held_ms=now.boot_ms - started.boot_ms,
        cpu_ms=went.cpu_ms,
        max_rss_bytes=went.max_rss_bytes,
        stdout_bytes=out.total,
        stderr_bytes=err.total,
        left_pids=attempt.left,
        detail=out.trouble or err.trouble,
    )
