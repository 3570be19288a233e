"""Things that tasks touch, and for each the tasks that meet there."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from leaseway.core.model.accesses import places_of
from leaseway.core.model.paths import Place, meet
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.derived import LOOKS, written
from leaseway.core.scan.hazards import PATTERN


class Contested(Struct):
    """One place or token. All are sets of indexes: who reads and writes it as named, and who reads
    and writes anything that may be the same."""

    name: str
    readers: int = 0
    writers: int = 0
    met_readers: int = 0
    met_writers: int = 0

    def partners(self) -> Iterator[tuple[int, int]]:
        """Each task that touches it, with those that it conflicts with here."""
        for at in _bits(self.writers):
            yield at, (self.met_writers | self.met_readers) & ~(1 << at)
        for at in _bits(self.readers & ~self.writers):
            yield at, self.met_writers & ~(1 << at)


class _Spot(Struct):
    """One directory: what is named there, by the parts after the literal ones."""

    children: dict[str, _Spot] = field(default_factory=dict)
    named: list[tuple[Place, Contested]] = field(default_factory=list)


def contested(plan: PlanSpec) -> list[Contested] | None:
    """All places and tokens in the order named; None: more than `LOOKS` comparisons."""
    named: dict[tuple[str, ...], tuple[Place, Contested]] = {}
    tokens: dict[str, Contested] = {}
    for at, task in enumerate(plan.tasks):
        bit = 1 << at
        base = task.workdir or plan.workdir
        for text in task.reads or ():
            for where in places_of(task, text, base):
                _named(named, text, where).readers |= bit
        for text in written(task):
            for where in places_of(task, text, base):
                _named(named, text, where).writers |= bit
        for token in task.holds:
            tokens.setdefault(token, Contested(token)).writers |= bit
    for thing in tokens.values():
        thing.met_writers = thing.writers
    if not _join(list(named.values())):
        return None
    return [*(thing for _, thing in named.values()), *tokens.values()]


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
                thing.met_readers |= other.readers
                thing.met_writers |= other.writers
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


def _bits(mask: int) -> Iterator[int]:
    """The indexes of a set, from low to high."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
