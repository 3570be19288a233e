"""A listening socket that sheds connections when no descriptor is left for them.

asyncio would try again without pause and write a trace each time; whoever opens many connections,
asking nothing, could so fill the disk with it. One descriptor is kept in reserve: with it a
connection is taken and closed at once.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import socket
from typing import Any

_NONE_LEFT = (errno.EMFILE, errno.ENFILE)


class Listener(socket.socket):
    """To be given to a server instead of a plain socket."""

    def __init__(self, family: int) -> None:
        # Named protocol: without it asyncio leaves Nagle's algorithm on, 40 ms a request.
        super().__init__(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._reserve = _reserve()

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection. BlockingIOError: there is none, or it had to be shed."""
        try:
            return super().accept()
        except OSError as wrong:
            if wrong.errno not in _NONE_LEFT:
                raise
        self._shed()
        raise BlockingIOError(errno.EAGAIN, "shed: no descriptor is left")

    def _shed(self) -> None:
        self._let_go()
        with contextlib.suppress(OSError):
            super().accept()[0].close()
        with contextlib.suppress(OSError):  # somebody was faster; the next time, then
            self._reserve = _reserve()

    def close(self) -> None:
        """Stop listening."""
        super().close()
        self._let_go()

    def _let_go(self) -> None:
        if self._reserve >= 0:
            os.close(self._reserve)
            self._reserve = -1


def _reserve() -> int:
    return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)


def take_all_descriptors() -> None:
    """As many as this process may have; what it starts with is often a small part of that."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # a system may allow less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
