"""Goal: an invitation survives being read out and typed, and no slip passes. Method: a known one by
hand; every single letter changed."""

from __future__ import annotations

import base64
import hashlib

import pytest

from leaseway.client.errors import BadInvitation, NoAddress
from leaseway.client.invitation import Invitation, fresh_invitation, read_invitation
from leaseway.client.joining import address_of

FINGERPRINT, SECRET = bytes(range(16)), bytes(range(100, 116))
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def known() -> str:
    check = hashlib.sha256(b"leaseway invitation 1" + FINGERPRINT + SECRET).digest()[:3]
    return base64.b32encode(FINGERPRINT + SECRET + check).decode()


def test_the_text():
    text = Invitation(FINGERPRINT, SECRET).text()
    assert text.replace("-", "") == known()
    assert [len(group) for group in text.split("-")] == [8] * 7


@pytest.mark.parametrize("change", [str.lower, lambda text: f"  {text}\n", lambda text: text + "-"])
def test_case_blanks_and_hyphens_do_not_count(change):
    text = Invitation(FINGERPRINT, SECRET).text()
    assert read_invitation(change(text)) == Invitation(FINGERPRINT, SECRET)
    alike = known().replace("O", "0").replace("I", "1").replace("B", "8")
    assert read_invitation(alike) == Invitation(FINGERPRINT, SECRET)


def test_every_slip_of_one_letter_is_seen():
    text = known()
    for at, letter in enumerate(text):
        wrong = ALPHABET[(ALPHABET.index(letter) + 1) % 32]
        with pytest.raises(BadInvitation, match="checksum"):
            read_invitation(text[:at] + wrong + text[at + 1 :])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no invitation"),
        ("ABC", "56 letters, and this has 3"),
        ("A" * 57, "this has 57"),
        ("É" * 56, "A to Z"),
        ("9" * 56, "A to Z"),
        ("A" * 56, "checksum"),
    ],
)
def test_garbled(text, said):
    with pytest.raises(BadInvitation, match=said):
        read_invitation(text)


def test_fresh_ones_differ_and_are_not_shown_by_accident():
    one, other = fresh_invitation(b"x" * 32), fresh_invitation(b"x" * 32)
    assert one.fingerprint == other.fingerprint == b"x" * 16
    assert one.secret != other.secret
    assert one.secret.hex() not in repr(one)
    assert fresh_invitation(b"").is_local


REMOTE, LOCAL = Invitation(b"f" * 16, SECRET), Invitation(bytes(16), SECRET)


@pytest.mark.parametrize(
    ("given", "invitation", "url"),
    [
        ("192.168.1.5:7070", REMOTE, "https://192.168.1.5:7070"),
        ("https://[fd00::1]:7070/", REMOTE, "https://[fd00::1]:7070"),
        ("127.0.0.1:7070", LOCAL, "http://127.0.0.1:7070"),
    ],
)
def test_addresses(given, invitation, url):
    assert address_of(given, invitation) == url


@pytest.mark.parametrize(
    ("given", "invitation", "error"),
    [
        ("192.168.1.5", REMOTE, NoAddress),
        ("box:port", REMOTE, NoAddress),
        ("", REMOTE, NoAddress),
        ("http://192.168.1.5:7070", REMOTE, BadInvitation),
        ("192.168.1.5:7070", LOCAL, BadInvitation),
        ("https://127.0.0.1:7070", LOCAL, BadInvitation),
    ],
)
def test_an_invitation_never_goes_out_in_the_clear(given, invitation, error):
    with pytest.raises(error):
        address_of(given, invitation)
