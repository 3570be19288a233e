"""A checkpoint of an attempt as it is shown."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.units import Instant, Millis
from leaseway.core.model.view import Attempt


class CheckpointInfo(Struct, frozen=True):
    """The last checkpoint of an attempt that is known. `advice`: go-on, hurry or save-and-stop;
    `late_ms`: how long after its stop time it was projected to end, as of then."""

    advice: str
    at: Instant
    reason: str = ""
    progress_ppm: int | None = None
    step: str = ""
    count: int = 0
    late_ms: Millis = 0
    left_ms: Millis = 0
    next_ms: Millis = 0


def checkpoint_info(attempt: Attempt) -> CheckpointInfo | None:
    """The last that is known: of its ending, else as it was told last."""
    last, at = attempt.checkpoint, attempt.checked_at
    if attempt.ending is not None and attempt.ending.checkpoint is not None:
        last, ended_at = attempt.ending.checkpoint, attempt.ended_at or 0
        at = ended_at - attempt.ending.held_ms + last.ran_ms
    if last is None:
        return None
    return CheckpointInfo(
        advice=last.advice.value,
        at=at,
        reason=last.reason,
        progress_ppm=last.progress_ppm,
        step=last.step,
        count=last.count,
        late_ms=last.late_ms,
        left_ms=last.left_ms,
        next_ms=last.next_ms,
    )
