"""The text of an invitation: what to trust, and a secret that is good once.

128 bits of the SHA-256 of the coordinator's authority, 128 random bits, 24 bits of checksum; in
base 32, seven groups of eight. Case, blanks and hyphens do not count; 0, 1 and 8 are read as O, I
and B. A fingerprint of zeros: a coordinator on this machine, where nothing is encrypted.
"""

from __future__ import annotations

import base64
import binascii
import hashlib

from msgspec import Struct

from leaseway.client.errors import BadInvitation
from leaseway.runtime import fresh_bytes

FINGERPRINT_BYTES = SECRET_BYTES = 16
_CHECK_BYTES, _LETTERS, _GROUP = 3, 56, 8
_LOOK_ALIKE = str.maketrans("018", "OIB", "- \t\r\n")


class Invitation(Struct, frozen=True):
    """`fingerprint`: the beginning of the authority's SHA-256. `secret`: shown to it, once."""

    fingerprint: bytes
    secret: bytes

    def __repr__(self) -> str:
        return "Invitation(…)"  # never into a log

    @property
    def is_local(self) -> bool:
        """Whether it is for a coordinator on this machine that does not encrypt."""
        return not any(self.fingerprint)

    def text(self) -> str:
        """As it is told to people."""
        whole = self.fingerprint + self.secret
        letters = base64.b32encode(whole + _check(whole)).decode()
        return "-".join(letters[at : at + _GROUP] for at in range(0, _LETTERS, _GROUP))


def fresh_invitation(fingerprint: bytes) -> Invitation:
    """A new one for this authority; an empty fingerprint: nothing is encrypted."""
    start = fingerprint[:FINGERPRINT_BYTES].ljust(FINGERPRINT_BYTES, b"\0")
    return Invitation(start, fresh_bytes(SECRET_BYTES))


def read_invitation(text: str) -> Invitation:
    """What somebody typed or pasted. BadInvitation: letters are missing or wrong."""
    letters = text.upper().translate(_LOOK_ALIKE)
    if not letters:
        raise BadInvitation("no invitation was given")
    if len(letters) != _LETTERS:
        raise BadInvitation(f"an invitation has {_LETTERS} letters, and this has {len(letters)}")
    try:
        raw = base64.b32decode(letters)
    except (binascii.Error, ValueError) as wrong:
        raise BadInvitation("an invitation has the letters A to Z and 2 to 7 only") from wrong
    whole, check = raw[:-_CHECK_BYTES], raw[-_CHECK_BYTES:]
    if check != _check(whole):
        raise BadInvitation("a letter of this invitation is wrong: its checksum does not fit")
    return Invitation(whole[:FINGERPRINT_BYTES], whole[FINGERPRINT_BYTES:])


def _check(whole: bytes) -> bytes:
    return hashlib.sha256(b"leaseway invitation 1" + whole).digest()[:_CHECK_BYTES]
