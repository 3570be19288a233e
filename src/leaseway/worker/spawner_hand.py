"""The daemon's hand on the spawner: find it or start it, talk to it, notice that it is gone.

Nothing said here has to arrive: at every new connection the daemon says again all that holds.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping

from leaseway.core.model.units import Millis
from leaseway.runtime import CLOCK_FILE
from leaseway.worker import messages
from leaseway.worker.channel import connect_in
from leaseway.worker.messages import ToDaemon, ToSpawner
from leaseway.worker.spawner import DOOR
from leaseway.worker.spool import Spool

START_MS: Millis = 15_000
KNOCK_S = 0.01
_LONGEST_LINE = 64 * 1024 * 1024
COMMAND = (sys.executable, "-P", "-m", "leaseway.worker.spawner")


class NoSpawner(Exception):
    """No spawner opened its door in time; its log in the spool may say why."""


def spawner_environment(of_daemon: Mapping[str, str]) -> dict[str, str]:
    """The daemon's environment without what is its own, the credential above all."""
    return {
        name: value
        for name, value in of_daemon.items()
        if not name.startswith("LEASEWAY_") or name == CLOCK_FILE
    }


class SpawnerHand:
    """A connection to the spawner of this spool."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._process: subprocess.Popen[bytes] | None = None

    async def connect(self) -> messages.Hello:
        """Connect to the one that runs, else start one. NoSpawner after `START_MS`."""
        self.close()
        try:
            async with asyncio.timeout(START_MS / 1000):
                while True:
                    hello = await self._knock()
                    if hello is not None:
                        return hello
                    if self._process is None or self._process.poll() is not None:
                        self._start()
                    await asyncio.sleep(KNOCK_S)
        except TimeoutError as error:
            log = self._spool.root / "spawner.log"
            raise NoSpawner(f"no spawner within {START_MS // 1000} s; see {log}") from error

    def send(self, message: ToSpawner) -> None:
        """Say it, if there is anybody."""
        if self._writer is not None and not self._writer.is_closing():
            self._writer.write(messages.encode(message) + b"\n")

    async def hear(self) -> AsyncIterator[ToDaemon]:
        """What it says, until it is gone."""
        assert self._reader is not None
        while line := await self._line(self._reader):
            yield messages.to_daemon(line)

    def close(self) -> None:
        """Let go of it; it goes on guarding what runs."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    async def _knock(self) -> messages.Hello | None:
        try:
            sock = connect_in(self._spool.root, DOOR)
        except OSError:
            return None
        sock.setblocking(False)
        reader, writer = await asyncio.open_unix_connection(sock=sock, limit=_LONGEST_LINE)
        line = await self._line(reader)
        if not line:
            writer.close()
            return None
        self._reader, self._writer = reader, writer
        hello = messages.to_daemon(line)
        assert isinstance(hello, messages.Hello)
        return hello

    def _start(self) -> None:
        """In a session of its own: what ends the daemon, a closed terminal say, must not end it."""
        with (self._spool.root / "spawner.log").open("ab") as log:
            self._process = subprocess.Popen(
                [*COMMAND, str(self._spool.root)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=spawner_environment(os.environ),
                start_new_session=True,
            )

    async def _line(self, reader: asyncio.StreamReader) -> bytes:
        try:
            line = await reader.readline()
        except OSError:
            return b""
        return line if line.endswith(b"\n") else b""
