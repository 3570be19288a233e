"""The calls about who may come in; see `calls`."""

from __future__ import annotations

import msgspec

from leaseway.client.calls import Call
from leaseway.wire import paths
from leaseway.wire.access import (
    AccessList,
    AccessRevoke,
    CaInfo,
    CredentialInfo,
    InviteReply,
    InviteRequest,
    JoinReply,
    JoinRequest,
)

_encode = msgspec.json.Encoder().encode


def authority() -> Call[CaInfo]:
    """The coordinator's own authority; anybody may ask, nobody should believe."""
    return Call("GET", paths.CA, CaInfo)


def join(request: JoinRequest) -> Call[JoinReply]:
    """Redeem an invitation; the same again is answered the same."""
    return Call("POST", paths.JOIN, JoinReply, body=_encode(request))


def credentials() -> Call[AccessList]:
    """Every credential and open invitation."""
    return Call("GET", paths.ACCESS, AccessList)


def invite(request: InviteRequest) -> Call[InviteReply]:
    """A new invitation. Not sent again by itself: it would be a second one."""
    return Call("POST", paths.INVITE, InviteReply, body=_encode(request), again=False)


def revoke(name: str) -> Call[CredentialInfo]:
    """Take a credential back."""
    return Call("POST", paths.ACCESS_REVOKE, CredentialInfo, body=_encode(AccessRevoke(name)))
