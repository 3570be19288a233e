"""After an attempt: what it changed is collected, brought to the coordinator, and then its ending
is told, since followers start from it. Each step is noted once it is done, so whoever goes on
after a crash does not do it twice, or does the same again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from msgspec.structs import replace

from leaseway.core.model.outcomes import Ending
from leaseway.core.model.plan import Archive
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import (
    LocalGrant,
    Note,
    NoteCollected,
    NoteDelivered,
    NoteEnded,
)
from leaseway.worker.blobs import Blobs
from leaseway.worker.collecting import EXTRA, RESULTS, collected, joined, without_results
from leaseway.worker.link import Declined, Unreachable
from leaseway.worker.spool import Spool
from leaseway.worker.views import Views
from leaseway.workspace.errors import NotWritten

Got = TypeVar("Got")

AT_ONCE = 4
FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 10.0
_FINAL = frozenset({400, 403, 404, 405, 413, 422})


@dataclass(frozen=True)
class Pending:
    """What has ended and is not delivered. `collected`: its ending, if an earlier daemon has
    collected what it changed."""

    grant: LocalGrant
    ended: NoteEnded
    received_ms: Millis | None = None  # None: its view was never made
    collected: Ending | None = None


@dataclass(frozen=True)
class Brought:
    """The ending as it is to be reported."""

    note: NoteEnded


@dataclass(frozen=True)
class Around:
    """What delivering works with; `say` takes what came of it."""

    spool: Spool
    views: Views
    blobs: Blobs
    tell: Callable[[str], None]
    make_room: Callable[[int], Awaitable[bool]]
    say: Callable[[Brought], None] = field(repr=False)


class Delivery:
    """All attempts whose endings wait for what they changed."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._fresh: asyncio.Queue[Pending] = asyncio.Queue()
        self._turns = asyncio.Semaphore(AT_ONCE)
        self._troubles: dict[AttemptRef, str] = {}

    def add(self, pending: Pending) -> None:
        """Deliver this one."""
        self._fresh.put_nowait(pending)

    async def run(self) -> None:
        """For as long as the daemon lives."""
        async with asyncio.TaskGroup() as group:
            while True:
                pending = await self._fresh.get()
                group.create_task(self._deliver(pending))

    async def _deliver(self, pending: Pending) -> None:
        around, ref = self._around, pending.grant.ref
        ending = pending.collected or await self._collect(pending)
        ending = await self._bring(pending.grant, ending)
        await self._note(NoteDelivered(ref, ending))
        self._untroubled(ref)
        around.say(Brought(replace(pending.ended, ending=ending)))

    # Collecting ----------------------------------------------------------------------------------

    async def _collect(self, pending: Pending) -> Ending:
        grant = pending.grant
        bare = pending.ended.ending
        if pending.received_ms is None:
            return bare  # it never got as far as a view
        bare = replace(bare, received_ms=pending.received_ms)

        async def work() -> Ending:
            async with self._turns:
                return await asyncio.to_thread(self._collected, grant, bare)

        ending = await self._insist(grant.ref, "what it changed cannot be collected", work)
        await self._note(NoteCollected(grant.ref, ending))
        return ending

    def _collected(self, grant: LocalGrant, bare: Ending) -> Ending:
        ending, why_kept = collected(grant, bare, self._around.views)
        if why_kept:
            self._around.views.keep(grant.ref, why_kept)
        return ending

    # Bringing ------------------------------------------------------------------------------------

    async def _bring(self, grant: LocalGrant, ending: Ending) -> Ending:
        """Both archives there, or an ending that says why not."""
        kept = f"kept on the worker in {self._around.views.path(grant.ref)}"
        if ending.results is not None:
            no = await self._upload(grant.ref, ending.results, RESULTS)
            if no:
                why = f"the coordinator does not take its results: {no}; they are {kept}"
                ending = without_results(grant, ending, why)
        if ending.extra is not None:
            no = await self._upload(grant.ref, ending.extra, EXTRA)
            if no:
                why = f"the coordinator does not take what it changed beside: {no}; it is {kept}"
                ending = replace(ending, extra=None, detail=joined(ending.detail, why))
        return ending

    async def _upload(self, ref: AttemptRef, archive: Archive, name: str) -> str:
        """Empty once it is there; else why it will never be."""
        path = self._around.views.about(ref) / name

        async def there() -> str:
            if not path.exists():
                return "the archive is gone from this disk"
            async with self._turns:
                if not await self._around.blobs.has(archive.digest):
                    await self._around.blobs.store(archive.digest, path)
            return ""

        try:
            no = await self._insist(ref, "what it changed cannot be delivered", there)
        except Declined as error:
            no = str(error)
        if not no:
            return ""
        self._around.tell(f"{ref}: its {name} are not delivered: {no}")
        keep = partial(asyncio.to_thread, self._around.views.keep, ref, no)
        await self._insist(ref, "that its files are kept cannot be noted", keep)
        return no

    # Both ----------------------------------------------------------------------------------------

    async def _insist(self, ref: AttemptRef, what: str, work: Callable[[], Awaitable[Got]]) -> Got:
        """Again until it is done; what stands in its way is told once. Declined: for good."""
        wait_s = FIRST_WAIT_S
        while True:
            try:
                return await work()
            except Unreachable:
                pass  # told by the calls
            except Declined as error:
                if error.status in _FINAL:
                    raise
                self._troubled(ref, f"{what} now: {error}")
            except (NotWritten, OSError) as error:
                said = error.strerror if isinstance(error, OSError) else str(error)
                self._troubled(ref, f"{what} now: {said}")
                await self._around.make_room(0)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    async def _note(self, note: NoteCollected | NoteDelivered) -> None:
        """On the disk, before anybody hears of it."""

        async def noted() -> None:
            self._append(note)

        await self._insist(note.ref, "its ending cannot be noted", noted)

    def _append(self, note: Note) -> None:
        self._around.spool.journal.append(note)
        self._around.spool.journal.sync()

    def _troubled(self, ref: AttemptRef, said: str) -> None:
        if self._troubles.get(ref) != said:
            self._troubles[ref] = said
            self._around.tell(f"{ref}: {said}; trying on")

    def _untroubled(self, ref: AttemptRef) -> None:
        if self._troubles.pop(ref, None) is not None:
            self._around.tell(f"{ref}: what it changed is delivered")
