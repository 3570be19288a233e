"""Real processes on loopback: a pool per test, ended by pid when the test is over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from leaseway.demo.pool import LocalPool
from tests.e2e.house import House


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """A coordinator with short patience; workers join as the test asks."""
    with LocalPool(tmp_path / "pool") as pool:
        pool.up("--patience", "2s")
        with pool.client() as client:
            yield House(pool, client, tmp_path)
