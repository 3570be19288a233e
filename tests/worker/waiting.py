"""Wait for a thing, up to a deadline; never for the clock alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

Found = TypeVar("Found")
_PAUSE_S = 0.005


def until(look: Callable[[], Found | None], what: str, within_s: float = 20) -> Found:
    """What `look` finds, once it finds something; AssertionError names `what` was waited for."""
    deadline = time.monotonic() + within_s
    pause = threading.Event()
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        pause.wait(_PAUSE_S)
