"""What a worker daemon is told by whoever starts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.units import Millis


def _silent(_: str) -> None:
    """Nobody wants to hear."""


@dataclass(frozen=True)
class WorkerOptions:
    """`credential` is the secret itself, `ca` the one authority to trust (PEM). `offer` counts from
    when the daemon was started. `stop_running`: on leaving, also stop what runs. `tell` gets one
    calm line at a time."""

    name: str
    url: str
    credential: str = field(repr=False)
    state_dir: Path
    offer: TermsOffer
    stop_running: bool = False
    version: str = ""
    ca: str = field(default="", repr=False)
    longest_silence_ms: Millis = 10_000
    tell: Callable[[str], None] = _silent
