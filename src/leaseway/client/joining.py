"""Joining with an invitation: ask without trust, compare the fingerprint, then trust that alone.

Nothing is written here: who calls keeps the credential, once it has one.
"""

from __future__ import annotations

import socket
import ssl
from urllib.parse import urlsplit

import httpx
from msgspec import Struct

from leaseway.client import access
from leaseway.client.answers import read_answer
from leaseway.client.blocking import Client
from leaseway.client.calls import Call
from leaseway.client.errors import BadInvitation, NoAddress, Unreachable
from leaseway.client.invitation import FINGERPRINT_BYTES, Invitation
from leaseway.client.link import arguments_of, settings_of, unreachable, words
from leaseway.client.options import ClientOptions, CredentialFile
from leaseway.client.pinned import fingerprint_of, shown, trusting_nobody
from leaseway.runtime import fresh_secret
from leaseway.wire.access import CaInfo, JoinRequest

WORKER, CLIENT = "worker", "client"
_LOCAL = ("127.0.0.1", "localhost", "::1")


class Joiner(Struct, frozen=True):
    """Who comes. `kind`: WORKER or CLIENT. `name`: demanded; `host`: if nobody named one."""

    kind: str
    name: str = ""
    host: str = ""


def address_of(given: str, invitation: Invitation) -> str:
    """HOST:PORT, or a whole address, as an address. NoAddress: it is none, or this invitation is
    for another sort of place."""
    scheme = "http" if invitation.is_local else "https"
    url = (given if "://" in given else f"{scheme}://{given}").rstrip("/")
    try:
        parts = urlsplit(url)
        is_whole = bool(parts.hostname) and parts.port is not None
    except ValueError:
        is_whole = False
    if not is_whole or parts.scheme not in ("http", "https"):
        raise NoAddress(f"{given} is no address: expected HOST:PORT, such as 192.168.1.5:7070")
    if parts.scheme != scheme or (invitation.is_local and parts.hostname not in _LOCAL):
        only = "on its own machine, unencrypted" if invitation.is_local else "over TLS (https)"
        raise BadInvitation(f"this invitation is for a coordinator that is asked {only}, not {url}")
    return url


def knock(given: str, patience_s: float = 3.0) -> None:
    """That somebody listens there. Nothing is said yet. Unreachable: nobody does; what is no
    address is for `address_of` to tell."""
    url = given if "://" in given else f"https://{given}"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return
    if not host or port is None:
        return
    try:
        socket.create_connection((host, port), timeout=patience_s).close()
    except OSError as broke:
        reason = words(broke)
        raise Unreachable(url, reason, sent=False) from broke


def join(given: str, invitation: Invitation, joiner: Joiner) -> CredentialFile:
    """The credential that this invitation is redeemed for. BadInvitation: another coordinator
    answers. Refused: this one said no. Unreachable: nobody did."""
    url = address_of(given, invitation)
    ca = "" if invitation.is_local else _authority(url, invitation)
    secret = fresh_secret()
    request = JoinRequest(
        invitation.secret.hex(), secret, joiner.kind, name=joiner.name, host=joiner.host
    )
    # Said again with the same secret if the connection breaks: it is one joining, however often.
    with Client(ClientOptions(url, ca=ca)) as client:
        said = client.send(access.join(request))
    return CredentialFile(said.name, said.role, secret, url, ca)


def _authority(url: str, invitation: Invitation) -> str:
    """The authority of who answers there, if it is the one that invited."""
    ca = _untrusted(url, access.authority()).ca
    try:
        found = fingerprint_of(ca)
    except ValueError as wrong:
        raise BadInvitation(f"{url} shows a certificate that cannot be read") from wrong
    if found[:FINGERPRINT_BYTES] != invitation.fingerprint:
        raise BadInvitation(
            f"another coordinator answers at {url}: its fingerprint is {shown(found)}, and the"
            f" invitation was made by {shown(invitation.fingerprint)}"
        )
    return ca


def _untrusted(url: str, call: Call[CaInfo]) -> CaInfo:
    """An answer from whoever is there."""
    options = ClientOptions(url)
    settings = {**settings_of(options), "verify": trusting_nobody()}
    try:
        with httpx.Client(**settings) as http:
            answer = http.request(**arguments_of(call, options))
    except (httpx.TransportError, ssl.SSLError) as broke:
        raise unreachable(call, options, broke) from broke
    return read_answer(call, answer.status_code, answer.headers, answer.content)
