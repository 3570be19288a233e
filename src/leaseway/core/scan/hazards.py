"""Who must wait for whom, from reads and writes met in order (`admission.md` section 5).

Per place the last writer and the readers since are kept: a read follows the last writer (RAW), a
write follows the last writer (WAW) and the readers since (WAR). Places lie in a tree by their
literal parts, so that a directory meets what is below it. Pairs that already follow from others
are left out: whoever came before the last writer that covers a place precedes that writer.
"""

from __future__ import annotations

from bisect import bisect_right

from msgspec import Struct, field

from leaseway.core.model.paths import Place, covers, meet
from leaseway.core.model.plan import EdgeKind

NOBODY = -1
PATTERN = 10
"""What comparing two places costs when one has a wildcard; two without are told apart by where
they stand."""
Hazard = tuple[int, EdgeKind]
"""Whom to wait for (position), and why."""


class Entry(Struct, gc=False):
    """One place as it was named: who wrote it last, who has read it since."""

    place: Place
    writer: int = NOBODY
    readers: list[int] = field(default_factory=list)


class Node(Struct, gc=False):
    """One directory of the tree. `entries` by the parts that follow its literal ones."""

    children: dict[str, Node] = field(default_factory=dict)
    entries: dict[tuple[str, ...], Entry] = field(default_factory=dict)


class Accesses:
    """Everything touched so far. Positions must not fall from call to call."""

    __slots__ = ("looked", "root")

    def __init__(self) -> None:
        self.root = Node()
        self.looked = 0  # what this has cost: places and directories compared

    def read(self, place: Place, reader: int) -> list[Hazard]:
        """`reader` reads `place`."""
        node, met = self._meet(place)
        after = _last_cover(met, place)
        found = [
            (entry.writer, EdgeKind.READ_AFTER_WRITE)
            for entry in met
            if entry.writer >= after and entry.writer not in (NOBODY, reader)
        ]
        readers = _entry(node, place).readers
        if not readers or readers[-1] != reader:
            readers.append(reader)
        return found

    def write(self, place: Place, writer: int) -> list[Hazard]:
        """`writer` writes `place`."""
        node, met = self._meet(place)
        after = _last_cover(met, place)
        found = [
            (entry.writer, EdgeKind.WRITE_AFTER_WRITE)
            for entry in met
            if entry.writer >= after and entry.writer not in (NOBODY, writer)
        ]
        found += [
            (reader, EdgeKind.WRITE_AFTER_READ)
            for entry in met
            for reader in entry.readers[bisect_right(entry.readers, after) :]
            if reader != writer
        ]
        if place.exact:
            node.children.clear()
            node.entries.clear()
        entry = _entry(node, place)
        entry.writer = writer
        entry.readers.clear()
        return found

    def _meet(self, place: Place) -> tuple[Node, list[Entry]]:
        """The directory of `place`, and every entry that can name the same file: above it, at it,
        and all below."""
        node = self.root
        near = list(node.entries.values())
        for part in place.parts[: place.literal]:
            below = node.children.get(part)
            if below is None:
                below = node.children[part] = Node()
            elif below.entries:
                near += below.entries.values()
            node = below
        stack = list(node.children.values())
        for below in stack:
            near += below.entries.values()
            stack += below.children.values()
        exact = place.exact
        patterns = len(near)
        if exact and patterns:
            patterns = sum(1 for entry in near if not entry.place.exact)
        self.looked += 1 + len(stack) + len(near) + PATTERN * patterns
        return node, [
            entry for entry in near if (exact and entry.place.exact) or meet(entry.place, place)
        ]


class Lone:
    """The same for places that meet nothing but themselves (`touched.Touched.lone`), by number."""

    __slots__ = ("looked", "readers", "writers")

    def __init__(self, size: int) -> None:
        self.writers = [NOBODY] * size
        self.readers: list[list[int] | None] = [None] * size  # None: nobody has touched it
        self.looked = 0

    def read(self, number: int, reader: int) -> list[Hazard]:
        """`reader` reads the place of this number."""
        readers, writer = self.readers[number], self.writers[number]
        if readers is None:
            readers = self.readers[number] = []
            self.looked -= 1
        self.looked += 2
        if not readers or readers[-1] != reader:
            readers.append(reader)
        return [(writer, EdgeKind.READ_AFTER_WRITE)] if writer not in (NOBODY, reader) else []

    def write(self, number: int, writer: int) -> list[Hazard]:
        """`writer` writes it."""
        readers, before = self.readers[number], self.writers[number]
        self.looked += 1 if readers is None else 2
        self.writers[number], self.readers[number] = writer, []
        found = [(before, EdgeKind.WRITE_AFTER_WRITE)] if before not in (NOBODY, writer) else []
        if readers:
            found += [(reader, EdgeKind.WRITE_AFTER_READ) for reader in readers if reader != writer]
        return found


def _entry(node: Node, place: Place) -> Entry:
    rest = place.parts[place.literal :]
    found = node.entries.get(rest)
    if found is None:
        found = node.entries[rest] = Entry(place)
    return found


def _last_cover(met: list[Entry], place: Place) -> int:
    """The last writer that covers all of `place`: who came before it need not be named again."""
    last = NOBODY
    for entry in met:
        if entry.writer > last and covers(entry.place, place):
            last = entry.writer
    return last
