"""The pool's settings that rules need; what people decide is the policy."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.units import Millis


class Settings(Struct, frozen=True):
    """The pool's settings that rules need."""

    patience_ms: Millis = 15_000
    gap_ms: Millis = 5_000  # a longer gap in the coordinator's own time is a resume
    give_up_ms: Millis = 3_600_000  # after the promise
    best_effort_give_up_ms: Millis = 86_400_000  # after submit
    grants_ahead: int = 32
    ahead_of_ms: Millis = 10_000  # tasks reserved longer are granted two ahead at most
    key_kept_ms: Millis = 7 * 86_400_000
    drift_ppm: int = 1_000
    attempts_most: int = 5  # of one task, repeats included
    inbox_most: int = 10_000  # outcomes of one principal not acknowledged; then no new plans
    overran_kept: int = 1_000  # tasks that overran and are remembered (LW604)
    histories_kept: int = 2_000  # of commands: the last runs of each
    start_patience_ms: Millis = 30_000  # heard but not starting what it was granted
