"""A plan against leases as numbers: what has to be placed, and where it may go.

Times are counted from the moment of the scan. A task's length on a worker is its whole rectangle:
delivery of the grant and of its files, its own time, stop grace and kill (`admission.place`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from leaseway.core.admission.gates import usable_windows
from leaseway.core.model.capacity import UNLIMITED, Vector
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec
from leaseway.core.model.units import Instant, Millis
from leaseway.core.scan.graph import Sources, followers_of
from leaseway.core.scan.lengths import expected_ms, latest_end
from leaseway.core.scan.verdicts import Verdicts
from leaseway.core.workspaces import receive_ms

NEVER: Millis = UNLIMITED


class Taken(Struct, frozen=True):
    """What is promised already: `uses` of one worker through [start, end), and tokens held."""

    worker: str
    start: Instant
    end: Instant
    uses: Vector
    holds: tuple[str, ...] = ()


class Machine(Struct, frozen=True):
    """One worker. `windows`: (from, latest end of a rectangle), `NEVER` for no end, in order.
    `taken`: (from, to, amounts)."""

    name: str
    capacity: Vector
    windows: tuple[tuple[Millis, Millis], ...]
    taken: tuple[tuple[Millis, Millis, Vector], ...] = ()


class Kind(Struct, frozen=True):
    """Tasks alike: what they use and hold, and how long they take by machine, None: not there.
    `is_timed`: somebody knows how long they take."""

    uses: Vector
    holds: tuple[str, ...]
    lengths: tuple[Millis | None, ...]
    is_timed: bool = True

    @property
    def least(self) -> Millis | None:
        """The shortest of its lengths; None: it fits nowhere, or nobody knows how long it takes."""
        return min((length for length in self.lengths if length is not None), default=None)


class Problem(Struct, frozen=True):
    """What to place: `kinds[kind_of[at]]` is task `at`, which waits for `sources[at]`. `most`: so
    many at once. `apart`: what passing on costs between two tasks on different machines.
    `followed`: the sources turned round, where they are known."""

    machines: tuple[Machine, ...]
    kinds: tuple[Kind, ...]
    kind_of: Sequence[int]
    sources: Sources
    most: int | None = None
    tokens: Mapping[str, tuple[tuple[Millis, Millis], ...]] = field(default_factory=dict)
    apart: Mapping[tuple[int, int], Millis] = field(default_factory=dict)
    followed: Sources | None = None

    @property
    def followers(self) -> Sources:
        """By task who waits for it."""
        return followers_of(self.sources) if self.followed is None else self.followed


def problem_of(
    plan: PlanSpec,
    leases: Mapping[str, Terms],
    now: Instant,
    verdicts: Verdicts,
    sources: Sources,
    taken: Sequence[Taken] = (),
) -> Problem:
    """The plan's tasks and the leases that it allows."""
    kinds: dict[tuple[int, tuple[str, ...]], int] = {}
    kind_of = [
        kinds.setdefault((verdicts.kind_of[at], task.holds), len(kinds))
        for at, task in enumerate(plan.tasks)
    ]
    files_ms = receive_ms(plan.workspace)
    made = []
    for at, holds in kinds:
        spec, length = verdicts.samples[at], expected_ms(verdicts.samples[at])
        lengths = tuple(
            None if length is None or refused else length + files_ms + terms.guard.overhead_ms
            for terms, refused in zip(leases.values(), verdicts.judged[at], strict=True)
        )
        tokens_of = tuple(dict.fromkeys(holds))
        made.append(Kind(spec.uses.vector(), tokens_of, lengths, length is not None))
    machines = tuple(
        _machine(plan, name, terms, now, [one for one in taken if one.worker == name])
        for name, terms in leases.items()
    )
    tokens: dict[str, tuple[tuple[Millis, Millis], ...]] = {}
    for one in taken:
        for token in one.holds:
            tokens[token] = (*tokens.get(token, ()), (max(0, one.start - now), one.end - now))
    return Problem(machines, tuple(made), kind_of, sources, plan.max_parallel, tokens)


def _machine(
    plan: PlanSpec, name: str, terms: Terms, now: Instant, taken: Sequence[Taken]
) -> Machine:
    windows = []
    for window in usable_windows(terms, now):
        latest = latest_end(window, terms.guard, now)
        ends = NEVER if latest is None else latest - now
        if plan.by_ms is not None:
            ends = min(ends, plan.by_ms)
        windows.append((max(0, window.opens_at - now), ends))
    held = tuple(
        (max(0, one.start - now), one.end - now, one.uses) for one in taken if one.end > now
    )
    return Machine(name, terms.capacity.vector(), tuple(windows), held)
