"""Who may come in: the keyring as it changes. Every change is on disk before it counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from leaseway.client.invitation import fresh_invitation
from leaseway.coordinator.credentials import (
    Keyring,
    KnownCredential,
    KnownInvitation,
    digest,
    store,
)
from leaseway.coordinator.declined import refused_access, revoked, unknown
from leaseway.coordinator.errors import NotAccepted
from leaseway.core.model.commands import Principal, Role
from leaseway.core.model.units import Instant
from leaseway.wire.access import CredentialInfo, InviteRequest, JoinReply, JoinRequest

KEPT_MS = 30 * 24 * 3_600_000
"""So long is an invitation remembered after its end, to tell who comes late what it was."""


def _silent(_: str) -> None:
    """Nobody wants to hear."""


class Access:
    """The credentials and invitations of a coordinator. `folder` None: kept in memory only."""

    def __init__(
        self,
        keyring: Keyring,
        folder: Path | None = None,
        fingerprint: bytes = b"",
        tell: Callable[[str], None] = _silent,
    ) -> None:
        self.keyring = keyring
        self._folder = folder
        self._fingerprint = fingerprint
        self._tell = tell
        self._heard: dict[str, Instant] = {}

    def who(self, secret: str, now: Instant) -> KnownCredential | None:
        """Whose secret this is, revoked or not."""
        found = self.keyring.known_of(secret)
        if found is not None and found.revoked_at is None:
            self._heard[found.name] = now
        return found

    def invite(self, asked: InviteRequest, now: Instant) -> str:
        """A new invitation, told this once. Declined: the name is taken. NotAccepted."""
        if asked.name and self.keyring.named(asked.name) is not None:
            raise refused_access("name-taken", {"name": asked.name})
        made = fresh_invitation(self._fingerprint)
        kept = KnownInvitation(
            digest(made.secret.hex()), Role(asked.role), asked.name, now, now + asked.for_ms
        )
        remembered = [e for e in self.keyring.invitations if e.expires_at + KEPT_MS > now]
        self._change(replace(self.keyring, invitations=(*remembered, kept)))
        return made.text()

    def join(self, asked: JoinRequest, now: Instant) -> JoinReply:
        """Redeem an invitation: once, and the same again is answered the same. Declined: why not.
        NotAccepted: it could not be kept."""
        shown = digest(asked.invitation)
        invitation = next((e for e in self.keyring.invitations if e.sha256 == shown), None)
        if invitation is None:
            raise refused_access("invitation-unknown", {})
        if invitation.used_at is not None:
            return self._again(asked, shown)
        if invitation.expires_at <= now:
            raise refused_access("invitation-expired", {"expired_ms": now - invitation.expires_at})
        if (asked.kind == "worker") != (invitation.role is Role.WORKER):
            raise refused_access("invitation-kind", {"role": invitation.role.value})
        if asked.name and invitation.name not in ("", asked.name):
            numbers = {"name": invitation.name, "got": asked.name}
            raise refused_access("invitation-name", numbers)
        name = invitation.name or asked.name or asked.host
        if self.keyring.named(name) is not None:
            raise refused_access("name-taken", {"name": name})
        self._redeem(invitation, name, asked.secret, now)
        return JoinReply(name, invitation.role.value)

    def revoke(self, name: str, by: Principal, now: Instant) -> CredentialInfo:
        """Take a credential back, or what is open under this name. Again changes nothing."""
        if name == by.name:
            raise refused_access("own", {"name": name})
        is_open = [e for e in self.keyring.invitations if e.name == name and e.used_at is None]
        found = self.keyring.named(name)
        known = [each for each in self.keyring.known if each.name == name]
        if not known and not is_open:
            names = {each.name for each in self.keyring.known}
            names |= {each.name for each in self.keyring.invitations}
            raise unknown("credential", name, sorted(names - {""}))
        if found is not None or is_open:
            after = [replace(e, revoked_at=now) if e is found else e for e in self.keyring.known]
            left = tuple(e for e in self.keyring.invitations if e not in is_open)
            self._change(Keyring(tuple(after), left))
            self._tell(f"{by.name} revoked the credential {name}")
        last = [each for each in self.keyring.known if each.name == name][-1:]
        return self._info(last[0], now) if last else CredentialInfo(name, "", "revoked", now)

    def listed(self, now: Instant) -> tuple[CredentialInfo, ...]:
        """Every credential by name, then the invitations that nobody has used."""
        known = sorted(self.keyring.known, key=lambda each: (each.since > 0, each.name, each.since))
        return tuple(self._info(each, now) for each in known) + tuple(
            CredentialInfo(
                each.name,
                each.role.value,
                "invited" if each.expires_at > now else "expired",
                each.made_at,
                expires_at=each.expires_at,
            )
            for each in self.keyring.invitations
            if each.used_at is None
        )

    def _info(self, each: KnownCredential, now: Instant) -> CredentialInfo:
        heard = self._heard.get(each.name)
        ago = None if heard is None or each.revoked_at is not None else max(0, now - heard)
        state = "active" if each.revoked_at is None else "revoked"
        return CredentialInfo(each.name, each.role.value, state, each.since, ago)

    def _again(self, asked: JoinRequest, shown: str) -> JoinReply:
        """The reply that was lost on the way, to whom it belongs."""
        found = self.keyring.known_of(asked.secret)
        if found is None or found.invitation != shown:
            raise refused_access("invitation-used", {})
        if found.revoked_at is not None:
            raise revoked(found.name)
        return JoinReply(found.name, found.role.value)

    def _redeem(self, invitation: KnownInvitation, name: str, secret: str, now: Instant) -> None:
        if self.keyring.known_of(secret) is not None:
            raise refused_access("secret-known", {})
        made = KnownCredential(
            name, invitation.role, digest(secret), now, invitation=invitation.sha256
        )
        used = tuple(
            replace(each, used_at=now) if each is invitation else each
            for each in self.keyring.invitations
        )
        self._change(Keyring((*self.keyring.known, made), used))
        self._tell(f"{name} joined with an invitation, as {_a(invitation.role)}")

    def _change(self, after: Keyring) -> None:
        """On disk first: nobody is told of what a crash could take back."""
        if self._folder is not None:
            try:
                store(self._folder, after)
            except OSError as wrong:
                raise NotAccepted(f"credentials could not be kept: {wrong.strerror}") from wrong
        self.keyring = after


def _a(role: Role) -> str:
    return f"{'an' if role in (Role.OWNER, Role.AGENT) else 'a'} {role.value}"
