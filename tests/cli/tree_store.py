"""A store in place of a coordinator's, for tests of trees that travel."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from leaseway.client import archives


@dataclass
class Store:
    """What a coordinator would keep."""

    folder: Path
    sent: list[str] = field(default_factory=list)
    options: object = None

    def has(self, _pool, digest):
        return (self.folder / digest).exists()

    def send(self, _pool, path, digest, moved):
        self.sent.append(digest)
        shutil.copy(path, self.folder / digest)
        moved(path.stat().st_size)

    def fetch(self, _pool, digest, into, moved=None):
        shutil.copy(self.folder / digest, into)


def stored(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store that `leaseway.client.archives` talks to; what is remembered of trees lies beside."""
    made = Store(folder / "store")
    made.folder.mkdir()
    for verb in ("has", "send", "fetch"):
        monkeypatch.setattr(archives, verb, getattr(made, verb))
    monkeypatch.setenv("XDG_STATE_HOME", str(folder / "state"))
    return made
