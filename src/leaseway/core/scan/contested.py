"""Things that tasks touch, and for each the tasks that meet there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from leaseway.core.model.accesses import inferred_of, places_of
from leaseway.core.model.paths import Place, meet
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.derived import LOOKS, written
from leaseway.core.scan.hazards import PATTERN


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


def contested(plan: PlanSpec) -> list[Contested] | None:
    """All places and tokens in the order named; None: more than `LOOKS` comparisons."""
    named: dict[tuple[str, ...], tuple[Place, Contested]] = {}
    tokens: dict[str, Contested] = {}
    places: dict[tuple[str | None, str, str | None], tuple[Place, ...]] = {}
    for at, task in enumerate(plan.tasks):
        base = task.workdir or plan.workdir
        for texts, writes in ((task.reads or (), False), (written(task), True)):
            for text in texts:
                key = (base, text, task.same_as.get(text) if task.same_as else None)
                if key not in places:
                    places[key] = places_of(task, text, base)
                for where in places[key]:
                    thing = _named(named, text, where)
                    touching = thing.writers if writes else thing.readers
                    if not touching or touching[-1] != at:
                        touching.append(at)
        _inferred(named, plan, at)
        for token in dict.fromkeys(task.holds):
            tokens.setdefault(token, Contested(token)).writers.append(at)
    for thing in tokens.values():
        thing.meets.append(thing)
    if not _join(list(named.values())):
        return None
    return [*(thing for _, thing in named.values()), *tokens.values()]


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


def _join(named: list[tuple[Place, Contested]]) -> bool:
    """Fills what each place meets, above, beside and below it. False: too much to compare."""
    root = _Spot()
    for where, thing in named:
        spot = root
        for part in where.parts[: where.literal]:
            spot = spot.children.setdefault(part, _Spot())
        spot.named.append((where, thing))
    looked = 0
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
