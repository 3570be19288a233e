"""Two names of one path in a plan (LW207): spellings, case, and links that a client found.

That they are taken as one is the work of `paths.place` and `TaskSpec.same_as`; here it is told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct, field

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.paths import Place, meet, place, spelled
from leaseway.core.model.plan import PlanSpec
from leaseway.core.scan.touched import Touched, touched_by

TOLD = 100
"""So many are told one by one."""
LOOKS = 200_000
"""So many pairs are looked at for telling; what runs beside what does not depend on it."""


class Name(Struct):
    """One path as it is spelled once `.`, `..` and double slashes are gone: `texts` that say it,
    and `tasks` that do. `real`: where it leads, its own place if no client told."""

    spelled: tuple[str, ...]
    where: Place
    real: Place
    told: str = ""
    texts: dict[str, None] = field(default_factory=dict)
    tasks: dict[str, None] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The first that was written."""
        return next(iter(self.texts))


def two_names(plan: PlanSpec, touched: Touched | None = None) -> list[Finding]:
    """A finding for each two names, at most `TOLD` and one for the rest: how they were written
    (note), case and links (warnings). `touched`: what the plan declares, if it is known."""
    touched = touched or touched_by(plan)
    if touched.is_plain:
        return []
    names = _names(plan, touched)
    found = [
        Finding(
            "LW207", tuple(name.tasks), (), {"names": list(name.texts)}, "spelling", Severity.NOTE
        )
        for name in names
        if len({text.rstrip("/") for text in name.texts}) > 1
    ]
    found += [
        _case(one, two, one.text, two.text)
        for one, two in _near(names, [name.where for name in names])
        if meet(one.where, two.where) and not _alike(two.where, one.spelled, two.spelled)
    ]
    found += [
        _linked(one, two)
        for one, two in _near(names, [name.real for name in names])
        if meet(one.real, two.real) and not meet(one.where, two.where)
    ]
    if len(found) <= TOLD:
        return found
    more: dict[str, int | str | list[str]] = {"count": len(found) - TOLD}
    return [*found[:TOLD], Finding("LW207", (), (), more, "more", Severity.WARNING)]


def _names(plan: PlanSpec, touched: Touched) -> list[Name]:
    """Every name in the order declared; the same spelling that leads elsewhere is another."""
    found: dict[tuple[tuple[str, ...], str], Name] = {}
    by_said = []
    for said in touched.said:
        parts, told = spelled(said.text, said.base), said.told or ""
        name = found.get((parts, told))
        if name is None:
            where = touched.places[said.places[0]]
            real = place(told) if told else where
            name = found[parts, told] = Name(parts, where, real, told)
        name.texts[said.text] = None
        by_said.append(name)
    for at, task in enumerate(plan.tasks):
        for number in (*touched.reads[at], *touched.writes[at]):
            by_said[number].tasks[task.name] = None
    return list(found.values())


def _near(names: list[Name], places: list[Place]) -> Iterator[tuple[Name, Name]]:
    """Pairs of names of which one place lies at or above the other, the one above second."""
    at: dict[tuple[str, ...], list[int]] = {}
    for number, where in enumerate(places):
        at.setdefault(where.parts[: where.literal], []).append(number)
    looked = 0
    for number, where in enumerate(places):
        key = where.parts[: where.literal]
        for size in range(1, len(key) + 1):
            for other in at.get(key[:size], ()):
                looked += 1
                if looked > LOOKS:
                    return
                if other < number if size == len(key) else other != number:
                    yield names[number], names[other]


def _alike(above: Place, one: tuple[str, ...], two: tuple[str, ...]) -> bool:
    """Whether two names are spelled alike as far as both are literal."""
    size = min(above.literal, len(one), len(two))
    return one[:size] == two[:size]


def _linked(one: Name, two: Name) -> Finding:
    """A link leads from one name to the other, or into the directory that it is."""
    ends = [spelled(name.told) if name.told else name.spelled for name in (one, two)]
    if not _alike(two.real, ends[0], ends[1]):
        return _case(one, two, one.told or one.text, two.told or two.text)
    numbers: dict[str, int | str | list[str]] = {"name": one.text, "same": two.text}
    numbers["real"] = one.told or two.told
    if len(one.real.parts) == len(two.real.parts):
        return _told(one, two, numbers, "")
    numbers["link"] = one.text if one.told else two.text
    return _told(one, two, numbers, "inside")


def _case(one: Name, two: Name, name: str, same: str) -> Finding:
    return _told(one, two, {"name": name, "same": same}, "case")


def _told(one: Name, two: Name, numbers: dict[str, int | str | list[str]], variant: str) -> Finding:
    return Finding("LW207", _tasks((one, two)), (), numbers, variant, Severity.WARNING)


def _tasks(names: Iterable[Name]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(task for name in names for task in name.tasks))
