"""Marks: said like events and folded into presence, never stored; no facts worth keeping."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.checkpoint_events import LastTold
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Instant, Millis


class Heard(Struct, frozen=True, tag=True, omit_defaults=True):
    """Mark, not stored: a worker was heard."""

    worker: str
    seq: int
    boot_ms: Millis
    reported: tuple[AttemptRef, ...] = ()  # held or ended, as this sync said
    arrived: Instant = 0  # when the call came in; it may be decided again while it is held
    offset_ms: int = 0
    meter: dict[str, int] | None = None
    leaving: bool = False
    checkpoints: tuple[LastTold, ...] = ()


class Judged(Struct, frozen=True, tag=True, omit_defaults=True):
    """Mark, not stored: the coordinator looked at the clock; `resumed` after a start or a gap."""

    resumed: bool = False
