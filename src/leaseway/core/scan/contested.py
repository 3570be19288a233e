"""Things that tasks touch, and for each the tasks that meet there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field

from leaseway.core.model.accesses import inferred_of
from leaseway.core.model.paths import Place, meet
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.derived import LOOKS
from leaseway.core.scan.hazards import PATTERN
from leaseway.core.scan.touched import Touched, touched_by


class Contested(Struct):
    """One place or token: the indexes of who reads it and of who writes it as named, in order, and
    everything that may be the same, itself too."""

    name: str
    readers: list[int] = field(default_factory=list)
    writers: list[int] = field(default_factory=list)
    meets: list[Contested] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """At most so many pairs conflict here."""
        writers = sum(len(other.writers) for other in self.meets)
        every = writers + sum(len(other.readers) for other in self.meets)
        return len(self.writers) * every + len(self.readers) * writers

    def pairs(self) -> set[tuple[int, int]]:
        """Pairs that conflict here, the lower index first."""
        found = set()
        for other in self.meets:
            for one in self.writers:
                for two in (*other.writers, *other.readers):
                    if one != two:
                        found.add((one, two) if one < two else (two, one))
            for one in self.readers if other.writers else ():
                for two in other.writers:
                    if one != two:
                        found.add((one, two) if one < two else (two, one))
        return found

    def partners(self) -> Iterator[tuple[int, int]]:
        """Each task that touches it, with the set of those that it conflicts with here."""
        met_writers = _mask(at for other in self.meets for at in other.writers)
        met = met_writers | _mask(at for other in self.meets for at in other.readers)
        for at in self.writers:
            yield at, met & ~(1 << at)
        for at in set(self.readers).difference(self.writers):
            yield at, met_writers & ~(1 << at)


class _Spot(Struct):
    """One directory: what is named there, by the parts after the literal ones."""

    children: dict[str, _Spot] = field(default_factory=dict)
    named: list[tuple[Place, Contested]] = field(default_factory=list)


class _Naming:
    """Places as they are named, task by task: by their parts, and by their number."""

    def __init__(self, touched: Touched) -> None:
        self.touched = touched
        self.named: dict[tuple[str, ...], tuple[Place, Contested]] = {}
        self.things: list[Contested | None] = [None] * len(touched.places)

    def add(self, at: int, several: Sequence[int], writes: bool) -> None:
        """The task of this index touches what these texts name."""
        for said in map(self.touched.said.__getitem__, several):
            for number in said.places:
                thing = self.things[number]
                if thing is None:
                    thing = _named(self.named, said.text, self.touched.places[number])
                    self.things[number] = thing
                touching = thing.writers if writes else thing.readers
                if not touching or touching[-1] != at:
                    touching.append(at)


def contested(plan: PlanSpec, touched: Touched | None = None) -> list[Contested] | None:
    """All places and tokens in the order named; None: more than `LOOKS` comparisons. `touched`:
    what the plan declares, if it is known."""
    naming = _Naming(touched or touched_by(plan))
    tokens: dict[str, Contested] = {}
    for at, task in enumerate(plan.tasks):
        naming.add(at, naming.touched.reads[at], False)
        naming.add(at, naming.touched.writes[at], True)
        if task.inferred:
            _inferred(naming.named, plan, at)
        for token in dict.fromkeys(task.holds) if task.holds else ():
            tokens.setdefault(token, Contested(token)).writers.append(at)
    for thing in tokens.values():
        thing.meets.append(thing)
    guessed = any(task.inferred for task in plan.tasks)  # that may meet any
    if not _joined(naming, [] if guessed else naming.touched.lone):
        return None
    return [*(thing for _, thing in naming.named.values()), *tokens.values()]


def _joined(naming: _Naming, lone: Sequence[bool]) -> bool:
    """Fills what each place meets; most meet nothing but themselves. False: too much to compare."""
    alone = {
        id(thing): thing
        for thing, is_lone in zip(naming.things, lone, strict=False)
        if thing is not None and is_lone
    }
    for thing in alone.values():
        thing.meets.append(thing)
    return _join([each for each in naming.named.values() if id(each[1]) not in alone], len(alone))


def _inferred(
    named: dict[tuple[str, ...], tuple[Place, Contested]], plan: PlanSpec, at: int
) -> None:
    """What was inferred of a task that declares nothing."""
    task = plan.tasks[at]
    base = task.workdir or plan.workdir
    for said, where in inferred_of(task, base, in_view=plan.workspace is not None):
        thing = _named(named, said.what, where)
        touching = thing.writers if said.writes else thing.readers
        if not touching or touching[-1] != at:
            touching.append(at)


def _named(
    named: dict[tuple[str, ...], tuple[Place, Contested]], text: str, where: Place
) -> Contested:
    if where.parts not in named:
        named[where.parts] = (where, Contested(text))
    return named[where.parts][1]


def _join(named: list[tuple[Place, Contested]], looked: int = 0) -> bool:
    """Fills what each place meets, above, beside and below it. False: too much to compare, with
    what was looked at before."""
    root = _Spot()
    for where, thing in named:
        spot = root
        for part in where.parts[: where.literal]:
            spot = spot.children.setdefault(part, _Spot())
        spot.named.append((where, thing))
    for where, thing in named:
        near = _near(root, where)
        looked += len(near) if where.exact else PATTERN * len(near)
        if looked > LOOKS:
            return False
        for other_where, other in near:
            if (where.exact and other_where.exact) or meet(where, other_where):
                thing.meets.append(other)
    return True


def _near(root: _Spot, where: Place) -> list[tuple[Place, Contested]]:
    spot = root
    near = list(root.named)
    for part in where.parts[: where.literal]:
        spot = spot.children[part]
        near += spot.named
    stack = list(spot.children.values())
    for below in stack:
        near += below.named
        stack += below.children.values()
    return near


def _mask(indexes: Iterable[int]) -> int:
    """A set of indexes, a bit for each."""
    found = 0
    for at in indexes:
        found |= 1 << at
    return found
