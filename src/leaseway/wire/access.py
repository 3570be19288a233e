"""Who may come in: invitations, what they are redeemed for, and the list of credentials."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.units import Instant, Millis

HOUR_MS: Millis = 3_600_000


class CaInfo(Struct, frozen=True):
    """The certificate of the coordinator's own authority, PEM. Believe it only if its SHA-256
    begins with the fingerprint of an invitation."""

    ca: str


class InviteRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Make an invitation. `name` may be empty for a worker: then it names itself."""

    role: str
    name: str = ""
    for_ms: Millis = HOUR_MS


class InviteReply(Struct, frozen=True):
    """`invitation` is told this once. `elsewhere`: HOST:PORT to be typed on other machines; none
    where the coordinator is reached from its own machine only, at `url`."""

    invitation: str
    role: str
    name: str
    expires_at: Instant
    now: Instant
    url: str
    elsewhere: tuple[str, ...] = ()


class JoinRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """Redeem an invitation. `secret`: made by the joiner, its credential from now on. `kind`:
    worker or client. `name`: demanded; `host`: a name to take where nobody named one."""

    invitation: str
    secret: str
    kind: str
    name: str = ""
    host: str = ""


class JoinReply(Struct, frozen=True):
    """As whom one has joined. The same request is answered the same."""

    name: str
    role: str


class CredentialInfo(Struct, frozen=True):
    """`state`: active, revoked; or of an invitation: invited, expired. `since` 0: one of the four
    local files. `heard_ago_ms` None: not since the coordinator started."""

    name: str
    role: str
    state: str
    since: Instant = 0
    heard_ago_ms: Millis | None = None
    expires_at: Instant | None = None


class AccessList(Struct, frozen=True):
    """Every credential and open invitation."""

    credentials: tuple[CredentialInfo, ...]
    now: Instant


class AccessRevoke(Struct, frozen=True, forbid_unknown_fields=True):
    """Take a credential, or the open invitations under a name, back."""

    name: str
