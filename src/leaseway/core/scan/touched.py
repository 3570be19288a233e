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
    numbers: dict[Place, int] = {}
    bases: dict[str, dict[object, int]] = {}
    for task in plan.tasks:
        base = task.workdir or plan.workdir or ""
        known = bases.get(base)
        if known is None:
            known = bases[base] = {}
        for texts, mine in ((task.reads, found.reads), (written(task), found.writes)):
            if not texts:
                mine.append(())
                continue
            keys: Sequence[object] = texts
            if same := task.same_as:
                keys = [(text, same[text]) if text in same else text for text in texts]
            for key, text in zip(keys, texts, strict=True):
                if key not in known:
                    known[key] = len(found.said)
                    found.said.append(_said(found, numbers, task, text, base))
            mine.append(tuple([known[key] for key in keys]))
    found.lone = _lone(found.places)
    return found


def in_order(touched: Touched, positions: Sequence[int]) -> Touched:
    """The same by place in this order."""
    reads = [touched.reads[at] for at in positions]
    writes = [touched.writes[at] for at in positions]
    return Touched(touched.said, touched.places, reads, writes, touched.lone)


def _said(found: Touched, numbers: dict[Place, int], task: TaskSpec, text: str, base: str) -> Said:
    mine = []
    for where in places_of(task, text, base):
        number = numbers.setdefault(where, len(found.places))
        if number == len(found.places):
            found.places.append(where)
        mine.append(number)
    return Said(text, base, task.same_as.get(text), tuple(mine))


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
