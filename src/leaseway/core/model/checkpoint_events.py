"""What a running task's checkpoints led to."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.checkpoint import Checkpoint
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Instant


class CheckpointTold(Struct, frozen=True, tag=True, omit_defaults=True):
    """The advice that a running attempt gets has changed; `told_at`: when it asked."""

    task: str
    number: int
    checkpoint: Checkpoint
    told_at: Instant


class LastTold(Struct, frozen=True):
    """The last checkpoint of an attempt as its worker told it, whatever its advice: not stored."""

    ref: AttemptRef
    checkpoint: Checkpoint
    told_at: Instant
