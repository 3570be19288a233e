"""One pool for each test."""

from __future__ import annotations

import pytest

from tests.coordinator.pool import open_pool


@pytest.fixture
async def pool(tmp_path):
    async with open_pool(tmp_path) as opened:
        yield opened
