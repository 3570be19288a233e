"""A rig, or a house with a daemon, for each test that needs real processes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.worker.house import House
from tests.worker.rig import Rig


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path / "spool", tmp_path / "clock.json")
    yield made
    made.close()


@pytest.fixture
def live(rig: Rig) -> Rig:
    """A rig with a spawner that listens to the test."""
    rig.spawner()
    rig.connect()
    return rig


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.close()
