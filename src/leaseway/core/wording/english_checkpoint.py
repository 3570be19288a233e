"""Wording in English of what checkpoints lead to."""

from __future__ import annotations

from leaseway.core.wording.catalogue import Entry

CHECKPOINT: dict[str, Entry] = {
    "LW601/running": (
        "At its last checkpoint[ ({step})] {task} was projected to end {late_ms} after its stop"
        " time[; {progress} was done].",
        "It is told to hurry, and to save and end before it is too late.",
    ),
    "LW603/running": (
        "Its last checkpoint[ ({step})] told {task} to save and end: {left_ms} were left"
        "[, the next step needs {need_ms}][; {progress} was done].",
        "",
    ),
    "LW603/saved": (
        "{task} saved what it had and ended in time, as its checkpoint told it[ ({step})]"
        "[; {progress} was done][; it needed {need_ms} more, {left_ms} were left].",
        'Hand it in again with more time, to go on from what it saved; `repeat = "safe"` does that'
        " by itself.",
    ),
}
