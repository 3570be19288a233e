"""A coordinator without sockets or disks: the real parts around a ledger in memory and a clock that
tests move."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from starlette.applications import Starlette

from leaseway.client import calls
from leaseway.client.asynchronous import AsyncClient
from leaseway.client.options import ClientOptions, read_credential
from leaseway.coordinator.access import Access
from leaseway.coordinator.app import build_app
from leaseway.coordinator.blobs import BlobStore
from leaseway.coordinator.credentials import Keyring, credential_path, issue
from leaseway.coordinator.door import Door
from leaseway.coordinator.house import House
from leaseway.coordinator.logs import LogStore
from leaseway.coordinator.service import Service, ServiceOptions
from leaseway.coordinator.syncs import Syncs
from leaseway.coordinator.wakeups import Wakeups
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.commands import Role
from leaseway.core.model.lease import TermsOffer, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.sync import (
    AttemptRef,
    EndingReport,
    RegisterReply,
    RegisterRequest,
    SyncReply,
    SyncRequest,
)
from leaseway.ledger.memory import Disk, MemoryLedger
from leaseway.ledger.port import Ledger
from leaseway.runtime import Clock
from leaseway.wire.plans import SubmitReply, SubmitRequest

HOUR = 3_600_000
URL = "http://coordinator.test"


@dataclass
class SetClock(Clock):
    """A clock that stands until it is moved."""

    at: int = 1_000_000
    boot: str = "boot-1"

    def boot_ms(self) -> int:
        return self.at

    def awake_ms(self) -> int:
        return self.at

    def wall_ms(self) -> int:
        return self.at

    def boot_id(self) -> str:
        return self.boot


@cache
def issued() -> tuple[dict[Role, str], Keyring]:
    """Credentials for all pools of a test run: secrets, and what a coordinator keeps of them."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        keyring = issue(folder, URL)
        files = {role: read_credential(credential_path(folder, role)) for role in Role}
        return {role: file.secret for role, file in files.items()}, keyring


def counted(after: int) -> Callable[[str], str]:
    """Names that are the same in every run, and differ where ledgers differ in length."""
    made = iter(range(after + 1, 1 << 30))
    return lambda kind: f"{kind}-{next(made)}"


def lead(ledger: Ledger, clock: Clock, snapshot_every: int = 20_000) -> Service:
    options = ServiceOptions(snapshot_every=snapshot_every, fresh=counted(ledger.head()))
    return Service.lead(ledger, clock, "test", options)


def spec(name: str, limit_ms: int | None = 5_000, **more: object) -> TaskSpec:
    """A task that touches nothing."""
    given = {"reads": (), "writes": (), **more}
    return TaskSpec(name=name, run=("true",), limit_ms=limit_ms, **given)  # type: ignore[arg-type]


def plan(*tasks: TaskSpec, name: str = "nightly") -> PlanSpec:
    return PlanSpec(name=name, tasks=tasks)


def registering(name: str = "box", slots: int = 4, open_ms: int = HOUR) -> RegisterRequest:
    capacity = Capacity(cpus_milli=1000 * slots, slots=slots)
    offer = TermsOffer(windows=(WindowOffer(0, open_ms),), capacity=capacity)
    return RegisterRequest(name, f"machine-{name}", f"spool-{name}", f"boot-{name}", offer)


def syncing(name: str = "box", seq: int = 1, **more: object) -> SyncRequest:
    given = {"incarnation": 1, "terms_version": 1, **more}
    return SyncRequest(
        worker=name,
        seq=seq,
        spool_id=f"spool-{name}",
        boot_id=f"boot-{name}",
        **given,  # type: ignore[arg-type]
    )


def ended(ref: AttemptRef, stdout: bytes = b"", **more: object) -> EndingReport:
    given = {"exit_code": 0, "ran_ms": 5, "stdout_bytes": len(stdout), **more}
    ending = Ending(EndKind.EXITED, **given)  # type: ignore[arg-type]
    return EndingReport(ref, ending, started_ago_ms=5, stdout=stdout)


@dataclass
class Pool:
    """One coordinator and its clients."""

    service: Service
    house: House
    app: Starlette
    clock: SetClock
    folder: Path
    seqs: dict[str, int] = field(default_factory=dict)
    clients: dict[Role, AsyncClient] = field(default_factory=dict)

    def secret(self, role: Role) -> str:
        return issued()[0][role]

    def client(self, role: Role = Role.OWNER) -> AsyncClient:
        if role not in self.clients:
            self.clients[role] = AsyncClient(
                ClientOptions(url=URL, secret=self.secret(role)), self.transport()
            )
        return self.clients[role]

    def transport(self) -> httpx.ASGITransport:
        return httpx.ASGITransport(self.app, raise_app_exceptions=False)

    async def register(self, request: RegisterRequest | None = None) -> RegisterReply:
        return await self.client(Role.WORKER).send(calls.register(request or registering()))

    async def sync(self, name: str = "box", **more: object) -> SyncReply:
        self.seqs[name] = self.seqs.get(name, 0) + 1
        request = syncing(name, self.seqs[name], **more)
        return await self.client(Role.WORKER).send(calls.sync(request))

    async def join(self, request: RegisterRequest | None = None) -> None:
        """A worker that is registered and was heard."""
        request = request or registering()
        await self.register(request)
        await self.sync(request.name)

    async def submit(
        self, *tasks: TaskSpec, role: Role = Role.OWNER, **more: object
    ) -> SubmitReply:
        request = SubmitRequest(plan(*tasks), **more)  # type: ignore[arg-type]
        return await self.client(role).submit(request)

    async def run_one(self, stdout: bytes = b"", name: str = "box") -> AttemptRef:
        """Take the next grant and end it well."""
        (grant, *_) = (await self.sync(name)).start
        await self.sync(name, endings=(ended(grant.ref, stdout),))
        return grant.ref


@asynccontextmanager
async def open_pool(
    folder: Path, ledger: Ledger | None = None, clock: SetClock | None = None
) -> AsyncIterator[Pool]:
    """A coordinator that serves while the context is open."""
    clock = clock or SetClock()
    service = lead(ledger or MemoryLedger(Disk()), clock)
    wakeups = Wakeups()
    door, logs = Door(service, wakeups), LogStore(folder / "logs")
    syncs, blobs = Syncs(door, wakeups, logs), BlobStore(folder / "blobs")
    house = House(door, wakeups, logs, syncs, Access(issued()[1]), blobs, body_most=1_000_000)
    pool = Pool(service, house, build_app(house), clock, folder)
    async with asyncio.TaskGroup() as group:
        group.create_task(door.run())
        try:
            yield pool
        finally:
            wakeups.close()
            door.close()
            for client in pool.clients.values():
                await client.close()


async def until(holds: Callable[[], bool]) -> None:
    """Let everything else go on until it holds."""
    async with asyncio.timeout(10):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event of its own
            await asyncio.sleep(0)
