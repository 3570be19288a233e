"""Before an attempt: its archives are fetched, and a view is made of them.

What repeating may mend is repeated for as long as the attempt may still start; the spawner, in
whose queue it stands, hands it back when that is over. What this disk cannot take is handed back,
since another worker's may. What nothing will mend ends it, with the reason.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary

from leaseway.core.model.plan import Archive
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import LocalGrant, NoteReceived, Received
from leaseway.runtime import Clock
from leaseway.worker.blobs import Blobs
from leaseway.worker.link import Declined, Unreachable
from leaseway.worker.spool import Spool
from leaseway.worker.views import LIMITS, NotHere, Views
from leaseway.workspace.cache import Cache
from leaseway.workspace.errors import BadArchive, NotWritten, TooLarge, WorkspaceError

AT_ONCE = 4
MAKING = 2
TRIES = 3
"""How often what arrives may be another than what was asked for."""

FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 5.0
HAND_BACK_S = 1.0
"""It may be granted again the moment it is back, so it goes back in no hurry."""

_FORBIDDEN, _PASSING = 403, 500


@dataclass(frozen=True)
class CannotTake:
    """To be handed back: it cannot be received here now."""

    ref: AttemptRef


@dataclass(frozen=True)
class NeverComes:
    """To be ended: what it needs cannot be had anywhere."""

    ref: AttemptRef
    detail: str
    received_ms: Millis


Reception = Received | CannotTake | NeverComes


class _Handed(Exception):
    """Not here, not now; the message says why."""


class _Never(Exception):
    """Nowhere, never; the message says why."""


@dataclass
class _Job:
    grant: LocalGrant
    since_boot: Millis
    task: asyncio.Task[None] | None = None
    is_wanted: bool = True


@dataclass(frozen=True)
class Around:
    """What receiving works with. `make_room` frees disk for so many bytes if it can, and says
    whether it freed any; `say` takes what came of it."""

    spool: Spool
    views: Views
    cache: Cache
    blobs: Blobs
    clock: Clock
    tell: Callable[[str], None]
    make_room: Callable[[int], Awaitable[bool]]
    say: Callable[[Reception], None] = field(repr=False)


class Receiver:
    """All attempts that wait for their files."""

    def __init__(self, around: Around) -> None:
        self._around = around
        self._jobs: dict[AttemptRef, _Job] = {}
        self._fresh: asyncio.Queue[_Job] = asyncio.Queue()
        self._fetching: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._fetches = asyncio.Semaphore(AT_ONCE)
        self._makes = asyncio.Semaphore(MAKING)

    def add(self, grant: LocalGrant, since_boot: Millis) -> None:
        """Receive for this one; `since_boot`: when it was granted."""
        job = self._jobs[grant.ref] = _Job(grant, since_boot)
        self._fresh.put_nowait(job)

    def cancel(self, ref: AttemptRef) -> None:
        """It will not start here; what is being made of its view is removed when it is made."""
        job = self._jobs.pop(ref, None)
        if job is not None:
            job.is_wanted = False
            if job.task is not None:
                job.task.cancel()

    async def run(self) -> None:
        """For as long as the daemon lives."""
        async with asyncio.TaskGroup() as group:
            while True:
                job = await self._fresh.get()
                if job.is_wanted:
                    job.task = group.create_task(self._receive(job))

    async def _receive(self, job: _Job) -> None:
        around, ref = self._around, job.grant.ref
        try:
            await self._made(job)
            came = Received(ref, self._ms(job))
            around.spool.journal.append(NoteReceived(ref, came.received_ms))
        except (_Never, WorkspaceError) as error:
            around.tell(f"{ref} cannot be received: {error}; it is ended unstarted")
            around.say(NeverComes(ref, str(error), self._ms(job)))
        except (_Handed, OSError) as error:
            said = error.strerror if isinstance(error, OSError) else str(error)
            around.tell(f"{ref} cannot be received now: {said}; it is handed back")
            await asyncio.sleep(HAND_BACK_S)
            around.say(CannotTake(ref))
        except asyncio.CancelledError:
            if not job.is_wanted:
                await asyncio.to_thread(around.views.remove, ref)
            raise
        else:
            around.say(came)
        finally:
            if self._jobs.get(ref) is job:
                del self._jobs[ref]

    def _ms(self, job: _Job) -> Millis:
        return max(0, self._around.clock.boot_ms() - job.since_boot)

    async def _made(self, job: _Job) -> None:
        """All layers here, and laid over each other."""
        bad: BadArchive | None = None
        for _ in range(TRIES):
            for archive in job.grant.layers:
                await self._have(archive)
            try:
                await self._make(job)
            except NotHere:
                continue  # others needed the room of the cache meanwhile
            except BadArchive as error:
                bad = error
                self._mistrust(job.grant.layers)
            else:
                return
        if bad is not None:
            raise _Never(str(bad)) from bad
        raise _Handed("the cache has no room for all that its view is made of")

    def _mistrust(self, layers: tuple[Archive, ...]) -> None:
        """They were whole when they came in; the disk may have spoiled one since."""
        for archive in layers:
            path = self._around.cache.get(archive.digest)
            if path is not None:
                path.unlink(missing_ok=True)

    async def _make(self, job: _Job) -> None:
        around = self._around
        async with self._makes:
            while True:
                grant = job.grant
                make = asyncio.to_thread(
                    around.views.make, grant.ref, grant.layers, around.cache, grant.workdir
                )
                try:
                    await _to_its_end(make)
                except (NotWritten, OSError) as error:
                    if not await around.make_room(sum(layer.bytes for layer in job.grant.layers)):
                        raise _Handed(_told(error)) from error
                else:
                    break

    async def _have(self, archive: Archive) -> None:
        """In the cache. Who needs the same waits for the first."""
        digest = archive.digest
        async with self._fetching.setdefault(digest, asyncio.Lock()):
            if self._around.cache.get(digest) is None:
                async with self._fetches:
                    await self._fetch(archive)

    async def _fetch(self, archive: Archive) -> None:
        incoming = self._around.cache.folder / "incoming"
        path = incoming / archive.digest.rpartition(":")[2]
        wait_s, wrong = FIRST_WAIT_S, 0
        while True:
            try:
                incoming.mkdir(mode=0o700, parents=True, exist_ok=True)
                await self._around.blobs.fetch(archive.digest, path)
                await _to_its_end(asyncio.to_thread(self._take_in, archive.digest, path))
            except Unreachable:
                pass  # told by the calls, which have the same trouble
            except Declined as error:
                _judge(error, archive)
            except BadArchive as error:
                wrong += 1
                if wrong == TRIES:
                    raise _Never(str(error)) from error
            except TooLarge as error:
                raise _Handed(str(error)) from error
            except (NotWritten, OSError) as error:
                if not await self._around.make_room(archive.bytes):
                    path.unlink(missing_ok=True)
                    raise _Handed(_told(error)) from error
            else:
                return
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)

    def _take_in(self, digest: str, path: Path) -> None:
        """Into the cache, checked. What is wrong is not gone on with."""
        try:
            self._around.cache.put(digest, path)
        except NotWritten:
            raise
        except WorkspaceError:
            path.unlink(missing_ok=True)
            raise
        path.unlink(missing_ok=True)


def cache_in(state_dir: Path, most_bytes: int) -> Cache:
    """The cache of archives of one worker."""
    return Cache(state_dir / "cache", most_bytes, LIMITS)


async def _to_its_end(work: Coroutine[None, None, None]) -> None:
    """A thread cannot be cancelled; so whoever is cancelled waits for it first."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        with contextlib.suppress(WorkspaceError, NotHere, OSError):
            await task
        raise


def _judge(error: Declined, archive: Archive) -> None:
    """Returns if asking again may help."""
    if error.status == _FORBIDDEN:
        raise _Handed(f"the coordinator does not give {archive.digest}: {error}") from error
    if error.status < _PASSING and not error.fence(0) and error.status in (400, 404, 410):
        raise _Never(f"the coordinator no longer has {archive.digest} ({error})") from error


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
