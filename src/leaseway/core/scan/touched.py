"""What each task of a plan says that it reads and writes, every path looked at once."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from leaseway.core.model.accesses import places_of
from leaseway.core.model.paths import Place
from leaseway.core.model.plan import PlanSpec, TaskSpec


class Said(Struct, frozen=True):
    """One text as it stands in tasks: from which directory it counts, and where a client found that
    it leads (None: it did not tell). `places`: numbers of what it names."""

    text: str
    base: str
    told: str | None
    places: tuple[int, ...]


class Touched(Struct):
    """Accesses by index of a task, as numbers into `said`, reads and writes apart, in the order
    written. `places` by number; `lone`: by number whether it is a plain path and no other of them
    lies at, above or below it, so that it meets itself only."""

    said: list[Said] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    reads: list[Sequence[int]] = field(default_factory=list)
    writes: list[Sequence[int]] = field(default_factory=list)
    lone: list[bool] = field(default_factory=list)

    @property
    def is_plain(self) -> bool:
        """Whether each place has one name, and meets itself only."""
        if len(self.said) != len(self.places) or not all(self.lone):
            return False
        return all(said.told is None for said in self.said)


def written(task: TaskSpec) -> tuple[str, ...]:
    """What a task writes: what it says, and what it is to bring back."""
    return (*(task.writes or ()), *task.outputs) if task.outputs else task.writes or ()


def touched_by(plan: PlanSpec) -> Touched:
    """Everything that the plan declares."""
    found = Touched()
    numbering = _Numbering(found)
    whole_base = plan.workdir or ""
    # by directory, texts that were looked at together: many tasks say the same
    known: dict[str, dict[tuple[str, ...], Sequence[int]]] = {}
    for task in plan.tasks:
        base = task.workdir or whole_base
        alike = known.get(base)
        if alike is None:
            alike = known[base] = {(): ()}
        for texts, mine in (
            (task.reads or (), found.reads),
            (written(task), found.writes),
        ):
            numbers = alike.get(texts)
            if numbers is None or (texts and task.same_as):
                numbers = numbering.of(task, texts, base)
                if not task.same_as:
                    alike[texts] = numbers
            mine.append(numbers)
    found.lone = _lone(found.places)
    return found


def in_order(touched: Touched, positions: Sequence[int]) -> Touched:
    """The same by place in this order."""
    reads = [touched.reads[at] for at in positions]
    writes = [touched.writes[at] for at in positions]
    return Touched(touched.said, touched.places, reads, writes, touched.lone)


class _Numbering:
    """Gives each text and each place its number."""

    def __init__(self, found: Touched) -> None:
        self.found = found
        self.said: dict[tuple[str, str, str | None], int] = {}
        self.places: dict[Place, int] = {}

    def of(self, task: TaskSpec, texts: Sequence[str], base: str) -> Sequence[int]:
        """The numbers of these texts of one task."""
        said = self.found.said
        numbers = []
        for text in texts:
            key = (base, text, task.same_as.get(text))
            if key not in self.said:
                self.said[key] = len(said)
                places = tuple(map(self._place, places_of(task, text, base)))
                said.append(Said(text, base, key[2], places))
            numbers.append(self.said[key])
        return tuple(numbers)

    def _place(self, where: Place) -> int:
        number = self.places.setdefault(where, len(self.found.places))
        if number == len(self.found.places):
            self.found.places.append(where)
        return number


def _lone(places: Sequence[Place]) -> list[bool]:
    """By number, whether a place has nothing beside, above or below it, wildcards included."""
    keys = [where.parts[: where.literal] for where in places]
    named: dict[tuple[str, ...], int] = {}
    above: set[tuple[str, ...]] = set()
    for key in keys:
        named[key] = named.get(key, 0) + 1
        for size in range(len(key) - 1, -1, -1):
            if key[:size] in above:
                break
            above.add(key[:size])
    tops = above & named.keys()  # places with others below them
    return [
        where.exact
        and named[key] == 1
        and key not in above
        and not (tops and any(key[:size] in tops for size in range(len(key))))
        for where, key in zip(places, keys, strict=True)
    ]
