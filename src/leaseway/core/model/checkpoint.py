"""Checkpoints: what a plan says of them beforehand, and what the last one of an attempt said.

Progress is in parts per million, from 0 (nothing done) to 1,000,000 (all of it).
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct, field

from leaseway.core.model.units import Millis

WHOLE_PPM = 1_000_000


class Advice(StrEnum):
    """What a checkpoint is answered with."""

    GO_ON = "go-on"
    HURRY = "hurry"  # projected to end after the stop time
    SAVE = "save-and-stop"  # the next step does not fit before the point of no return

    @property
    def exit_code(self) -> int:
        """What the command `leaseway checkpoint` exits with."""
        return {Advice.GO_ON: 0, Advice.HURRY: 10, Advice.SAVE: SAVED}[self]


SAVED = 11
"""Exit code of a task that has saved what it had and ended, as a checkpoint told it to."""


class Save(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a task saves. `within_ms`: the longest it takes; `signal`: of the task's choice, such as
    `USR1`, sent before the point of no return; empty: none is sent."""

    within_ms: Millis = 0
    signal: str = ""


class Pacing(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """What a plan says of a task's checkpoints. `steps`: how many there will be, 0: not said.
    `phases`: output that marks a step's end → how long the next step takes at most."""

    steps: int = 0
    phases: dict[str, Millis] = field(default_factory=dict)
    save: Save = Save()


class Checkpoint(Struct, frozen=True, omit_defaults=True):
    """The last checkpoint of an attempt, as it travels. Lengths as of that checkpoint: `ran_ms`
    since the start, `left_ms` to the stop time, `need_ms` until it is projected to be done (an
    upper bound), `next_ms` the step that was announced (0: none)."""

    advice: Advice = Advice.GO_ON
    reason: str = ""  # late | step | return: what the advice rests on; empty: nothing
    progress_ppm: int | None = None
    step: str = ""
    count: int = 0  # how many there were
    ran_ms: Millis = 0
    left_ms: Millis = 0
    need_ms: Millis = 0
    next_ms: Millis = 0

    @property
    def late_ms(self) -> Millis:
        """How long after its stop time it is projected to end; 0: in time."""
        return max(0, self.need_ms - self.left_ms)
