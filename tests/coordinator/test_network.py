"""Goal: what is typed here and elsewhere leads to one coordinator, and people only are told a first
invitation. Method: a socket that was bound on paper; a machine with three addresses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cryptography import x509

from leaseway.client.invitation import read_invitation
from leaseway.coordinator import network
from leaseway.coordinator.errors import NotStarted
from leaseway.coordinator.greeting import tell_how_to_join
from leaseway.coordinator.network import Place, is_loopback, place_of
from leaseway.coordinator.tls import Certificates

LAN = ["192.168.1.5", "10.0.0.7", "fd00::5"]
TLS = Certificates("cert", "key", "ca", bytes(range(32)))  # type: ignore[arg-type]


class Bound:
    """As far as a socket is looked at here."""

    def __init__(self, host: str) -> None:
        self.host = host

    def getsockname(self) -> tuple[str, int]:
        return self.host, 7070


@pytest.fixture(autouse=True)
def three_addresses(monkeypatch):
    monkeypatch.setattr(network, "addresses_here", lambda: LAN)


def place(host: str, folder: Any, encrypted: bool = True) -> Place:
    return place_of(Bound(host), folder, encrypted=encrypted)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("host", "url", "elsewhere"),
    [
        (
            "0.0.0.0",
            "https://127.0.0.1:7070",
            ("192.168.1.5:7070", "10.0.0.7:7070", "[fd00::5]:7070"),
        ),
        ("::", "https://[::1]:7070", ("192.168.1.5:7070", "10.0.0.7:7070", "[fd00::5]:7070")),
        ("192.168.1.5", "https://192.168.1.5:7070", ("192.168.1.5:7070",)),
        ("127.0.0.1", "https://127.0.0.1:7070", ("127.0.0.1:7070",)),
    ],
)
def test_encrypted(tmp_path, host, url, elsewhere):
    found = place(host, tmp_path)
    assert (found.url, found.elsewhere, found.port) == (url, elsewhere, 7070)
    assert found.tls is not None
    certificate = x509.load_pem_x509_certificate(found.tls.certificate.read_bytes())
    kind = x509.SubjectAlternativeName
    names = {str(n.value) for n in certificate.extensions.get_extension_for_class(kind).value}
    assert {each.rpartition(":")[0].strip("[]") for each in elsewhere} <= names
    assert {"127.0.0.1", "::1", "localhost"} <= names


def test_on_loopback_nothing_is_made(tmp_path):
    assert place("127.0.0.1", tmp_path, encrypted=False) == Place("http://127.0.0.1:7070")
    assert list(tmp_path.iterdir()) == []


def test_no_address():
    with pytest.raises(NotStarted, match="--host needs an address"):
        is_loopback("")


async def test_an_invitation_is_told_where_somebody_watches(pool):
    elsewhere = ("192.168.1.5:7070", "10.0.0.7:7070")
    house = replace(pool.house, place=Place("https://127.0.0.1:7070", TLS, elsewhere))
    said: list[str] = []
    shown: list[str] = []
    tell_how_to_join(house, said.append, shown.append)
    (invitation,) = pool.house.access.keyring.invitations
    assert (invitation.role, invitation.name) == ("worker", "")
    assert invitation.expires_at - invitation.made_at == 3_600_000
    assert read_invitation(shown[1]).fingerprint != b""
    assert said[1] == "On each box: leaseway worker join 192.168.1.5:7070"
    assert shown[1] not in "\n".join(said)


async def test_and_none_is_made_where_it_would_stay_in_a_file(pool):
    house = replace(pool.house, place=Place("https://127.0.0.1:7070", TLS, ("10.0.0.7:7070",)))
    said: list[str] = []
    tell_how_to_join(house, said.append, None)
    assert pool.house.access.keyring.invitations == ()
    assert "leaseway access invite --role worker" in said[-1]
