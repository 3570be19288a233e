"""Telling the local network that there is a coordinator: a hint where to ask, trusted by nobody."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from leaseway.client.discovery import FINGERPRINT, SERVICE
from leaseway.client.pinned import shown
from leaseway.coordinator.house import House


@asynccontextmanager
async def announced(
    house: House, *, wanted: bool, say: Callable[[str], None]
) -> AsyncIterator[None]:
    """Announce the coordinator (mDNS) while the context is open, if that is wanted and can be."""
    place = house.place
    if not wanted or place.tls is None:
        yield
        return
    try:
        from zeroconf import Error, IPVersion
        from zeroconf.asyncio import AsyncServiceInfo, AsyncZeroconf
    except ImportError:
        say("Not announced: that needs the extra `lan`: pip install 'leaseway[lan]'")
        yield
        return
    hosts = [each.rpartition(":")[0].strip("[]") for each in place.elsewhere]
    four = [each for each in hosts if ipaddress.ip_address(each).version == 4]
    name = socket.gethostname().partition(".")[0] or "leaseway"
    info = AsyncServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        addresses=[ipaddress.ip_address(each).packed for each in four],
        port=place.port,
        properties={FINGERPRINT: shown(place.tls.fingerprint)},
        server=f"{name}-leaseway.local.",
    )
    try:
        mdns = AsyncZeroconf(interfaces=four, ip_version=IPVersion.V4Only)
        await mdns.async_register_service(info, allow_name_change=True)
    except (OSError, Error) as wrong:
        say(f"Not announced on the network: {wrong}")
        yield
        return
    say("Announced on the network: leaseway find (--no-announce keeps it quiet)")
    try:
        yield
    finally:
        await mdns.async_unregister_all_services()
        await mdns.async_close()
