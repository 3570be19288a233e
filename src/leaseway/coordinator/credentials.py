"""Credentials of this pool: four files for people and daemons, and hashes for the coordinator.

`NAME.credential` in the state folder (mode 0600) holds name, role, secret and address; the
coordinator keeps their SHA-256 only: a secret has 256 random bits, so a plain hash will do.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from pathlib import Path

import msgspec
from msgspec import Struct

from leaseway.client.options import CredentialFile
from leaseway.core.model.commands import Principal, Role
from leaseway.runtime import fresh_secret

HASHES = "credentials.json"


class KnownCredential(Struct, frozen=True):
    """What the coordinator keeps of one credential."""

    name: str
    role: Role
    sha256: str


class Keyring(Struct, frozen=True):
    """All credentials of this pool."""

    known: tuple[KnownCredential, ...] = ()

    def principal_of(self, secret: str) -> Principal | None:
        """Who shows this secret. Every hash is compared, in constant time."""
        shown = digest(secret)
        found: Principal | None = None
        for each in self.known:
            if hmac.compare_digest(each.sha256, shown):
                found = Principal(each.name, each.role)
        return found


def digest(secret: str) -> str:
    """The hash of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def credential_path(folder: Path, role: Role) -> Path:
    """The file of the credential with this role."""
    return folder / f"{role.value}.credential"


def issue(folder: Path, url: str) -> Keyring:
    """Write a credential file for each role, keeping the secrets that are still valid, and the
    hashes. A file that was changed or is gone gets a new secret; the old one is void."""
    before = _hashes(folder)
    known = []
    for role in Role:
        path = credential_path(folder, role)
        secret = _valid_secret(path, role, before) or fresh_secret()
        file = CredentialFile(name=role.value, role=role.value, secret=secret, url=url)
        write_private(path, msgspec.json.format(msgspec.json.encode(file)) + b"\n")
        known.append(KnownCredential(role.value, role, digest(secret)))
    keyring = Keyring(tuple(known))
    write_private(folder / HASHES, msgspec.json.encode(keyring))
    return keyring


def write_private(path: Path, data: bytes) -> None:
    """Replace a file by one that its owner alone may read, at once or not at all."""
    fresh = path.with_name(path.name + ".new")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "wb") as out:
        os.fchmod(out.fileno(), 0o600)
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(path)


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
    principal = before.principal_of(file.secret)
    return file.secret if principal is not None and principal.role is role else ""
