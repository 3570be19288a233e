"""Credentials of this pool: four files for this machine, and hashes of everybody's secrets.

`NAME.credential` in the state folder (mode 0600) holds name, role, secret and address; the
coordinator keeps SHA-256 only: a secret has 256 random bits (an invitation's 128), so a plain hash
will do. Credentials and invitations stand in one file that is replaced as a whole, so a crash
leaves the state before or the state after, and an invitation is never used twice.
"""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

import msgspec
from msgspec import Struct

from leaseway.client.options import CredentialFile
from leaseway.client.private import write_credential, write_private
from leaseway.core.model.commands import Principal, Role
from leaseway.core.model.units import Instant
from leaseway.runtime import fresh_secret

HASHES = "credentials.json"
LOCAL = frozenset(role.value for role in Role)
"""Names of the four credentials of this machine. Nobody is invited under them."""


class KnownCredential(Struct, frozen=True):
    """What the coordinator keeps of one credential. `invitation`: the hash of what it was redeemed
    for. `since` 0: one of the four files."""

    name: str
    role: Role
    sha256: str
    since: Instant = 0
    revoked_at: Instant | None = None
    invitation: str = ""


class KnownInvitation(Struct, frozen=True):
    """What it keeps of an invitation. An empty name: the worker names itself."""

    sha256: str
    role: Role
    name: str
    made_at: Instant
    expires_at: Instant
    used_at: Instant | None = None


class Keyring(Struct, frozen=True):
    """All credentials and invitations of this pool."""

    known: tuple[KnownCredential, ...] = ()
    invitations: tuple[KnownInvitation, ...] = ()

    def known_of(self, secret: str) -> KnownCredential | None:
        """Whose secret this is, revoked or not. Every hash is compared, in constant time."""
        shown = digest(secret)
        found: KnownCredential | None = None
        for each in self.known:
            if hmac.compare_digest(each.sha256, shown):
                found = each
        return found

    def principal_of(self, secret: str) -> Principal | None:
        """Who shows this secret; nobody, if it was revoked."""
        found = self.known_of(secret)
        if found is None or found.revoked_at is not None:
            return None
        return Principal(found.name, found.role)

    def named(self, name: str) -> KnownCredential | None:
        """The credential under this name that is not revoked."""
        found = (each for each in self.known if each.name == name and each.revoked_at is None)
        return next(found, None)


def digest(secret: str) -> str:
    """The hash of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def credential_path(folder: Path, role: Role) -> Path:
    """The file of the credential with this role."""
    return folder / f"{role.value}.credential"


def issue(folder: Path, url: str, ca: str = "") -> Keyring:
    """Write a credential file for each role, keeping the secrets that are still valid, and the
    hashes. A file that was changed or is gone gets a new secret; the old one is void."""
    before = _hashes(folder)
    known = []
    for role in Role:
        path = credential_path(folder, role)
        secret = _valid_secret(path, role, before) or fresh_secret()
        write_credential(path, CredentialFile(role.value, role.value, secret, url, ca))
        known.append(KnownCredential(role.value, role, digest(secret)))
    known += [each for each in before.known if each.name not in LOCAL]
    keyring = Keyring(tuple(known), before.invitations)
    store(folder, keyring)
    return keyring


def store(folder: Path, keyring: Keyring) -> None:
    """Keep it, at once or not at all. OSError."""
    write_private(folder / HASHES, msgspec.json.encode(keyring))


def _hashes(folder: Path) -> Keyring:
    try:
        return msgspec.json.decode((folder / HASHES).read_bytes(), type=Keyring)
    except (FileNotFoundError, msgspec.DecodeError):
        return Keyring()


def _valid_secret(path: Path, role: Role, before: Keyring) -> str:
    try:
        file = msgspec.json.decode(path.read_bytes(), type=CredentialFile)
    except (FileNotFoundError, msgspec.DecodeError):
        return ""
    known = before.known_of(file.secret)
    is_valid = known is not None and known.revoked_at is None and known.name == role.value
    return file.secret if is_valid else ""
