"""What accepted tasks touch, and which of them a newcomer must wait for.

Every access has a place (`model.paths`) on a machine, or in a named space that all machines share.
Two accesses meet if their places can name the same file; they conflict if one of them writes.

Not every conflicting task is named, only the last ones: where a writer covers what the newcomer
touches, everything before that writer that could conflict conflicts with the writer too, and so
already stands before it. That does not hold of a writer that got its place later than something
that stands behind it (`closes` false): it hides nobody.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Container

from msgspec import Struct
from sortedcontainers import SortedDict

from leaseway.core.model.paths import Place, covers, meet

EVERYWHERE = ""
"""The machine of named spaces."""


class Access(Struct, frozen=True, gc=False):
    """One declared read or write. `named`: as it was written, for telling."""

    place: Place
    writes: bool
    named: str = ""

    @property
    def is_shared(self) -> bool:
        """Whether it lies in a named space, which is the same on every machine."""
        return self.place.parts[0].endswith(":")


class Met(Struct, frozen=True):
    """A task that must end first, and over what. `seq`: when it got its place."""

    task: str
    seq: int
    over: str


class _Live(Struct, frozen=True, gc=False):
    seq: int
    task: str
    access: Access
    closes: bool = True


class Touching:
    """Accesses of tasks that have a place and have not ended."""

    def __init__(self) -> None:
        # machine → literal parts of a place → accesses there
        self._at: dict[str, SortedDict[tuple[str, ...], list[_Live]]] = {}
        self._of: dict[str, list[tuple[str, tuple[str, ...], _Live]]] = {}

    def add(
        self,
        task: str,
        seq: int,
        machine: str,
        accesses: tuple[Access, ...],
        *,
        closes: bool = True,
    ) -> None:
        """This task, placed on this machine, touches these. `closes`: whatever conflicts with it
        and got its place before it also stands before it."""
        kept = self._of.setdefault(task, [])
        for access in accesses:
            where = EVERYWHERE if access.is_shared else machine
            key = access.place.parts[: access.place.literal]
            live = _Live(seq, task, access, closes)
            lives = self._at.setdefault(where, SortedDict()).setdefault(key, [])
            insort(lives, live, key=lambda each: each.seq)
            kept.append((where, key, live))

    def remove(self, task: str) -> None:
        """It has ended, or has no place any more."""
        for where, key, live in self._of.pop(task, ()):
            at = self._at[where]
            at[key].remove(live)
            if not at[key]:
                del at[key]

    def tasks(self) -> set[str]:
        """Everything that is known here."""
        return set(self._of)

    def before(
        self, machine: str, accesses: tuple[Access, ...], skip: Container[str] = frozenset()
    ) -> list[Met]:
        """The tasks that a newcomer with these accesses on this machine must wait for, in the
        order in which they got their places; those in `skip` are as if they were not there."""
        found: dict[str, Met] = {}
        for access in accesses:
            where = EVERYWHERE if access.is_shared else machine
            for live in self._last(where, access, skip):
                named = live.access.named or access.named
                found.setdefault(live.task, Met(live.task, live.seq, named))
        return sorted(found.values(), key=lambda met: met.seq)

    def _last(self, where: str, access: Access, skip: Container[str]) -> list[_Live]:
        """Live accesses that conflict with this one, from the last covering writer on."""
        at = self._at.get(where)
        if at is None:
            return []
        above, below = _near(at, access.place)
        closed = max((_covering(lives, access, skip) for lives in above), default=-1)
        last: list[_Live] = []
        for lives in (*above, *below):
            for live in reversed(lives):
                if live.seq < closed:
                    break
                if live.task not in skip and _conflict(live.access, access):
                    last.append(live)
        return last


def _covering(lives: list[_Live], access: Access, skip: Container[str]) -> int:
    """When the last writer in this list that covers and closes got its place; -1: none does."""
    for live in reversed(lives):
        if not live.access.writes or not live.closes or live.task in skip:
            continue
        if covers(live.access.place, access.place):
            return live.seq
    return -1


def _near(
    at: SortedDict[tuple[str, ...], list[_Live]], place: Place
) -> tuple[list[list[_Live]], list[list[_Live]]]:
    """What lies above or at the literal part of a place, and what lies below it; each list in the
    order in which its tasks got their places."""
    key = place.parts[: place.literal]
    above = [found for size in range(len(key) + 1) if (found := at.get(key[:size]))]
    below: list[list[_Live]] = []
    for name in at.irange(key, inclusive=(False, True)):
        if name[: len(key)] != key:
            break
        below.append(at[name])
    return above, below


def meeting(one: tuple[Access, ...], two: tuple[Access, ...], *, one_machine: bool) -> str | None:
    """Over what two tasks conflict; None: they do not. `one_machine`: they run on the same."""
    for left in one:
        for right in two:
            if (one_machine or left.is_shared) and _conflict(left, right):
                return left.named or right.named
    return None


def _conflict(one: Access, two: Access) -> bool:
    return (one.writes or two.writes) and meet(one.place, two.place)
