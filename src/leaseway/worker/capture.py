"""What a task prints: kept by offset, with its head and its tail, in files of bounded size.

`stdout` grows while the task runs up to half of the cap, so it can be read live by offset. What
follows goes round in `stdout.ring`. At the end the ring is unrolled behind the head, after one
line that says how many bytes are missing between. No byte is interpreted; memory does not grow.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

CAP_BYTES = 10_000_000
CHUNK = 1 << 16
_HEADER = struct.Struct("<q")  # bytes that went into the ring, ever
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


def marker(dropped: int) -> bytes:
    """The line between head and tail."""
    return b"\n[leaseway: %d bytes left out here]\n" % dropped


class Capture:
    """One stream of one attempt, in `folder()`. Nothing is made, named or opened before the first
    byte: most short tasks print nothing."""

    def __init__(self, folder: Callable[[], Path], name: str, cap_bytes: int = CAP_BYTES) -> None:
        self._folder = folder
        self._name = name
        self.total = 0
        self.trouble = ""
        self._cap = cap_bytes
        self._head_cap = cap_bytes // 2
        self._ring_cap = cap_bytes - self._head_cap
        self._head = -1
        self._ring = -1

    @property
    def path(self) -> Path:
        """Where it is kept, if there is anything."""
        return self._folder() / self._name

    def take(self, data: bytes) -> None:
        """The next bytes. A disk that does not take them is remembered, and they are only
        counted: printing must never stop a task or its ending."""
        before, self.total = self.total, self.total + len(data)
        if self.trouble:
            return
        try:
            self._keep(data, before)
        except OSError as error:
            self.trouble = f"output not kept: {error.strerror}"

    def finish(self) -> None:
        """Unroll the ring and close."""
        try:
            if self._ring >= 0:
                unroll(self.path, self._cap)
        except OSError as error:
            self.trouble = self.trouble or f"end of output not kept: {error.strerror}"
        finally:
            for fd in (self._head, self._ring):
                if fd >= 0:
                    os.close(fd)
            self._head = self._ring = -1

    def give_up(self) -> None:
        """Free the disk for what matters more: the ending."""
        if self.total:
            self.trouble = "output not kept: the disk is full"
            for path in (self.path, ring_of(self.path)):
                path.unlink(missing_ok=True)

    def _keep(self, data: bytes, offset: int) -> None:
        if self._head < 0:
            path = self.path
            path.parent.mkdir(mode=0o700, exist_ok=True)
            self._head = os.open(path, _FLAGS | os.O_TRUNC, 0o600)
        room = max(0, self._head_cap - offset)
        if head := data[:room]:
            _write(self._head, head, offset)
        if rest := data[room:]:
            self._keep_in_ring(rest, max(0, offset - self._head_cap))

    def _keep_in_ring(self, data: bytes, position: int) -> None:
        if self._ring < 0:
            self._ring = os.open(ring_of(self.path), _FLAGS | os.O_TRUNC, 0o600)
        end = position + len(data)
        if len(data) > self._ring_cap:
            data = data[-self._ring_cap :]
        at = (end - len(data)) % self._ring_cap
        first = data[: self._ring_cap - at]
        _write(self._ring, first, _HEADER.size + at)
        _write(self._ring, data[len(first) :], _HEADER.size)
        _write(self._ring, _HEADER.pack(end), 0)


def ring_of(path: Path) -> Path:
    """Where the tail of a stream goes round."""
    return path.with_name(path.name + ".ring")


def unroll(path: Path, cap_bytes: int = CAP_BYTES) -> None:
    """Put what the ring holds behind the head and remove the ring. The second guardian does it for
    a keeper that could not; after a crash in between it is done again from the same place."""
    ring = ring_of(path)
    head_cap = cap_bytes // 2
    ring_cap = cap_bytes - head_cap
    with ring.open("rb") as source, path.open("r+b") as target:
        total = _HEADER.unpack(source.read(_HEADER.size))[0]
        target.truncate(head_cap)
        target.seek(head_cap)
        at, size = total % ring_cap, min(total, ring_cap)
        if total > size:
            target.write(marker(total - size))
        parts = ((at, size - at), (0, at)) if total > ring_cap else ((0, size),)
        for start, length in parts:
            source.seek(_HEADER.size + start)
            _copy(source, target, length)
    ring.unlink()


def produced(path: Path, cap_bytes: int = CAP_BYTES) -> int:
    """How many bytes a stream had when its keeper died, as far as they were kept."""
    try:
        with ring_of(path).open("rb") as source:
            in_ring: int = _HEADER.unpack(source.read(_HEADER.size))[0]
            return cap_bytes // 2 + in_ring
    except (FileNotFoundError, struct.error):
        return path.stat().st_size if path.exists() else 0


def _copy(source: BinaryIO, target: BinaryIO, length: int) -> None:
    while length > 0:
        chunk = source.read(min(CHUNK, length))
        if not chunk:
            return
        target.write(chunk)
        length -= len(chunk)


def _write(fd: int, data: bytes, offset: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(fd, view, offset)
        view, offset = view[written:], offset + written
