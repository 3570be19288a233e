"""Where a coordinator can be reached: what it binds, what its certificate names, what to type."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from leaseway.coordinator.errors import NotStarted
from leaseway.coordinator.tls import Certificates, certificates
from leaseway.runtime import Clock

EVERYWHERE = "0.0.0.0"
_HERE = ("127.0.0.1", "::1", "localhost")
_MADE_UP = ("docker", "veth", "br-", "virbr", "cni", "podman", "tun", "tap")
"""Beginnings of names of interfaces that lead to containers rather than to other machines."""


class Place(Struct, frozen=True):
    """`url`: for who is on this machine. `elsewhere`: HOST:PORT to be typed on other machines, the
    likeliest first. `tls`: None on loopback, where nothing is encrypted."""

    url: str
    tls: Certificates | None = None
    elsewhere: tuple[str, ...] = ()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.rpartition(":")[2])


NOWHERE = Place("http://127.0.0.1:0")
"""Before anything listens."""


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it. NotStarted: it is no address and no name."""
    if not host:
        raise NotStarted("--host needs an address, such as 127.0.0.1 (or give --lan)")
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def place_of(listener: socket.socket, state: Path, *, encrypted: bool) -> Place:
    """What a bound socket came to. NotStarted: it has to be encrypted and cannot be."""
    host, port = listener.getsockname()[:2]
    anywhere = ipaddress.ip_address(host).is_unspecified
    own = ("::1" if ":" in host else "127.0.0.1") if anywhere else host
    if not encrypted:
        return Place(f"http://{_with_port(own, port)}")
    others = [] if is_loopback(host) else addresses_here() if anywhere else [host]
    names = {*_HERE, own, *others, *_host_names()}
    made = certificates(state, names, Clock.of_environment().wall_ms())
    return Place(
        f"https://{_with_port(own, port)}",
        made,
        tuple(_with_port(each, port) for each in others or [own]),
    )


def addresses_here() -> list[str]:
    """Addresses of this machine that others may reach, the likeliest first."""
    try:
        import ifaddr
    except ImportError:  # what asks for it says so: `certificates`
        return []
    found = []
    for adapter in ifaddr.get_adapters():
        made_up = adapter.nice_name.startswith(_MADE_UP)
        for each in adapter.ips:
            text = each.ip if isinstance(each.ip, str) else each.ip[0]
            address = ipaddress.ip_address(text.partition("%")[0])
            if not (address.is_loopback or address.is_link_local or address.is_unspecified):
                found.append((made_up, address.version, not address.is_private, str(address)))
    return list(dict.fromkeys(text for *_, text in sorted(found)))


def _host_names() -> Iterable[str]:
    name = socket.gethostname()
    asked = name.isascii() and all(part.isalnum() or part in "-._" for part in name)
    return (name, f"{name.partition('.')[0]}.local") if name and asked else ()


def _with_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
