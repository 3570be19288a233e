"""Trees that travel, as the carrier sees them: views to be made, results to be brought, and what
is kept of both until somebody has looked or room is needed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from functools import partial

from leaseway.core.model import worker as wk
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.runtime import Clock
from leaseway.worker import delivering, receiving
from leaseway.worker.blobs import Blobs
from leaseway.worker.delivering import Brought, Delivery, Pending
from leaseway.worker.link import Link
from leaseway.worker.options import WorkerOptions
from leaseway.worker.receiving import Receiver, Reception, cache_in
from leaseway.worker.spool import Spool
from leaseway.worker.views import Kept, Views

Happening = Reception | Brought | wk.Kept | wk.Dropped


class Trees:
    """All views of one worker. What came of receiving, delivering and keeping is read from
    `happenings`."""

    def __init__(self, options: WorkerOptions, spool: Spool, clock: Clock, link: Link) -> None:
        self._options = options
        self._views = Views(spool.views, spool.spool_id)
        self._cache = cache_in(spool.root.parent, options.cache_bytes)
        self._happened: asyncio.Queue[Happening] = asyncio.Queue()
        self._chores: asyncio.Queue[Callable[[], Kept | None]] = asyncio.Queue()
        self._live: set[AttemptRef] = set()  # in hand, with a view
        self._kept: dict[AttemptRef, Kept] = {}  # settled, the oldest first
        say = self._happened.put_nowait
        blobs = Blobs(link, options.name)
        self._receiver = Receiver(
            receiving.Around(
                *(spool, self._views, self._cache, blobs, clock, options.tell),
                make_room=self.make_room,
                say=say,
            )
        )
        self._delivery = Delivery(
            delivering.Around(spool, self._views, blobs, options.tell, self.make_room, say)
        )

    def take_over(self, records: Iterable[wk.Adopted]) -> list[AttemptRef]:
        """From an earlier daemon: remove what it left half done; which views are kept."""
        grants = [record.grant for record in records if record.grant.has_view]
        self._live = {grant.ref for grant in grants}
        self._kept = {note.ref: note for note in self._views.sweep(self._live)}
        wanted = {one.digest.rpartition(":")[2] for grant in grants for one in grant.layers}
        with contextlib.suppress(OSError):
            for path in (self._cache.folder / "incoming").iterdir():
                if path.name not in wanted:
                    path.unlink()
        return list(self._kept)

    def receive(self, grant: wk.LocalGrant, since_boot: Millis) -> None:
        """Make its view."""
        self._live.add(grant.ref)
        self._receiver.add(grant, since_boot)

    def returned(self, ref: AttemptRef) -> None:
        """It will never start here."""
        if ref in self._live:
            self._live.discard(ref)
            self._receiver.cancel(ref)
            self._chores.put_nowait(partial(self._views.remove, ref))

    def deliver(self, pending: Pending) -> None:
        """Collect what it changed, and bring it."""
        self._receiver.cancel(pending.grant.ref)
        self._delivery.add(pending)

    def settled(self, ref: AttemptRef) -> None:
        """The coordinator has its ending."""
        if ref in self._live:
            self._live.discard(ref)
            self._chores.put_nowait(partial(self._keep_or_remove, ref))

    def forget(self, refs: Iterable[AttemptRef]) -> None:
        """Nobody will ask for these any more."""
        for ref in refs:
            if self._kept.pop(ref, None) is not None:
                self._chores.put_nowait(partial(self._views.remove, ref))

    async def happenings(self) -> AsyncIterator[Happening]:
        """What happens, as it happens."""
        while True:
            yield await self._happened.get()

    async def run(self) -> None:
        """For as long as the daemon lives."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._receiver.run())
            group.create_task(self._delivery.run())
            await self._do_chores()

    async def make_room(self, more_bytes: int) -> bool:
        """Until so much and what is to stay free is free, let go of archives, which can be fetched
        again, and then of kept views, the oldest first; those also until they are within their
        quota. Whether anything was."""
        short = more_bytes + self._options.free_bytes - self._views.free_bytes()
        dropped = short > 0 and await asyncio.to_thread(self._cache.let_go, short) > 0
        while self._kept and self._is_tight(more_bytes):
            ref, note = next(iter(self._kept.items()))
            del self._kept[ref]
            await asyncio.to_thread(self._views.drop, ref)
            self._options.tell(f"the files of {ref} ({note.why}) were removed: room was needed")
            self._happened.put_nowait(wk.Dropped(ref))
            dropped = True
        return dropped

    def _is_tight(self, more_bytes: int) -> bool:
        if sum(note.bytes for note in self._kept.values()) > self._options.views_bytes:
            return True
        return self._views.free_bytes() < more_bytes + self._options.free_bytes

    async def _do_chores(self) -> None:
        """One after the other: removing much takes the disk its time."""
        while True:
            chore = await self._chores.get()
            try:
                note = await asyncio.to_thread(chore)
                if note is not None:
                    self._kept[note.ref] = note
                    self._happened.put_nowait(wk.Kept(note.ref))
            except OSError as error:
                self._options.tell(f"{self._views.root} cannot be cleared: {error.strerror}")
            await self.make_room(0)

    def _keep_or_remove(self, ref: AttemptRef) -> Kept | None:
        note = self._views.kept(ref)
        if note is None:
            self._views.remove(ref)
        else:
            self._views.forget_archives(ref)
        return note
