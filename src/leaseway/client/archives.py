"""Archives on their way to and from a coordinator, from disk to disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from leaseway.client import calls
from leaseway.client.answers import read_answer
from leaseway.client.blocking import Client
from leaseway.client.link import unreachable
from leaseway.wire.streams import BlobInfo

STEP = 1 << 18
PATIENT_S = 60.0
"""Without a byte moving for so long, the coordinator is called unreachable."""

Moved = Callable[[int], None]
"""Is told how many bytes have moved so far."""


def _quiet(_: int) -> None:
    """Nobody wants to know."""


def has(client: Client, digest: str) -> bool:
    """Whether the coordinator has this archive. Unreachable, Refused."""
    call = calls.blob(digest)
    try:
        answer = client.http.head(call.path)
    except httpx.TransportError as broke:
        raise unreachable(call, client.options, broke) from broke
    return answer.status_code == 200


def send(client: Client, archive: Path, digest: str, moved: Moved = _quiet) -> BlobInfo:
    """Hand an archive in. Unreachable; Refused: too large, no room (nothing was kept)."""
    call = calls.keep_blob(digest)
    size = archive.stat().st_size

    def pieces() -> Iterator[bytes]:
        done = 0
        with archive.open("rb") as source:
            while piece := source.read(STEP):
                yield piece
                done += len(piece)
                moved(done)

    headers = {"content-length": str(size), "content-type": "application/octet-stream"}
    try:
        answer = client.http.put(call.path, content=pieces(), headers=headers, timeout=PATIENT_S)
    except httpx.TransportError as broke:
        raise unreachable(call, client.options, broke) from broke
    return read_answer(call, answer.status_code, answer.headers, answer.content)


def fetch(client: Client, digest: str, into: Path, moved: Moved = _quiet) -> None:
    """Receive an archive into a file, which is there whole or not at all; what is in it is checked
    by whoever unpacks it. Unreachable, Refused; OSError where there is no room."""
    call = calls.blob(digest)
    passing = into.with_name(into.name + ".part")
    try:
        with (
            passing.open("wb") as out,
            client.http.stream("GET", call.path, timeout=PATIENT_S) as answer,
        ):
            if answer.status_code != 200:
                read_answer(call, answer.status_code, answer.headers, answer.read())
            done = 0
            for piece in answer.iter_raw(STEP):
                out.write(piece)
                done += len(piece)
                moved(done)
        passing.replace(into)
    except httpx.TransportError as broke:
        raise unreachable(call, client.options, broke) from broke
    finally:
        passing.unlink(missing_ok=True)
