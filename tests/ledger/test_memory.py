"""Goal: the ledger in memory behaves as every ledger does. Method: the common suite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from leaseway.ledger.memory import Disk, MemoryLedger
from tests.ledger.conformance import EventConformance, ledger
from tests.ledger.conformance_rows import RowConformance

__all__ = ["ledger"]


class MemoryStore:
    """A disk in memory."""

    def __init__(self) -> None:
        self.disk = Disk()

    def open(self) -> MemoryLedger:
        return MemoryLedger(self.disk)

    @contextmanager
    def broken(self) -> Iterator[None]:
        self.disk.broken = "full"
        yield
        self.disk.broken = ""

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


class TestEvents(EventConformance):
    pass


class TestRows(RowConformance):
    pass
