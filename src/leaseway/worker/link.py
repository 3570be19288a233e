"""The way to the coordinator: a few POSTs over HTTP/1.1, kept lean because every task's latency
passes through here (a general client costs a fifth of the rate; h11 parses, asyncio carries).

Connections are kept open and used again. Two at once are enough: a parked sync holds one, and a
newer sync that lets it go takes another.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeVar
from urllib.parse import urlencode, urlsplit

import h11
import msgspec

from leaseway.client.pinned import ANOTHER, trusting
from leaseway.core.model.sync import (
    AttemptRef,
    RegisterReply,
    RegisterRequest,
    SyncReply,
    SyncRequest,
)
from leaseway.core.model.units import Millis
from leaseway.wire import paths
from leaseway.wire.problems import Problem
from leaseway.wire.streams import LogWritten

CONNECT_S = 5.0
ANSWER_S = 15.0
CHUNK = 1 << 16
_FINAL = frozenset({400, 401, 403, 413, 422})
Reply = TypeVar("Reply")
_encode = msgspec.json.Encoder().encode


class LinkError(Exception):
    """No usable answer.

    ├── Unreachable  nobody answered, or the connection broke
    └── Declined     the coordinator said no
    """


class Unreachable(LinkError):
    """Nobody answered at this address; the message says what happened."""


class Declined(LinkError):
    """The coordinator said no, with a problem document or at least a status."""

    def __init__(self, status: int, problem: Problem | None) -> None:
        said = problem.detail if problem else "no problem document"
        super().__init__(f"{status}: {said}")
        self.status = status
        self.problem = problem

    @property
    def is_final(self) -> bool:
        """Whether asking the same again would be answered the same."""
        return self.status in _FINAL

    def told(self) -> list[str]:
        """Why not, and what would mend it, as lines for people."""
        findings = self.problem.findings if self.problem else ()
        lines = [
            line for each in findings for line in (each.sentence, each.mend and f"  → {each.mend}")
        ]
        return [line for line in lines if line] or [str(self)]

    def fence(self, incarnation: int, spool_id: str = "") -> str:
        """Why this daemon's messages do not count (LW801): `superseded` by a newer one, `unknown`
        to the coordinator, which registering mends; empty: not fenced. A newer one with our own
        spool, of which we hold the lock, is a double of our own registering."""
        for finding in self.problem.findings if self.problem else ():
            if finding.code == "LW801" and finding.variant in ("incarnation", "superseded"):
                if spool_id and finding.numbers.get("spool") == spool_id:
                    return "unknown"
                current = finding.numbers.get("current", incarnation + 1)
                return "superseded" if int(str(current)) > incarnation else "unknown"
            if finding.code == "LW801" and finding.variant == "worker":
                return "unknown"
        return ""


class _Connection:
    """One connection, one exchange after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._state = h11.Connection(h11.CLIENT)

    async def exchange(
        self, target: str, headers: list[tuple[str, str]], body: bytes
    ) -> tuple[int, bytes]:
        """One request, one response."""
        out = self._state.send(h11.Request(method="POST", target=target, headers=headers))
        data = (out or b"") + (self._state.send(h11.Data(body)) or b"")
        self._writer.write(data + (self._state.send(h11.EndOfMessage()) or b""))
        status, parts = 0, []
        while True:
            event = self._state.next_event()
            if event is h11.NEED_DATA:
                await self._writer.drain()
                self._state.receive_data(await self._reader.read(CHUNK))
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                parts.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                return status, b"".join(parts)
            elif isinstance(event, h11.ConnectionClosed):
                raise ConnectionResetError("the connection was closed")

    def is_reusable(self) -> bool:
        """Whether another exchange may follow on this connection."""
        if self._state.our_state is not h11.DONE or self._state.their_state is not h11.DONE:
            return False
        self._state.start_next_cycle()
        return not self._reader.at_eof()

    def close(self) -> None:
        """Close it."""
        self._writer.close()


class Link:
    """Calls to one coordinator with one credential."""

    def __init__(self, url: str, credential: str, ca: str = "") -> None:
        """`ca`: the one authority to trust (PEM); empty: whom this system trusts."""
        self.url = url
        parts = urlsplit(url)
        self._host = parts.hostname or "127.0.0.1"
        self._tls = _context(ca) if parts.scheme == "https" else None
        self._port = parts.port or (443 if self._tls else 80)
        self._base = parts.path.rstrip("/")
        self._headers = [
            ("Host", parts.netloc.rpartition("@")[2]),
            ("Authorization", f"Bearer {credential}"),
        ]
        self._idle: list[_Connection] = []

    async def register(self, request: RegisterRequest) -> RegisterReply:
        """Announce this daemon."""
        return await self._ask(paths.REGISTER, request, RegisterReply, 0)

    async def sync(self, request: SyncRequest) -> SyncReply:
        """The one verb. Takes as long as the coordinator holds it."""
        return await self._ask(paths.SYNC, request, SyncReply, request.hold_ms)

    async def send_output(
        self, worker: str, ref: AttemptRef, piece: tuple[str, int, bytes], *, is_last: bool
    ) -> int:
        """Bytes of one output: (stream, offset, data). How many are there now."""
        stream, offset, data = piece
        query = {"worker": worker, "attempt": ref.number, "stream": stream, "offset": offset}
        if is_last:
            query["end"] = "true"
        target = f"{paths.log(ref.task)}?{urlencode(query)}"
        return (await self._post(target, data, LogWritten, 0)).size

    def asking(self, method: str, target: str, headers: list[tuple[str, str]]) -> h11.Request:
        """The head of a request with this link's credential, for `alone`."""
        return h11.Request(
            method=method, target=self._base + target, headers=[*self._headers, *headers]
        )

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        """A connection of its own, for what is large and may take its time. OSError, TimeoutError:
        nobody answered."""
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(self._host, self._port, ssl=self._tls)
        try:
            yield reader, writer
        finally:
            writer.close()

    def close(self) -> None:
        """Close what is open."""
        while self._idle:
            self._idle.pop().close()

    async def _ask(
        self, path: str, request: msgspec.Struct, reply: type[Reply], hold_ms: Millis
    ) -> Reply:
        return await self._post(path, _encode(request), reply, hold_ms)

    async def _post(self, target: str, body: bytes, reply: type[Reply], hold_ms: Millis) -> Reply:
        kind = "application/json" if reply is not LogWritten else "application/octet-stream"
        headers = [*self._headers, ("Content-Type", kind), ("Content-Length", str(len(body)))]
        try:
            async with asyncio.timeout(ANSWER_S + hold_ms / 1000):
                status, answer = await self._exchange(self._base + target, headers, body)
        except TimeoutError as error:
            raise Unreachable(f"no answer within {ANSWER_S + hold_ms / 1000:.0f} s") from error
        except (OSError, h11.ProtocolError) as error:
            raise Unreachable(words_of(error)) from error
        if status != 200:
            raise Declined(status, problem_in(answer))
        try:
            return msgspec.json.decode(answer, type=reply)
        except msgspec.DecodeError as error:
            raise Unreachable(f"an answer that cannot be read: {error}") from error

    async def _exchange(
        self, target: str, headers: list[tuple[str, str]], body: bytes
    ) -> tuple[int, bytes]:
        """On a connection that was idle if there is one; such a one may have been closed by the
        other side meanwhile. Everything we say may be said twice, so then it is."""
        if self._idle:
            with contextlib.suppress(OSError, h11.ProtocolError):
                async with self._lent(self._idle.pop()) as connection:
                    return await connection.exchange(target, headers, body)
        async with self._lent(await self._opened()) as connection:
            return await connection.exchange(target, headers, body)

    @asynccontextmanager
    async def _lent(self, connection: _Connection) -> AsyncIterator[_Connection]:
        is_whole = False
        try:
            yield connection
            is_whole = connection.is_reusable()
        finally:
            if is_whole:
                self._idle.append(connection)
            else:
                connection.close()

    async def _opened(self) -> _Connection:
        async with asyncio.timeout(CONNECT_S):
            reader, writer = await asyncio.open_connection(self._host, self._port, ssl=self._tls)
        return _Connection(reader, writer)


def _context(ca: str) -> ssl.SSLContext:
    return trusting(ca) if ca else ssl.create_default_context()


def problem_in(answer: bytes) -> Problem | None:
    """The problem document in an answer, if there is one."""
    try:
        return msgspec.json.decode(answer, type=Problem)
    except msgspec.DecodeError:
        return None


def words_of(error: Exception) -> str:
    """What went wrong, for people."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return ANOTHER
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error) or type(error).__name__
