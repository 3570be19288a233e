"""A local network of the test's own: a namespace for each machine, joined by a switch that is one
too. Every machine has an address, a loopback, a host name and a home; nothing of it reaches out.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

NO_NAMESPACES = "no network namespaces"
"""How the reason begins where none can be made; .ci/run says whether that may be so."""

_BECOME = 'hostname "$0" && cd "$1" && shift && exec "$@"'
_PASSED_ON = ("LEASEWAY_CLOCK", "PYTHONDONTWRITEBYTECODE", "LANG", "LC_ALL", "TZ")


@dataclass(frozen=True)
class Machine:
    """One machine. `space`: its namespace. `home`: everything that it owns."""

    name: str
    space: str
    address: str
    home: Path

    def argv(self, words: list[str], folder: Path | None = None) -> list[str]:
        """To run these words there, in a folder of it."""
        enter = ["ip", "netns", "exec", self.space, "unshare", "--uts", "sh", "-c", _BECOME]
        return [*enter, self.name, str(folder or self.home), *words]

    def environment(self) -> dict[str, str]:
        """What a login there has: nothing of whoever runs the tests but the clock."""
        passed = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
        return {
            **passed,
            "HOME": str(self.home),
            "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
            "TERM": "dumb",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # a box has pytest and not what we test with
        }

    def pids(self) -> list[int]:
        """Every process there."""
        return [int(pid) for pid in _ip("netns", "pids", self.space).split()]


class Lan:
    """Machines of these names on one network. Use as a context: leaving it ends what runs there and
    takes the network away."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder = folder
        mark = f"leaseway-{os.getpid()}"
        self._switch = f"{mark}-switch"
        self.machines = [
            Machine(name, f"{mark}-{name}", f"10.77.0.{number}", folder / name)
            for number, name in enumerate(names, start=5)
        ]
        self._made: list[str] = []

    def __enter__(self) -> Self:
        try:
            self._add(self._switch)
            _ip("-n", self._switch, "link", "add", "switch", "type", "bridge")
            _ip("-n", self._switch, "link", "set", "switch", "up")
            for machine in self.machines:
                self._plug_in(machine)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        raised: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End what runs on the machines, by its pid, and remove what was made here."""
        for machine in self.machines:
            while machine.space in self._made and (pids := machine.pids()):
                for pid in pids:
                    _kill(pid)
        while self._made:
            _ip("netns", "del", self._made.pop())

    def _plug_in(self, machine: Machine) -> None:
        self._add(machine.space)
        machine.home.mkdir(parents=True)
        port = f"to-{machine.name}"
        cable = ("link", "add", port, "type", "veth", "peer", "name", "eth0")
        _ip("-n", self._switch, *cable, "netns", machine.space)
        _ip("-n", self._switch, "link", "set", port, "master", "switch", "up")
        _ip("-n", machine.space, "addr", "add", f"{machine.address}/24", "dev", "eth0")
        _ip("-n", machine.space, "link", "set", "eth0", "up")
        _ip("-n", machine.space, "route", "add", "default", "dev", "eth0")

    def _add(self, space: str) -> None:
        _ip("netns", "add", space)
        self._made.append(space)
        _ip("-n", space, "link", "set", "lo", "up")


@cache
def why_none() -> str:
    """Why no network can be made here, with what would enable it; empty: it can."""
    if not shutil.which("ip"):
        return f"{NO_NAMESPACES}: `ip` is missing; on Debian: apt-get install iproute2"
    if os.geteuid() != 0:
        return f"{NO_NAMESPACES}: they need root; run this test as root"
    space = f"leaseway-{os.getpid()}-probe"
    try:
        _ip("netns", "add", space)
    except Unavailable as wrong:
        return f"{NO_NAMESPACES}: {wrong}; run where `ip netns add` is allowed"
    try:
        _ip("-n", space, "link", "add", "switch", "type", "bridge")
        _ip("-n", space, "link", "add", "one", "type", "veth", "peer", "name", "other")
        entered = ["ip", "netns", "exec", space, "unshare", "--uts", "hostname", "probe"]
        subprocess.run(entered, check=True, capture_output=True, timeout=30)
    except (Unavailable, subprocess.CalledProcessError) as wrong:
        return f"{NO_NAMESPACES}: {wrong}; needs bridge, veth and unshare --uts"
    finally:
        _ip("netns", "del", space)
    return ""


class Unavailable(Exception):
    """`ip` did not do what was asked."""


def _ip(*words: str) -> str:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False, timeout=30)
    if done.returncode:
        raise Unavailable(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
