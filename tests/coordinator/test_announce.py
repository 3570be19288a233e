"""Goal: what is announced is found, told as a claim, and gone when the coordinator is. Method: both
ends on loopback; a liar with odd letters in its name."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace

import pytest
from zeroconf import ServiceInfo

from leaseway.client import discovery
from leaseway.client.discovery import SERVICE, CannotLook, Found, look
from leaseway.coordinator.announce import announced
from leaseway.coordinator.network import Place
from leaseway.coordinator.tls import Certificates

LOOPBACK = ("127.0.0.1",)
TLS = Certificates("cert", "key", "ca", bytes(range(32)))  # type: ignore[arg-type]
CLAIM = "0001-0203-0405-0607-0809-0a0b-0c0d-0e0f"


def served(pool, *elsewhere: str):
    return replace(pool.house, place=Place("https://127.0.0.1:7171", TLS, elsewhere))


async def test_announced_while_it_is_open_and_not_after(pool):
    house = served(pool, "127.0.0.1:7171")
    said: list[str] = []
    async with announced(house, wanted=True, say=said.append):
        assert said[0].startswith("Announced")
        found = await asyncio.to_thread(look, 1_000, LOOPBACK)
        assert ("127.0.0.1:7171", CLAIM) in [(each.address, each.fingerprint) for each in found]
    later = await asyncio.to_thread(look, 300, LOOPBACK)
    assert "127.0.0.1:7171" not in [each.address for each in later]


async def test_not_announced_unless_wanted_and_encrypted(pool):
    said: list[str] = []
    async with announced(served(pool, "127.0.0.1:1"), wanted=False, say=said.append):
        pass
    async with announced(pool.house, wanted=True, say=said.append):
        pass
    assert said == []


async def test_a_network_that_refuses_stops_nobody(pool):
    said: list[str] = []
    async with announced(served(pool, "203.0.113.9:7171"), wanted=True, say=said.append):
        pass
    assert said[0].startswith("Not announced on the network: ")


async def test_without_the_extra(pool, monkeypatch):
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    said: list[str] = []
    async with announced(served(pool, "127.0.0.1:1"), wanted=True, say=said.append):
        pass
    assert "pip install 'leaseway[lan]'" in said[0]
    with pytest.raises(CannotLook, match="leaseway"):
        look(1)


def test_what_strangers_say_of_themselves_is_cut_to_what_can_be_shown():
    class Network:
        def get_service_info(self, *_: object, **__: object) -> ServiceInfo:
            said = {b"fingerprint": b"\x1b[31m" + b"f" * 99}
            here = [b"\x7f\0\0\1"]
            return ServiceInfo(SERVICE, f"x.{SERVICE}", 1, addresses=here, properties=said)

    (found,) = discovery._asked(Network(), f"\x1b[2Jbox.{SERVICE}")  # type: ignore[arg-type]
    assert found == Found("[2Jbox", "127.0.0.1:1", "31m" + "f" * 36)
