"""The suite that every ledger passes stands in modules of its own; their asserts explain too."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("tests.ledger.conformance", "tests.ledger.conformance_rows")
