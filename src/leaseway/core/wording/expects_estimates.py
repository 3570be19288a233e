"""The numbers that the sentences on estimates name."""

from __future__ import annotations

OF_ESTIMATES: dict[str, tuple[str, ...]] = {
    "LW304/broken": ("broken",),
}
