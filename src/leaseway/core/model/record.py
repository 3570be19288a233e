"""What became of promises: counted per worker, per principal, and by what the promise rested on."""

from __future__ import annotations

from msgspec import Struct, field

from leaseway.core.model.outcomes import Waste
from leaseway.core.model.units import Instant, Millis


class Tally(Struct, omit_defaults=True):
    """Promises of one worker, principal or basis. `moved`: handed on to another worker in silence,
    the promised time kept. `overran`: the task took longer than what was set aside for it.
    `dropped`: cancelled or skipped. `causes`: of withdrawn and broken ones, by code. `ahead_ms`:
    how long before the promised times those withdrawn were, in all; `ahead_least_ms`: the shortest.
    `used`: ledger position of the last change."""

    made: int = 0
    kept: int = 0
    withdrawn: int = 0
    broken: int = 0
    overran: int = 0
    dropped: int = 0
    moved: int = 0
    causes: dict[str, int] = field(default_factory=dict)
    ahead_ms: Millis = 0
    ahead_least_ms: Millis | None = None
    wasted: tuple[Waste, ...] = ()
    used: int = 0

    @property
    def open(self) -> int:
        """Promises that are still to be kept."""
        over = self.kept + self.withdrawn + self.broken + self.overran + self.dropped + self.moved
        return max(0, self.made - over)


class Closing(Struct, frozen=True):
    """One window of a worker that closed, or is to close sooner than it was first declared."""

    opens_at: Instant
    declared_at: Instant
    early_ms: Millis


class Record(Struct):
    """All tallies. `held`: task → the worker that its promise now rests on. `closings`: by worker,
    the last windows."""

    workers: dict[str, Tally] = field(default_factory=dict)
    principals: dict[str, Tally] = field(default_factory=dict)
    bases: dict[str, Tally] = field(default_factory=dict)
    held: dict[str, str] = field(default_factory=dict)
    closings: dict[str, tuple[Closing, ...]] = field(default_factory=dict)
