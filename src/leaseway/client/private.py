"""Files with secrets in them: their owner alone may read them, and they are written whole."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from leaseway.client.options import CredentialFile


def write_credential(path: Path, file: CredentialFile) -> None:
    """Keep a credential. OSError."""
    write_private(path, msgspec.json.format(msgspec.json.encode(file)) + b"\n")


def write_private(path: Path, data: bytes) -> None:
    """Replace a file by one that its owner alone may read, at once or not at all. OSError."""
    fresh = path.with_name(path.name + ".new")
    file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(file, "wb") as out:
        os.fchmod(out.fileno(), 0o600)
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    fresh.replace(path)
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)  # else a power cut may bring the file before back
    finally:
        os.close(folder)
