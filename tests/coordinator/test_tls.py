"""Goal: one authority for good, and a certificate for today's addresses. Method: made twice in a
folder, read by the library that made it and by the one that checks it."""

from __future__ import annotations

import hashlib
import ssl
import stat
import sys
from datetime import UTC, datetime

import pytest
from cryptography import x509

from leaseway.client.pinned import fingerprint_of, shown, trusting
from leaseway.coordinator.errors import NotStarted
from leaseway.coordinator.network import addresses_here, is_loopback
from leaseway.coordinator.tls import certificates

DAY = 86_400_000
NOW = int(datetime(2026, 6, 1, tzinfo=UTC).timestamp() * 1000)
NAMES = ["127.0.0.1", "192.168.1.5", "::1", "box.local", "localhost"]


def read(path):
    return x509.load_pem_x509_certificate(path.read_bytes())


def handshake(files, ca: str) -> None:
    """Client and server without a network. SSLError: not trusted."""
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(files.certificate, files.key)
    pipes = [ssl.MemoryBIO() for _ in range(4)]
    at_client = trusting(ca).wrap_bio(pipes[0], pipes[1], server_hostname="whatever.example")
    at_server = server.wrap_bio(pipes[2], pipes[3], server_side=True)
    is_done = [False, False]
    for _ in range(6):
        for at, side in enumerate((at_client, at_server)):
            try:
                side.do_handshake()
                is_done[at] = True
            except ssl.SSLWantReadError:
                pass
        pipes[2].write(pipes[1].read())
        pipes[0].write(pipes[3].read())
    assert is_done == [True, True]
    assert at_client.version() == "TLSv1.3"


def test_what_is_made(tmp_path):
    made = certificates(tmp_path, NAMES, NOW)
    for name in ("ca.key", "server.key"):
        assert stat.S_IMODE((tmp_path / "tls" / name).stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "tls").stat().st_mode) == 0o700
    leaf, ca = read(made.certificate), read(tmp_path / "tls" / "ca.pem")
    leaf.verify_directly_issued_by(ca)
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert sorted(str(each.value) for each in names) == sorted(NAMES)
    limits = ca.extensions.get_extension_for_class(x509.BasicConstraints).value
    assert (limits.ca, limits.path_length) == (True, 0)
    assert made.fingerprint == hashlib.sha256(ssl.PEM_cert_to_DER_cert(made.ca)).digest()
    assert made.fingerprint == fingerprint_of(made.ca)


def test_whoever_pinned_the_authority_trusts_it_under_any_name(tmp_path):
    made = certificates(tmp_path, NAMES, NOW)
    handshake(made, made.ca)


def test_a_second_coordinator_in_its_place_is_not_trusted(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    ours, theirs = (certificates(tmp_path / name, NAMES, NOW) for name in ("a", "b"))
    assert ours.fingerprint != theirs.fingerprint
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(theirs, ours.ca)


@pytest.mark.parametrize(
    ("names", "later_days", "is_same"),
    [(NAMES, 0, True), (NAMES, 669, True), (NAMES, 671, False), (NAMES[1:], 0, False)],
    ids=["nothing changed", "61 days left", "59 days left", "another address"],
)
def test_made_anew(tmp_path, names, later_days, is_same):
    before = certificates(tmp_path, NAMES, NOW)
    old = before.certificate.read_bytes()
    after = certificates(tmp_path, names, NOW + later_days * DAY)
    assert after.ca == before.ca
    assert (after.certificate.read_bytes() == old) == is_same
    handshake(after, before.ca)


def test_a_stop_between_key_and_certificate_is_mended(tmp_path):
    made = certificates(tmp_path, NAMES, NOW)
    old = made.certificate.read_bytes()
    certificates(tmp_path, NAMES[1:], NOW)
    made.certificate.write_bytes(old)
    handshake(certificates(tmp_path, NAMES, NOW), made.ca)


def test_a_clock_that_is_wrong_serves_all_the_same(tmp_path):
    """A wall clock of 1970, as of a machine without a battery."""
    made = certificates(tmp_path, NAMES, 0)
    assert read(made.certificate).not_valid_before_utc.year == 2000
    assert read(made.certificate).not_valid_after_utc.year == 2001


@pytest.mark.parametrize("spoil", ["ca.key", "ca.pem", "missing key", "another key"])
def test_a_spoilt_authority_is_not_replaced_in_silence(tmp_path, spoil):
    certificates(tmp_path, NAMES, NOW)
    own = tmp_path / "tls"
    if spoil == "missing key":
        (own / "ca.key").unlink()
    elif spoil == "another key":
        (own / "ca.key").write_bytes((own / "server.key").read_bytes())
    else:
        (own / spoil).write_text("spoilt")
    with pytest.raises(NotStarted, match=r"put (it )?back"):
        certificates(tmp_path, NAMES, NOW)


def test_a_missing_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(NotStarted, match=r"pip install 'leaseway\[lan\]'"):
        certificates(tmp_path, NAMES, NOW)


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.1.2.3", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("::", False),
        ("box.local", False),
    ],
)
def test_what_is_loopback(host, expected):
    assert is_loopback(host) is expected


def test_own_addresses_are_for_others():
    for each in addresses_here():
        assert not each.startswith(("127.", "169.254.", "fe80"))


def test_a_fingerprint_for_people():
    assert shown(bytes(range(32))) == "0001-0203-0405-0607-0809-0a0b-0c0d-0e0f"
