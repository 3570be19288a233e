"""Archives on their way between worker and coordinator: streamed from and to the disk.

How long that takes depends on their size, so no whole is timed; only that nothing moves is.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar
from urllib.parse import quote

import h11

from leaseway.wire import paths
from leaseway.worker.link import (
    ANSWER_S,
    Declined,
    Link,
    Unreachable,
    problem_in,
    words_of,
)

CHUNK = 1 << 18
_BATCH = 1 << 20
_MOST_SAID = 1 << 16
_OK, _CREATED, _PART = 200, 201, 206
_HIDDEN, _UNKNOWN, _BEYOND = 403, 404, 416
_HEAD = "HEAD"
Got = TypeVar("Got")


class Blobs:
    """Archives of one coordinator, for one worker."""

    def __init__(self, link: Link, worker: str) -> None:
        self._link = link
        self._query = f"?worker={quote(worker)}"

    async def fetch(self, digest: str, into: Path) -> None:
        """Into this file, going on where an earlier try has stopped. LinkError; what has come stays
        there for the next try. OSError: the disk."""
        have = into.stat().st_size if into.exists() else 0
        asked = [("Range", f"bytes={have}-")] if have else []
        async with self._exchange("GET", digest, asked) as exchange:
            status = await exchange.answered()
            if status == _BEYOND:
                into.unlink()  # it was another copy that came before
                raise Unreachable("the copy there is another than before; from the start")
            if status not in (_OK, _PART):
                raise Declined(status, problem_in(await exchange.rest()))
            with into.open("ab" if status == _PART else "wb") as file:
                await _into(file, exchange)

    async def has(self, digest: str) -> bool:
        """Whether the coordinator says that it keeps it. What it does not show to this worker it
        may take from it all the same. LinkError."""
        async with self._exchange(_HEAD, digest, []) as exchange:
            status = await exchange.answered()
            if status in (_OK, _HIDDEN, _UNKNOWN):
                return status == _OK
            raise Declined(status, None)

    async def store(self, digest: str, path: Path) -> None:
        """Bring it there. LinkError; OSError: it cannot be read."""
        with path.open("rb") as file:
            size = path.stat().st_size
            head = [("Content-Type", "application/octet-stream"), ("Content-Length", str(size))]
            async with self._exchange("PUT", digest, head) as exchange:
                await exchange.say_all(file)
                status = await exchange.answered()
                if status not in (_OK, _CREATED):
                    raise Declined(status, problem_in(await exchange.rest()))
                await exchange.rest()

    @asynccontextmanager
    async def _exchange(
        self, method: str, digest: str, headers: list[tuple[str, str]]
    ) -> AsyncIterator[_Exchange]:
        request = self._link.asking(method, paths.blob(digest) + self._query, headers)
        try:
            async with AsyncExitStack() as stack:
                exchange = _Exchange(*await self._opened(stack))
                exchange.begin(request, has_body=method == "PUT")
                yield exchange
        except TimeoutError as error:
            raise Unreachable(f"nothing came for {ANSWER_S:.0f} s") from error
        except (ConnectionError, ssl.SSLError, h11.ProtocolError) as error:
            raise Unreachable(words_of(error)) from error

    async def _opened(
        self, stack: AsyncExitStack
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            return await stack.enter_async_context(self._link.alone())
        except OSError as error:  # apart, since later ones may be the disk's
            raise Unreachable(words_of(error)) from error


class _Exchange:
    """One request and its answer, piece by piece."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._state = h11.Connection(h11.CLIENT)

    def begin(self, request: h11.Request, *, has_body: bool) -> None:
        """Say the head; without a body that is all."""
        self._writer.write(self._state.send(request) or b"")
        if not has_body:
            self._writer.write(self._state.send(h11.EndOfMessage()) or b"")

    async def say_all(self, file: BinaryIO) -> None:
        """The body. Who declines may answer and close in the middle of it; that is read later."""
        try:
            while data := await asyncio.to_thread(file.read, CHUNK):
                self._writer.write(self._state.send(h11.Data(data)) or b"")
                await _soon(self._writer.drain())
            self._writer.write(self._state.send(h11.EndOfMessage()) or b"")
            await _soon(self._writer.drain())
        except ConnectionError:
            return

    async def answered(self) -> int:
        """The status."""
        while True:
            event = await self._next()
            if isinstance(event, h11.Response):
                return event.status_code

    async def pieces(self) -> AsyncIterator[bytes]:
        """What comes after it."""
        while True:
            event = await self._next()
            if isinstance(event, h11.Data):
                yield bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                return

    async def rest(self) -> bytes:
        """The same, for something small."""
        said = b""
        async for piece in self.pieces():
            said += piece
            if len(said) > _MOST_SAID:
                break
        return said

    async def _next(self) -> h11.Event:
        while True:
            event = self._state.next_event()
            if event is h11.NEED_DATA:
                self._state.receive_data(await _soon(self._reader.read(CHUNK)))
            elif isinstance(event, h11.ConnectionClosed) or event is h11.PAUSED:
                raise ConnectionResetError("the connection was closed")
            else:
                assert isinstance(event, h11.Event)
                return event


async def _into(file: BinaryIO, exchange: _Exchange) -> None:
    """A disk may take its time, so it is written to in a thread, a batch at a time."""
    batch = bytearray()
    try:
        async for piece in exchange.pieces():
            batch += piece
            if len(batch) >= _BATCH:
                await asyncio.to_thread(file.write, bytes(batch))
                batch.clear()
    finally:
        file.write(batch)


async def _soon(awaited: Awaitable[Got]) -> Got:
    async with asyncio.timeout(ANSWER_S):
        return await awaited
