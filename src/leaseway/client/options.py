"""Where the coordinator is and who asks: from arguments, the environment, or a state folder.

LEASEWAY_URL            the address
LEASEWAY_CREDENTIAL     path of a credential file, or the secret itself

A credential file is JSON with `name`, `role`, `secret` and `url`, and with `ca`, the certificate of
the coordinator's own authority, where it is reached over the network. The state folder of a
coordinator on this machine has the files `url` and `owner.credential`.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
from msgspec import Struct

from leaseway.client.errors import NoAddress

URL = "LEASEWAY_URL"
CREDENTIAL = "LEASEWAY_CREDENTIAL"


class CredentialFile(Struct, frozen=True):
    """What a credential file holds."""

    name: str
    role: str
    secret: str
    url: str = ""
    ca: str = ""


class ClientOptions(Struct, frozen=True):
    """Where to ask and with which secret; patience for connecting and for an answer."""

    url: str
    secret: str = ""
    connect_s: float = 1.5
    answer_s: float = 30.0
    tries: int = 3
    ca: str = ""  # PEM; empty: whom this system trusts


def client_options(
    url: str | None = None, credential: str | None = None, state: str | Path | None = None
) -> ClientOptions:
    """Arguments before the environment, the environment before the state folder. NoAddress if
    nothing names a coordinator or a file that was named cannot be read."""
    folder = Path(state) if state is not None else None
    url = url or ("" if folder else os.environ.get(URL, ""))
    credential = credential or ("" if folder else os.environ.get(CREDENTIAL, ""))
    if folder is not None:
        url = url or _read_address(folder)
        credential = credential or str(folder / "owner.credential")
    read = _credential(credential)
    url = url or read.url
    if url and not url.startswith(("http://", "https://")):
        raise NoAddress(f"{url} is no address: expected one such as http://127.0.0.1:7070")
    if not url:
        raise NoAddress(
            f"no coordinator is named: set {URL}, or {CREDENTIAL} to a credential file, or give"
            " the coordinator's state folder with --state"
        )
    if read.ca and not url.startswith("https://"):
        raise NoAddress(
            f"{url} is not encrypted, and this credential is shown over TLS only: use https://, or"
            " leave the address out"
        )
    return ClientOptions(url=url.rstrip("/"), secret=read.secret, ca=read.ca)


def read_credential(path: Path) -> CredentialFile:
    """A credential file. NoAddress if it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=CredentialFile)
    except OSError as wrong:
        raise NoAddress(f"the credential file {path} cannot be read: {wrong.strerror}") from wrong
    except msgspec.DecodeError as wrong:
        raise NoAddress(f"{path} is no credential file: {wrong}") from wrong


def _credential(named: str) -> CredentialFile:
    """A path if there is something of a path in it, else the secret itself."""
    if not named:
        return CredentialFile(name="", role="", secret="")
    path = Path(named).expanduser()
    if os.sep in named or named.endswith(".credential") or path.exists():
        return read_credential(path)
    return CredentialFile(name="", role="", secret=named)


def _read_address(folder: Path) -> str:
    try:
        return (folder / "url").read_text(encoding="utf-8").strip()
    except OSError as wrong:
        raise NoAddress(
            f"no coordinator has written its address into {folder}: {wrong.strerror};"
            " start one there with `leaseway up`"
        ) from wrong
