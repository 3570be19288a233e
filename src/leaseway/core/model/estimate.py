"""How long commands took before, and what that says of the next run."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from leaseway.core.model.units import Instant, Millis

Ppm = int
"""Parts of a million: a ratio or a probability without floats."""

LEVEL_PPM: Ppm = 900_000
"""How often a bound is meant to hold where nobody says otherwise."""

LEVEL_MOST_PPM: Ppm = 990_000
"""More cannot be said on the word of so few runs as are kept of one history."""


def runs_needed(level_ppm: Ppm = LEVEL_PPM) -> int:
    """Fewer runs bound nothing at this level, for the longest of n holds for n of n + 1: 4 at 80 %,
    9 at 90 %, 19 at 95 %, 99 at 99 %."""
    return -(-1_000_000 // max(1, 1_000_000 - level_ppm)) - 1


RUNS_NEEDED = runs_needed()

LEARNED_LEAST_MS: Millis = 2_000
"""So much is reserved at least on the word of earlier runs: below it the machine's own load and the
way to ask for more time count for more than the command."""


class Likeness(StrEnum):
    """What the runs of one history have in common, from near to far."""

    COMMAND = "command"  # the very command, on workers of one class
    SHAPE = "shape"  # commands whose numbers have as many digits, on workers of one class
    TEMPLATE = "template"  # commands that differ in numbers and digests, on workers of one class
    ANYWHERE = "anywhere"  # such commands, on any worker


class Estimate(Struct, frozen=True, omit_defaults=True, gc=False):
    """A bound from earlier runs, as it was when the task was accepted. `key`: which history;
    `runs`: on so many it rests; of the `judged` bounds given before, `covered` held."""

    bound_ms: Millis
    runs: int
    key: str
    likeness: Likeness
    level_ppm: Ppm = LEVEL_PPM
    judged: int = 0
    covered: int = 0

    @property
    def achieved_ppm(self) -> Ppm | None:
        """How often bounds from this history held so far; None: none was put to the test."""
        return self.covered * 1_000_000 // self.judged if self.judged else None


class Run(Struct, frozen=True, omit_defaults=True, gc=False):
    """One run. `ended` False: it was stopped, and would have taken at least so long. `pair_ms`: the
    last two that had ended when it was asked for, together; 0: there were not two. `beside`: so
    many others ran on that worker when it ended. `bound_ms`: the bound that it was held against,
    `limit_ms`: its task's limit; 0: there was none."""

    ran_ms: Millis
    at: Instant
    worker: str
    ended: bool = True
    pair_ms: Millis = 0
    cpu_ms: Millis = 0
    beside: int = 0
    bound_ms: Millis = 0
    limit_ms: Millis = 0


class Runs(Struct, omit_defaults=True):
    """The last runs of one history, oldest first, and what they say. `labels`: of the class of
    workers. `level_ppm`: the confidence last asked for. `shift_ppm`: by how much the share of
    misses that is aimed at differs from what that leaves, moved by each miss and each hit.
    `used`: ledger position of the last run. `bound_ms` None: nothing that holds can be said."""

    likeness: Likeness
    command: str
    place: str
    labels: str = ""
    runs: tuple[Run, ...] = ()
    level_ppm: Ppm = LEVEL_PPM
    shift_ppm: Ppm = 0
    judged: int = 0
    covered: int = 0
    used: int = 0
    bound_ms: Millis | None = None

    @property
    def ended(self) -> int:
        """How many of the runs came to their end."""
        return sum(run.ended for run in self.runs)
