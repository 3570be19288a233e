"""A task's output as it arrives: both streams at once, each to its own place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event
from time import sleep

from leaseway.client.blocking import Client
from leaseway.client.errors import Unavailable, Unreachable
from leaseway.wire.streams import LogChunk

STREAMS = ("stdout", "stderr")
HELD_MS = 2_000
TRIES = 60
Write = Callable[[bytes], object]


@dataclass
class Reader:
    """One stream of one task. `offset` is where the next piece begins."""

    pool: Client
    task: str
    stream: str
    attempt: int | None = None
    offset: int = 0
    seen: int = 0  # attempt that the offset belongs to
    left_out: int = 0  # bytes that the task wrote and that are not kept

    def piece(self, wait_ms: int = 0) -> LogChunk:
        """What comes next; another attempt begins at its own start."""
        chunk = self._ask(wait_ms)
        if chunk.attempt not in (0, self.seen):
            again = self.seen != 0 and self.offset > 0
            self.seen = chunk.attempt
            if again:
                self.offset = 0
                chunk = self._ask(0)
        self.offset = chunk.next_offset
        self.left_out = chunk.left_out_bytes
        return chunk

    def rest(self, write: Write) -> LogChunk:
        """Everything that is there now."""
        while True:
            chunk = self.piece()
            if chunk.data:
                write(chunk.data)
            else:
                return chunk

    def _ask(self, wait_ms: int) -> LogChunk:
        return self.pool.log(self.task, self.attempt, self.stream, self.offset, wait_ms)


@dataclass
class Streaming:
    """Both streams to ours, until the task has ended and all that it wrote is here. `over`: the
    task has its outcome, so what is here is all that will come."""

    pool: Client
    task: str
    attempt: int | None = None
    streams: tuple[str, ...] = STREAMS
    over: Event = field(default_factory=Event)
    left: Event = field(default_factory=Event)  # nobody waits for the rest
    open_line: dict[str, bool] = field(default_factory=dict)  # ended without a newline, by stream
    jobs: list[Future[None]] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # streams that did not arrive whole
    left_out: dict[str, int] = field(default_factory=dict)  # bytes that are not kept, by stream

    def ends_open(self) -> bool:
        """Whether what was copied ends in the middle of a line; asked once for each."""
        is_open = any(self.open_line.values())
        self.open_line.clear()
        return is_open

    def start(self, workers: ThreadPoolExecutor) -> None:
        """One thread for each stream."""
        for stream in self.streams:
            self.jobs.append(workers.submit(self.copy, stream))

    def finish(self, *, whole: bool) -> None:
        """The task has its outcome: copy the rest. Not `whole`: whoever waited has gone."""
        if not whole:
            self.left.set()
        self.over.set()

    def copy(self, stream: str) -> None:
        """Until it is complete. A coordinator that is away for a while is asked again."""
        reader = Reader(self.pool, self.task, stream, self.attempt)
        write = writer_of(stream)
        vain = 0
        while vain < TRIES and not self.left.is_set():
            over = self.over.is_set()
            try:
                chunk = reader.piece(HELD_MS)
            except (Unreachable, Unavailable):
                vain += 1
                sleep(1.0)
                continue
            if reader.left_out:
                self.left_out[stream] = reader.left_out
            if chunk.data:
                write(chunk.data)
                self.open_line[stream] = not chunk.data.endswith(b"\n")
                vain = 0
            elif over and (chunk.complete or chunk.attempt == 0):
                return
            elif over:  # the worker has not delivered the rest yet
                vain += 1
                sleep(0.5)
            elif chunk.ended:
                self.over.wait(0.2)
        self.missing.append(stream)


def left_out_lines(left_out: Mapping[str, int]) -> list[str]:
    """That an output is not whole, for stderr; the output itself has a line where it was cut."""
    return [
        f"leaseway: {cut} bytes in the middle of {stream} were left out; a long output is kept as"
        " head and tail."
        for stream, cut in left_out.items()
    ]


def writer_of(stream: str) -> Write:
    """Our own stream of this name, bytes as they are, at once."""
    target = (sys.stdout if stream == "stdout" else sys.stderr).buffer

    def write(data: bytes) -> None:
        target.write(data)
        target.flush()

    return write
