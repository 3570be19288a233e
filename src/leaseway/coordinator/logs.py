"""The store of outputs: `logs/TASK/ATTEMPT.STREAM` in the state folder, written at offsets.

A piece that was written before, whole or in part, is harmless; one that leaves a gap is refused
with how much is there. `ATTEMPT.STREAM.end` marks that the worker has sent all that it kept.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from urllib.parse import quote

from msgspec import Struct

from leaseway.core.model.sync import AttemptRef

STREAMS = ("stdout", "stderr")
_LONGEST_NUMBER = 18
MOST_OF_ATTEMPT = 64 * 1024 * 1024
MOST_AT_ONCE = 4 * 1024 * 1024
_NAME_MOST = 150


class Gap(Exception):
    """A piece begins behind the end of what is there."""

    def __init__(self, have: int, offset: int) -> None:
        super().__init__(f"{have} bytes are there, the piece begins at {offset}")
        self.have = have
        self.offset = offset


class Full(Exception):
    """An attempt's outputs have reached what is kept of one attempt."""

    def __init__(self, have: int, cap: int) -> None:
        super().__init__(f"{have} bytes would be kept, at most {cap} are")
        self.have = have
        self.cap = cap


class Piece(Struct, frozen=True):
    """Bytes of one output from `offset` on; `end`: the last that the worker kept."""

    ref: AttemptRef
    stream: str
    offset: int
    data: bytes
    end: bool = False


class LogStore:
    """All outputs of one coordinator."""

    def __init__(self, folder: Path, most_of_attempt: int = MOST_OF_ATTEMPT) -> None:
        self._folder = folder
        self._most = most_of_attempt

    def write(self, piece: Piece) -> int:
        """Add a piece and return how much is there. Gap, Full; OSError where the disk is at its
        end."""
        path = self._path(piece.ref, piece.stream)
        have = _size(path)
        if piece.offset > have:
            raise Gap(have, piece.offset)
        fresh = piece.data[have - piece.offset :]
        if fresh:
            self._check_room(piece.ref, len(fresh))
            have = _append(path, fresh)
        if piece.end:
            _append(_end_mark(path), b"")
        return have

    def read(self, ref: AttemptRef, stream: str, offset: int, most: int = MOST_AT_ONCE) -> bytes:
        """Up to `most` bytes from `offset` on; empty where there are none."""
        try:
            with self._path(ref, stream).open("rb") as source:
                source.seek(offset)
                return source.read(most)
        except FileNotFoundError:
            return b""

    def size(self, ref: AttemptRef, stream: str) -> int:
        """How many bytes are there."""
        return _size(self._path(ref, stream))

    def is_whole(self, ref: AttemptRef, stream: str, produced: int) -> bool:
        """Whether all that its worker kept is there, the command having written `produced`."""
        path = self._path(ref, stream)
        return _size(path) >= produced or _end_mark(path).exists()

    def left_out(self, ref: AttemptRef, stream: str, produced: int) -> int:
        """How many of the bytes that the command wrote were not kept by its worker: between head
        and tail, which are of one length, stands a line that says so; 0 while more may come."""
        have = self.size(ref, stream)
        if not self.is_whole(ref, stream, produced):
            return 0
        shortest = len(marker(0))
        for length in range(shortest, min(have, shortest + _LONGEST_NUMBER) + 1):
            missing = produced - have + length  # the line itself is none of the command's
            line = marker(missing)
            between = (have - length) // 2
            if len(line) == length and self.read(ref, stream, between, length) == line:
                return missing
        return max(0, produced - have)

    def _check_room(self, ref: AttemptRef, more: int) -> None:
        there = sum(self.size(ref, stream) for stream in STREAMS)
        if there + more > self._most:
            raise Full(there + more, self._most)

    def _path(self, ref: AttemptRef, stream: str) -> Path:
        if stream not in STREAMS:
            raise ValueError(f"{stream!r} is no stream; there are {', '.join(STREAMS)}")
        return self._folder / folder_name(ref.task) / f"{ref.number}.{stream}"


def marker(left_out: int) -> bytes:
    """The line that a worker puts between head and tail of an output that was too long."""
    return b"\n[leaseway: %d bytes left out here]\n" % left_out


def folder_name(task: str) -> str:
    """A task's id as the name of a folder: nothing in it leads elsewhere, none is too long."""
    name = quote(task, safe="").replace(".", "%2E")
    if len(name) <= _NAME_MOST:
        return name
    digest = hashlib.sha256(task.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{name[: _NAME_MOST - 33]}-{digest[:32]}"


def _append(path: Path, data: bytes) -> int:
    """Add to the file, making it if need be; all of it or, where the disk is full, nothing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(path, flags, 0o600)
    try:
        before = os.fstat(file).st_size
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(file, left) :]
        except OSError:
            os.ftruncate(file, before)
            raise
        return before + len(data)
    finally:
        os.close(file)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _end_mark(path: Path) -> Path:
    return path.with_name(path.name + ".end")
