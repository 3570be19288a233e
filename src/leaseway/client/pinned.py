"""Trusting one coordinator: its own certificate authority and no other, by fingerprint.

The authority signs nothing but its coordinator, so a certificate under it *is* that coordinator,
under whatever address it answers today.
"""

from __future__ import annotations

import hashlib
import ssl

from leaseway.client.errors import NoAddress

ANOTHER = (
    "another coordinator answers there: its certificate is not from the authority that this"
    " credential names"
)


def trusting(ca: str) -> ssl.SSLContext:
    """A context that trusts this authority (PEM) only. NoAddress: it is none."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The authority was pinned and signs for one coordinator only: a name would identify nothing
    # more, and would break whenever a laptop gets another address.
    context.check_hostname = False
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    try:
        context.load_verify_locations(cadata=ca)
    except (ssl.SSLError, ValueError) as wrong:
        raise NoAddress("the certificate in the credential file cannot be read") from wrong
    return context


def trusting_nobody() -> ssl.SSLContext:
    """A context that checks nothing: good for asking for a certificate, and for nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def fingerprint_of(ca: str) -> bytes:
    """SHA-256 of a certificate (PEM). ValueError: it is none."""
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(ca.strip())).digest()


def shown(fingerprint: bytes) -> str:
    """The first 128 bits for people, in groups: `3f9a-…`."""
    text = fingerprint[:16].hex()
    return "-".join(text[at : at + 4] for at in range(0, len(text), 4))
