"""What a worker daemon is told by whoever starts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.units import Millis
from leaseway.planfile.recurring import Recurring

Tell = Callable[[str], None]
Reread = tuple[TermsOffer, Recurring | None] | list[str]
"""What a lease file says now, or the lines of what is wrong with it."""


def _silent(_: str) -> None:
    """Nobody wants to hear."""


@dataclass(frozen=True)
class WorkerOptions:
    """`credential` is the secret itself, `ca` the one authority to trust (PEM). `offer` counts from
    when the daemon was started. `stop_running`: on leaving, also stop what runs. `tell` gets one
    calm line at a time. `recurring`: what the windows of the offer were made from. `lease_file` is
    looked at, and `read_again` reads it when it has changed."""

    name: str
    url: str
    credential: str = field(repr=False)
    state_dir: Path
    offer: TermsOffer
    stop_running: bool = False
    version: str = ""
    ca: str = field(default="", repr=False)
    longest_silence_ms: Millis = 10_000
    cache_bytes: int = 4 * 1024**3  # archives kept for later views
    views_bytes: int = 8 * 1024**3  # views kept for those who may still want to look
    free_bytes: int = 1024**3  # less room on the disk than this, and the oldest of those go
    tell: Tell = _silent
    recurring: Recurring | None = None
    lease_file: Path | None = None
    read_again: Callable[[], Reread] | None = field(default=None, repr=False)
