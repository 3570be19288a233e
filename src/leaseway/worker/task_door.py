"""The socket on which a keeper answers its task: a line in, a line out.

Whoever floods it waits in a queue of its own making: each turn of the keeper reads and answers a
bounded number of lines, and between two turns it looks at the clock.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
from collections.abc import Callable
from pathlib import Path

from leaseway.core.checkpoint.said import LONGEST_LINE, error_line
from leaseway.worker.channel import listen_in

LINES_A_TURN = 32
TALKS = 16
"""So many connections at once; whoever comes after that takes the place of the oldest."""

LONGEST_ADDRESS = 100
_CHUNK = 4_096
_UNREAD_MOST = 1 << 16
Answer = Callable[[bytes], bytes]


class Talk:
    """One connection. A peer that does not read its answers is let go."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self.is_over = False
        self._in = b""
        self._out = b""

    @property
    def has_line(self) -> bool:
        """Whether something that was read waits for its answer."""
        return not self.is_over and b"\n" in self._in

    def read(self) -> None:
        """What has come, as long as there is not enough to answer."""
        if self.has_line:
            return
        try:
            data = self.sock.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        self._in += data
        if not data:
            self.is_over = True
        elif b"\n" not in self._in and len(self._in) > LONGEST_LINE:
            self._send(error_line(f"the line is longer than {LONGEST_LINE} bytes"))
            self.is_over = True

    def answer(self, answer: Answer, most: int) -> int:
        """Answer up to `most` lines; how many it were."""
        count = 0
        while count < most and self.has_line:
            line, _, self._in = self._in.partition(b"\n")
            self._send(answer(line))
            count += 1
        return count

    def _send(self, data: bytes) -> None:
        self._out += data
        try:
            while self._out:
                self._out = self._out[self.sock.send(self._out) :]
        except BlockingIOError:
            pass  # it goes out with the next answer
        except OSError:
            self.is_over = True
        if len(self._out) > _UNREAD_MOST:
            self.is_over = True


class TaskDoor:
    """The listening socket of one keeper, and who talks over it now."""

    def __init__(self, folder: Path, poll: select.poll) -> None:
        self._poll = poll
        self._name = f"t{os.getpid()}"
        self._folder = short_folder(folder, self._name)
        self._door = listen_in(self._folder, self._name, backlog=64)
        self._talks: dict[int, Talk] = {}
        self._is_open = False

    @property
    def address(self) -> str:
        """Where a task finds it."""
        return str(self._folder / self._name)

    @property
    def is_busy(self) -> bool:
        """Whether lines wait that were read already."""
        return any(talk.has_line for talk in self._talks.values())

    def open(self) -> None:
        """An attempt begins. What knocked before it is of the one before, and is turned away."""
        with contextlib.suppress(BlockingIOError):
            while True:
                self._door.accept()[0].close()
        self._poll.register(self._door, select.POLLIN)
        self._is_open = True

    def shut(self) -> None:
        """The attempt is over."""
        if self._is_open:
            self._poll.unregister(self._door)
            self._is_open = False
        for fd in list(self._talks):
            self._drop(fd)

    def ready(self, fd: int) -> bool:
        """Something happened on `fd`; False when it is not one of ours."""
        if fd == self._door.fileno():
            self._let_in()
        elif fd in self._talks:
            self._talks[fd].read()
        else:
            return False
        return True

    def serve(self, answer: Answer) -> None:
        """Answer some of what was read, everybody in turn."""
        for fd, talk in list(self._talks.items()):
            talk.answer(answer, max(1, LINES_A_TURN // len(self._talks)))
            if talk.is_over:
                self._drop(fd)

    def remove(self) -> None:
        """The keeper leaves."""
        (self._folder / self._name).unlink(missing_ok=True)

    def _let_in(self) -> None:
        try:
            sock, _ = self._door.accept()
        except OSError:
            return
        if len(self._talks) >= TALKS:
            self._drop(next(iter(self._talks)))
        self._talks[sock.fileno()] = Talk(sock)
        self._poll.register(sock, select.POLLIN)

    def _drop(self, fd: int) -> None:
        talk = self._talks.pop(fd)
        self._poll.unregister(fd)
        talk.sock.close()


def short_folder(folder: Path, name: str) -> Path:
    """Where the socket can be: an address is at most 107 bytes long, and a spool may lie deep.
    Then a folder of our own, that nobody else can enter, stands for it."""
    if len(os.fsencode(folder / name)) <= LONGEST_ADDRESS:
        return folder
    own = Path("/tmp") / f"leaseway-{os.getuid()}"
    own.mkdir(mode=0o700, exist_ok=True)
    stat = own.lstat()
    if stat.st_uid != os.getuid() or stat.st_mode & 0o077:
        raise PermissionError(13, "the folder is not ours alone", str(own))
    clear_stale(own)
    return own


def clear_stale(folder: Path) -> None:
    """Remove the sockets of keepers that are gone."""
    for path in folder.iterdir():
        if path.name[1:].isdigit() and not Path("/proc", path.name[1:]).exists():
            path.unlink(missing_ok=True)
