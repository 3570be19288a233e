"""What a worker daemon is told by whoever starts it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from msgspec.structs import replace

from leaseway.core.model.lease import TermsOffer, WindowOffer
from leaseway.core.model.units import Millis


def _silent(_: str) -> None:
    """Nobody wants to hear."""


@dataclass(frozen=True)
class WorkerOptions:
    """`credential` is the secret itself. `offer` counts from when the daemon was started.
    `stop_running`: on leaving, also stop what runs. `tell` gets one calm line at a time."""

    name: str
    url: str
    credential: str = field(repr=False)
    state_dir: Path
    offer: TermsOffer
    stop_running: bool = False
    version: str = ""
    longest_silence_ms: Millis = 10_000
    tell: Callable[[str], None] = _silent


def offer_after(offer: TermsOffer, passed_ms: Millis) -> TermsOffer:
    """The offer as it stands some time later: windows are lengths, and grow shorter."""
    windows = tuple(
        WindowOffer(
            opens_in_ms=max(0, window.opens_in_ms - passed_ms),
            closes_in_ms=(
                None if window.closes_in_ms is None else max(0, window.closes_in_ms - passed_ms)
            ),
        )
        for window in offer.windows
    )
    return replace(offer, windows=windows)
