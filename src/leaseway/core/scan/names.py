"""The nearest known names, and names that nobody knows (LW404)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import islice

from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Terms
from leaseway.core.model.plan import PlanSpec

OFFERED = 3
FIRST = 8
"""So many names are offered where none is near."""
CLOSE = 0.6
LOOKED = 400
"""So many candidates are compared letter by letter at most."""
TRIES = 20
"""So many unknown names are looked up in one set; after that none are offered."""
LONG = 200
"""Names longer than this are not compared."""


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """The known names most like `name`, best first; none where none is close.

    Cheap for many: letters held in common pick the candidates, difflib ranks those.
    """
    return Known(known).nearest(name)


def offering(name: str, known: Iterable[str]) -> dict[str, int | str | list[str]]:
    """Numbers of LW404: the nearest names, and where none is near the first few that there are."""
    names = list(known)
    return numbers_of(name, nearest(name, names), names)


def numbers_of(
    name: str, near: list[str], known: Iterable[str]
) -> dict[str, int | str | list[str]]:
    """The same from what was looked up before."""
    numbers: dict[str, int | str | list[str]] = {"name": name, "nearest": near}
    return numbers if near else {**numbers, "offered": list(islice(known, FIRST))}


class Known:
    """A set of names to look others up in, at a bounded cost for any number of look-ups."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = [name for name in names if len(name) <= LONG]
        self._pairs: list[frozenset[str]] | None = None
        self._left = TRIES

    def nearest(self, name: str) -> list[str]:
        """As `nearest` of this module; empty after `TRIES` look-ups."""
        if not self._left or len(name) > LONG:
            return []
        self._left -= 1
        matcher = SequenceMatcher(autojunk=False)
        matcher.set_seq2(name.casefold())
        scored = []
        for other in self._likely(name):
            matcher.set_seq1(other.casefold())
            if matcher.real_quick_ratio() >= CLOSE and matcher.quick_ratio() >= CLOSE:
                scored.append((matcher.ratio(), other))
        close = [pair for pair in scored if pair[0] >= CLOSE]
        return [other for _, other in sorted(close, key=lambda pair: (-pair[0], pair[1]))[:OFFERED]]

    def _likely(self, name: str) -> list[str]:
        """Those that share most pairs of neighbouring letters with `name`."""
        if len(self._names) <= LOOKED:
            return self._names
        if self._pairs is None:
            self._pairs = [_pairs(other) for other in self._names]
        mine = _pairs(name)
        shared = (len(mine & theirs) * 2 - len(theirs) for theirs in self._pairs)
        best = nlargest(LOOKED, zip(shared, self._names, strict=True))
        return [other for _, other in best]


def _pairs(name: str) -> frozenset[str]:
    """Pairs of neighbouring letters, with the start marked."""
    lowered = " " + name.casefold()
    return frozenset(lowered[at : at + 2] for at in range(len(lowered) - 1))


def unknown_names(
    plan: PlanSpec, leases: dict[str, Terms], tokens: Iterable[str] = ()
) -> Iterator[Finding]:
    """Workers, tokens, labels and tools that no lease knows. `tokens` are the policy's own."""
    terms = leases.values()
    known = {
        "worker": set(leases),
        "token": {name for lease in terms for name in lease.tokens} | set(tokens),
        "label": {name for lease in terms for name in lease.labels},
        "tool": {name for lease in terms for name in lease.tools},
    }
    asked: dict[tuple[str, str], list[str]] = {}
    for name in (*plan.workers, *plan.not_on):
        asked.setdefault(("worker", name), [])
    for task in plan.tasks:
        for kind, names in (
            ("token", task.holds),
            ("label", task.on.labels),
            ("tool", task.on.tools),
        ):
            for name in names:
                asked.setdefault((kind, name), []).append(task.name)
    sets = {kind: Known(sorted(names)) for kind, names in known.items()}
    for (kind, name), tasks in asked.items():
        if name not in known[kind]:
            numbers = numbers_of(name, sets[kind].nearest(name), sorted(known[kind]))
            yield Finding("LW404", tuple(dict.fromkeys(tasks)), numbers=numbers, variant=kind)
