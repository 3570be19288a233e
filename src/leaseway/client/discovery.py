"""Looking for coordinators on the local network. What is found is a hint, never an identity."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from leaseway.client.errors import LeasewayError
from leaseway.core.model.units import Millis

if TYPE_CHECKING:
    from zeroconf import Zeroconf

SERVICE = "_leaseway._tcp.local."
FINGERPRINT = "fingerprint"


class Found(Struct, frozen=True):
    """What somebody says of themselves. `address`: HOST:PORT. `fingerprint`: claimed."""

    name: str
    address: str
    fingerprint: str


class CannotLook(LeasewayError):
    """This machine cannot ask the network."""


def look(for_ms: Millis, interfaces: Sequence[str] = ()) -> list[Found]:
    """Who announced themselves within so long, by name. `interfaces`: addresses to ask on; none:
    all. CannotLook: the extra is missing, or the network refuses."""
    try:
        from zeroconf import Error, InterfaceChoice, ServiceBrowser, ServiceStateChange, Zeroconf
    except ImportError as missing:
        raise CannotLook(
            "looking on the network needs the extra `lan`: pip install 'leaseway[lan]'"
        ) from missing
    names: dict[str, None] = {}

    def heard(name: str, state_change: ServiceStateChange, **_: object) -> None:
        if state_change is ServiceStateChange.Added:
            names[name] = None

    found: list[Found] = []
    try:
        with Zeroconf(interfaces=list(interfaces) or InterfaceChoice.All) as mdns:
            ServiceBrowser(mdns, SERVICE, handlers=[heard])
            threading.Event().wait(for_ms / 1000)
            for name in list(names):
                found += _asked(mdns, name)
    except (OSError, Error) as wrong:
        raise CannotLook(f"the network cannot be asked: {wrong}") from wrong
    return sorted(found, key=lambda each: (each.name, each.address))


def _asked(mdns: Zeroconf, name: str) -> list[Found]:
    """What one of them says of itself: a line for each address, printable and short."""
    info = mdns.get_service_info(SERVICE, name, timeout=1000)
    if info is None:
        return []
    said = (info.properties.get(FINGERPRINT.encode()) or b"").decode("ascii", "replace")
    short = "".join(each for each in said if each.isalnum() or each == "-")[:39]
    shown = "".join(each for each in name.removesuffix(f".{SERVICE}") if each.isprintable())[:63]
    return [Found(shown, f"{each}:{info.port}", short) for each in info.parsed_addresses()]
