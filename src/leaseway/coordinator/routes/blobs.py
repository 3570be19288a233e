"""Archives: trees that plans are handed in with, and what tasks changed of them."""

from __future__ import annotations

import asyncio

from starlette.responses import FileResponse, Response

from leaseway.coordinator.asked import Asked, reply
from leaseway.coordinator.auth import check_speaks_for
from leaseway.coordinator.blobs import BlobError, NotThat, Receiving, TooBig, is_digest
from leaseway.coordinator.declined import Declined, malformed, not_allowed, too_large
from leaseway.core.model.commands import Role
from leaseway.core.workspaces import may_receive, needed
from leaseway.wire.problems import Kind, problem
from leaseway.wire.streams import BlobInfo

_BATCH = 1 << 20


async def blob(asked: Asked) -> Response:
    """An archive. A worker gets what views of its own attempts are made of."""
    digest = _digest(asked)
    view = await asked.house.door.view()
    if asked.who.role is Role.WORKER:
        worker = asked.text("worker") or ""
        check_speaks_for(asked.who, worker, "receive an archive")
        if not may_receive(view, worker, digest):
            if asked.http.method == "HEAD":  # before it hands one in; no reason to be alarmed
                raise no_archive(digest)
            raise not_allowed(asked.who, "receive this archive", "a worker that runs a task on it")
    if asked.house.blobs.size(digest) is None:
        raise no_archive(digest)
    asked.house.blobs.asked_for(digest)
    return FileResponse(asked.house.blobs.path(digest), media_type="application/octet-stream")


async def keep_blob(asked: Asked) -> Response:
    """Keep an archive under its digest; the same again is harmless."""
    digest, store = _digest(asked), asked.house.blobs
    have = store.size(digest)
    if have is not None:
        store.asked_for(digest)
        return reply(BlobInfo(digest, have))
    told = asked.http.headers.get("content-length", "")
    if not told.isdecimal():
        raise malformed("Expected a body of known length (Content-Length)")
    view = await asked.house.door.view()
    try:
        store.make_room(int(told), needed(view))
        with store.receiving(digest) as receiving:
            await _receive(asked, receiving, int(told))
    except NotThat as wrong:
        raise malformed(f"Expected the archive {digest}, got another: {wrong}") from wrong
    except TooBig as wrong:
        raise too_large(wrong.have, wrong.cap) from wrong
    except (BlobError, OSError) as wrong:
        said = getattr(wrong, "strerror", None) or str(wrong)
        detail = f"The archive could not be kept: {said}. Nothing of it was kept."
        raise Declined(problem(Kind.NO_ROOM, detail)) from wrong
    return reply(BlobInfo(digest, receiving.size))


async def _receive(asked: Asked, receiving: Receiving, expected: int) -> None:
    """Checking and writing take time, so they happen in a thread, a batch at a time."""
    batch = bytearray()
    async for part in asked.http.stream():
        batch += part
        if receiving.size + len(batch) > expected:
            raise NotThat("it is longer than was said")
        if len(batch) >= _BATCH:
            await asyncio.to_thread(receiving.take, bytes(batch))
            batch.clear()
    await asyncio.to_thread(receiving.take, bytes(batch))


def no_archive(digest: str) -> Declined:
    """It is not here, or not any more."""
    return Declined(problem(Kind.UNKNOWN, f"There is no archive {digest} here: hand it in first."))


def _digest(asked: Asked) -> str:
    digest = asked.part("digest")
    if not is_digest(digest):
        raise malformed(f"Expected `sha256:` and 64 hex digits, got `{digest[:80]}`")
    return digest
