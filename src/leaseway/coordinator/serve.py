"""The composition root: from a state folder to a coordinator that answers, and down again."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from msgspec import Struct

from leaseway.client.private import write_private
from leaseway.coordinator.access import Access
from leaseway.coordinator.announce import announced
from leaseway.coordinator.app import build_app
from leaseway.coordinator.blobs import BlobStore
from leaseway.coordinator.clockwork import tick_on
from leaseway.coordinator.credentials import issue
from leaseway.coordinator.door import Door
from leaseway.coordinator.errors import BrokenHistory, NotAccepted, NotStarted
from leaseway.coordinator.greeting import greet, tell_how_to_join
from leaseway.coordinator.house import BODY_MOST, House
from leaseway.coordinator.listener import Listener, take_all_descriptors
from leaseway.coordinator.logs import LogStore
from leaseway.coordinator.network import Place, is_loopback, place_of
from leaseway.coordinator.routes.policy import owners_of
from leaseway.coordinator.service import Service, ServiceOptions
from leaseway.coordinator.syncs import Syncs
from leaseway.coordinator.wakeups import Wakeups
from leaseway.core.decisions.decision import Refused
from leaseway.core.model.commands import SetPolicy, Tick
from leaseway.core.model.policy import Policy
from leaseway.core.model.view import Settings
from leaseway.core.wording.say import sentence
from leaseway.ledger.errors import LedgerError
from leaseway.ledger.sqlite import SqliteLedger
from leaseway.runtime import Clock

Say = Callable[[str], None]
AT_START = "up --policy"
"""Who sets the policy of a start."""

STOPPED, BROKEN, UNUSABLE = 0, 1, 2
"""Exit codes: stopped as asked; stopped over something broken; could not start so."""

_PATIENT_S = 5


class CoordinatorOptions(Struct, frozen=True):
    """Where its state is, where it listens (port 0: a free one), and the pool's settings.
    `encrypted`: TLS also on loopback; everywhere else it is not asked. `announce`: be found.
    `policy`: set at this start, unless it was at the last one and a person has set another."""

    state_dir: Path
    host: str = "127.0.0.1"
    port: int = 0
    settings: Settings = Settings()
    snapshot_every: int = 20_000
    body_most: int = BODY_MOST
    encrypted: bool = False
    announce: bool = False
    policy: Policy | None = None


def run_coordinator(options: CoordinatorOptions, say: Say, show: Say | None = None) -> int:
    """Serve until SIGTERM or SIGINT; returns an exit code. `say` gets whole lines. `show`: somebody
    watches, so that a first invitation may be told."""
    try:
        encrypted = options.encrypted or not is_loopback(options.host)
        with _folder_needed():
            options.state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        ledger = SqliteLedger.open(options.state_dir)
        try:
            with listening(options) as listener:
                with _folder_needed():
                    place = place_of(listener, options.state_dir, encrypted=encrypted)
                return asyncio.run(_serve(options, (listener, place), ledger, (say, show)))
        finally:
            ledger.close()
    except (NotStarted, LedgerError) as wrong:
        say(f"The coordinator did not start: {wrong}.")
        return UNUSABLE
    except BrokenHistory as wrong:
        say(f"The coordinator did not start: {wrong}.")
        return BROKEN


@contextmanager
def _folder_needed() -> Iterator[None]:
    """NotStarted: the state folder does not take what must be written before anything else."""
    try:
        yield
    except OSError as wrong:
        raise NotStarted(f"{wrong.filename or 'its state folder'}: {wrong.strerror}") from wrong


@contextmanager
def listening(options: CoordinatorOptions) -> Iterator[socket.socket]:
    """A socket that listens. NotStarted if the port is taken."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    take_all_descriptors()
    with Listener(family) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((options.host, options.port))
            listener.listen(1024)
        except (OSError, OverflowError) as wrong:
            reason = getattr(wrong, "strerror", None) or str(wrong)
            raise NotStarted(f"{options.host} port {options.port}: {reason}") from wrong
        yield listener


class Server(uvicorn.Server):
    """A server that stops when it is told to or when the door decides nothing any more. Signals
    are not its own, and parked calls are let go first, so that stopping does not wait for them."""

    def __init__(self, house: House) -> None:
        tls = house.place.tls
        config = uvicorn.Config(
            build_app(house),
            lifespan="off",
            log_config=None,
            access_log=False,
            timeout_keep_alive=75,
            timeout_graceful_shutdown=_PATIENT_S,
            ssl_certfile=tls.certificate if tls else None,
            ssl_keyfile=tls.key if tls else None,
        )
        config.load()
        if config.ssl is not None:
            config.ssl.minimum_version = ssl.TLSVersion.TLSv1_3
        super().__init__(config)
        self._house = house
        self._stop = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals come through `stop`."""
        yield

    def stop(self) -> None:
        """Answer what is under way, then end."""
        self._stop.set()

    async def stop_when_told(self) -> None:
        """Let parked calls go and end the server, once told to or once the door is closed."""
        async with asyncio.TaskGroup() as group:
            either = [
                group.create_task(self._stop.wait()),
                group.create_task(self._house.door.closed.wait()),
            ]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            for each in either:
                each.cancel()
        self._house.wakeups.close()
        self.should_exit = True


async def _serve(
    options: CoordinatorOptions,
    bound: tuple[socket.socket, Place],
    ledger: SqliteLedger,
    voice: tuple[Say, Say | None],
) -> int:
    (listener, place), (say, show) = bound, voice
    holder = f"{place.url} process {os.getpid()}"
    kept = ServiceOptions(options.settings, options.snapshot_every)
    service = Service.lead(ledger, Clock.of_environment(), holder, kept)
    with _folder_needed():
        house = _house(options, service, place, say)
        write_private(options.state_dir / "url", f"{place.url}\n".encode())
    server = Server(house)
    async with asyncio.TaskGroup() as group:
        group.create_task(house.door.run())
        broken = await _opened(house, options.policy)
        if not broken:
            greet(options.state_dir, house, say)
            if place.tls is not None:
                tell_how_to_join(house, say, show)
            say("Stop with Ctrl-C or SIGTERM; what runs on workers goes on meanwhile")
            group.create_task(tick_on(house.door))
            group.create_task(server.stop_when_told())
            with _signals(server):
                async with announced(house, wanted=options.announce, say=say):
                    await server.serve([listener])
            broken = house.door.silent
        house.door.close()
    say(f"The coordinator stopped: {broken}." if broken else "The coordinator stopped.")
    return BROKEN if broken else STOPPED


def _house(options: CoordinatorOptions, service: Service, place: Place, say: Say) -> House:
    wakeups = Wakeups()
    door = Door(service, wakeups)
    logs = LogStore(options.state_dir / "logs")
    blobs = BlobStore(options.state_dir / "blobs")
    blobs.sweep()
    tls, folder = place.tls, options.state_dir
    keyring = issue(folder, place.url, tls.ca if tls else "")
    access = Access(keyring, folder, tls.fingerprint if tls else b"", say)
    return House(
        door=door,
        wakeups=wakeups,
        logs=logs,
        syncs=Syncs(door, wakeups, logs),
        access=access,
        place=place,
        blobs=blobs,
        body_most=options.body_most,
    )


async def _opened(house: House, policy: Policy | None) -> str:
    """Let the first moment pass, so that the ledger has its id; returns what is broken."""
    try:
        await house.door.ask(Tick())
        if policy is not None:
            owners = owners_of(house, house.now())
            said = await house.door.ask(SetPolicy(policy, AT_START, owners, at_start=True))
            if isinstance(said, Refused):
                return f"its policy cannot be set: {sentence(said.findings[0])}".rstrip(".")
    except NotAccepted as wrong:
        return str(wrong)
    return ""


@contextmanager
def _signals(server: Server) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, server.stop)
    try:
        yield
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.remove_signal_handler(number)
