"""Lines over a stream socket that never block whoever sends them.

What the other side does not take at once waits in memory and goes out when the socket can be
written; a peer that is stopped must not stop the spawner.
"""

from __future__ import annotations

import os
import select
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHUNK = 1 << 16


class Channel:
    """One end of a connection."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        self.sock = sock
        self._gone = False
        self._out = bytearray()
        self._rest = b""

    def fileno(self) -> int:
        """For poll."""
        return self.sock.fileno()

    def is_gone(self) -> bool:
        """Whether the other side has closed and everything it said was received."""
        return self._gone

    @property
    def waiting(self) -> bool:
        """Whether something still has to go out."""
        return bool(self._out)

    def send(self, line: bytes) -> None:
        """Send one line, now or as soon as it can be."""
        self._out += line
        self._out += b"\n"
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as it goes."""
        try:
            while self._out:
                del self._out[: self.sock.send(self._out)]
        except BlockingIOError:
            return
        except OSError:  # the other side is gone; reading will say so
            self._out.clear()

    def receive(self) -> list[bytes]:
        """The whole lines that have arrived; at the end of all, none, and it is gone."""
        try:
            data = self.sock.recv(CHUNK)
        except BlockingIOError:
            return []
        except OSError:
            data = b""
        if not data:
            self._gone = True
            return []
        *lines, self._rest = (self._rest + data).split(b"\n")
        return lines

    def close(self) -> None:
        """Close this end."""
        self.sock.close()


class Hub:
    """Several sockets, waited for together."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._channels: dict[int, Channel] = {}
        self._masks: dict[int, int] = {}

    def add_door(self, sock: socket.socket) -> None:
        """Wait for knocks on a listening socket as well."""
        self._poll.register(sock, select.POLLIN)

    def add(self, channel: Channel) -> None:
        """Wait for this one as well."""
        self._channels[channel.fileno()] = channel
        self._masks[channel.fileno()] = select.POLLIN
        self._poll.register(channel, select.POLLIN)

    def remove(self, channel: Channel) -> None:
        """Not any more; close it."""
        fd = channel.fileno()
        if self._channels.pop(fd, None) is not None:
            self._poll.unregister(fd)
            del self._masks[fd]
            channel.close()

    def wait(self, timeout_ms: int) -> list[Channel | int]:
        """Channels that can be read, and descriptors of doors at which somebody knocks."""
        for fd, channel in self._channels.items():
            mask = select.POLLIN | (select.POLLOUT if channel.waiting else 0)
            if mask != self._masks[fd]:
                self._masks[fd] = mask
                self._poll.modify(fd, mask)
        ready: list[Channel | int] = []
        for fd, events in self._poll.poll(timeout_ms):
            found = self._channels.get(fd)
            if found is not None and events & select.POLLOUT:
                found.flush()
            if found is None or events & ~select.POLLOUT:
                ready.append(fd if found is None else found)
        return ready


@contextmanager
def address_in(folder: Path, name: str) -> Iterator[str]:
    """A socket address in a folder of any depth: a path in full may be longer than an address
    can be (107 bytes), one through an open descriptor is not."""
    fd = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{fd}/{name}"
    finally:
        os.close(fd)


def listen_in(folder: Path, name: str, backlog: int = 8) -> socket.socket:
    """Listen on a fresh socket in this folder; whatever had the name before is gone."""
    (folder / name).unlink(missing_ok=True)
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    with address_in(folder, name) as address:
        sock.bind(address)
    (folder / name).chmod(0o600)
    sock.listen(backlog)
    sock.setblocking(False)
    return sock


def connect_in(folder: Path, name: str) -> socket.socket:
    """Connect to a socket in this folder. OSError: nobody listens."""
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        with address_in(folder, name) as address:
            sock.connect(address)
    except OSError:
        sock.close()
        raise
    return sock
