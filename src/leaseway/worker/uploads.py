"""Output on its way to the coordinator: by offset, while it grows, until all that was kept is sent.

What is settled and sent can be deleted; both are needed, and neither order is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from leaseway.core.model.outcomes import Ending
from leaseway.core.model.sync import AttemptRef
from leaseway.worker.link import Declined, Link
from leaseway.worker.spool import Spool

STREAMS = ("stdout", "stderr")
INLINE_BYTES = 4096
PIECE_BYTES = 512 * 1024
_PASSING = 500  # from here on the coordinator speaks of itself, not of what was sent
_GAP = 409


@dataclass
class _Sending:
    """One attempt's outputs. `sent`: bytes there, by stream; None: to be asked."""

    ending: Ending | None = None
    is_settled: bool = False
    is_sent: bool = False
    sent: dict[str, int | None] = field(default_factory=lambda: dict.fromkeys(STREAMS, 0))


class Uploads:
    """Outputs of all attempts whose files are here."""

    def __init__(self, spool: Spool, link: Link, worker: str) -> None:
        self._spool = spool
        self._link = link
        self._worker = worker
        self._sending: dict[AttemptRef, _Sending] = {}

    def began(self, ref: AttemptRef) -> None:
        """It may print."""
        self._sending.setdefault(ref, _Sending())

    def resume(self, ref: AttemptRef, ending: Ending | None, *, is_settled: bool = False) -> None:
        """From an earlier daemon: how much it sent is not known."""
        asked: dict[str, int | None] = dict.fromkeys(STREAMS)
        self._sending[ref] = _Sending(ending, is_settled, sent=asked)

    def ended(self, ref: AttemptRef, ending: Ending) -> tuple[bytes, bytes]:
        """It prints no more. What is small enough to travel with its ending needs no sending."""
        sending = self._sending.setdefault(ref, _Sending())
        sending.ending = ending
        sizes = (ending.stdout_bytes, ending.stderr_bytes)
        if not any(sizes):
            sending.is_sent = True
            return b"", b""
        if max(sizes) > INLINE_BYTES:
            return b"", b""
        out, err = (_read(self._path(ref, stream), 0) for stream in STREAMS)
        if (len(out), len(err)) != sizes:
            return b"", b""
        sending.is_sent = True
        return out, err

    def settled(self, ref: AttemptRef) -> None:
        """The coordinator has its ending."""
        self._sending.setdefault(ref, _Sending(is_sent=True)).is_settled = True
        self._forget_if_done(ref)

    def dropped(self, ref: AttemptRef) -> None:
        """It never ran here."""
        self._sending.pop(ref, None)

    async def send(self) -> list[AttemptRef]:
        """Send what is new; those of which nothing is left to be sent. Unreachable: later."""
        done = []
        for ref, sending in list(self._sending.items()):
            if not sending.is_sent and await self._send_one(ref, sending):
                sending.is_sent = True
                done.append(ref)
                self._forget_if_done(ref)
        return done

    async def _send_one(self, ref: AttemptRef, sending: _Sending) -> bool:
        is_last = sending.ending is not None  # asked before reading: nothing comes after it
        try:
            for stream in STREAMS:
                await self._send_stream(ref, sending, stream, is_last=is_last)
        except Declined as error:
            if error.status >= _PASSING:
                return False  # a full disk there, say: again later
            return is_last  # it does not take them; its log says that it is incomplete
        return is_last

    async def _send_stream(
        self, ref: AttemptRef, sending: _Sending, stream: str, *, is_last: bool
    ) -> None:
        path, sent = self._path(ref, stream), sending.sent[stream]
        if not path.exists() and not (is_last and _produced(sending.ending, stream)):
            return
        if sent is None:
            sent = await self._post(ref, (stream, 0, b""), is_last=False)
        while True:
            data = _read(path, sent, PIECE_BYTES)
            at_end = is_last and len(data) < PIECE_BYTES
            expected = sent + len(data)
            if data or at_end:
                sent = await self._post(ref, (stream, sent, data), is_last=at_end)
                sending.sent[stream] = sent
            if sent == expected and len(data) < PIECE_BYTES:
                return

    async def _post(self, ref: AttemptRef, piece: tuple[str, int, bytes], *, is_last: bool) -> int:
        try:
            return await self._link.send_output(self._worker, ref, piece, is_last=is_last)
        except Declined as error:
            if error.status != _GAP or error.fence(0):
                raise
            # It has less than we sent, a restored copy say: ask how much, and go on from there.
            return await self._link.send_output(
                self._worker, ref, (piece[0], 0, b""), is_last=False
            )

    def _forget_if_done(self, ref: AttemptRef) -> None:
        sending = self._sending.get(ref)
        if sending is not None and sending.is_settled and sending.is_sent:
            del self._sending[ref]
            self._spool.forget(ref)

    def _path(self, ref: AttemptRef, stream: str) -> Path:
        return self._spool.folder_of(ref) / stream


def _produced(ending: Ending | None, stream: str) -> int:
    if ending is None:
        return 0
    return ending.stdout_bytes if stream == "stdout" else ending.stderr_bytes


def _read(path: Path, offset: int, most: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(offset)
            return file.read(most)
    except FileNotFoundError:
        return b""
