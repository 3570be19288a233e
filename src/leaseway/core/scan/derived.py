"""Order derived from reads and writes, and what is told of it (LW103, LW106, LW201, LW206)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct, field

from leaseway.core.model.accesses import is_unknown
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.paths import Place, place
from leaseway.core.model.plan import EdgeKind, Limits, PlanSpec
from leaseway.core.scan.graph import Above
from leaseway.core.scan.hazards import NOBODY, Accesses, Hazard, Lone
from leaseway.core.scan.touched import Touched

LOOKS = 2_000_000
"""So much is compared at most (`hazards.PATTERN` for a pattern, 1 for what has none); a plan that
needs more is refused."""
TOLD = 1_000
"""So many derived orders are told one by one, the rest as a number."""

_STRENGTH = {
    EdgeKind.READ_AFTER_WRITE: 0,
    EdgeKind.WRITE_AFTER_WRITE: 1,
    EdgeKind.WRITE_AFTER_READ: 2,
    EdgeKind.UNKNOWN: 3,
}
_CODES = {
    EdgeKind.READ_AFTER_WRITE: ("LW103", ""),
    EdgeKind.WRITE_AFTER_READ: ("LW103", "write-after-read"),
    EdgeKind.WRITE_AFTER_WRITE: ("LW201", ""),
}


class Derived(Struct):
    """What is derived, from the tasks in `positions` order. `above` are declared ancestors;
    `pairs` are (who waits, for whom) by index, with the strongest reason."""

    positions: Sequence[int]
    above: Above
    limits: Limits = Limits()
    unknown_serialises: bool = False
    pairs: dict[tuple[int, int], tuple[EdgeKind, str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def take(self, after: int, hazards: Iterable[Hazard], over: str) -> None:
        """Keeps what no need implies, the strongest reason of each pair."""
        for position, kind in hazards:
            before = self.positions[position]
            if self.above.has(after, before):
                continue
            held = self.pairs.get((after, before))
            if held is None or _STRENGTH[kind] < _STRENGTH[held[0]]:
                self.pairs[after, before] = (kind, over)


def derive(plan: PlanSpec, derived: Derived, touched: Touched) -> Derived:
    """Fills `derived`: one walk over all accesses, reads of a task before its writes."""
    walk = Walk(touched)
    unknown = [is_unknown(task) for task in plan.tasks]
    alone = Alone(derived) if derived.unknown_serialises and any(unknown) else None
    for position, at in enumerate(derived.positions):
        for hazards, over in walk.next(at, position):
            derived.take(at, hazards, over)
        if alone is not None:
            alone.next(position, unknown[at], bool(touched.reads[at] or touched.writes[at]))
        looked = walk.tree.looked + walk.lone.looked
        if looked > LOOKS or len(derived.pairs) > derived.limits.edges:
            derived.findings = [_too_much(derived, looked)]
            derived.pairs.clear()
            return derived
    derived.findings += _told(plan, derived)
    derived.findings += unknown_finding(plan, derived.unknown_serialises)
    return derived


class Walk:
    """Accesses met in order; most places meet nothing but themselves and need no tree."""

    def __init__(self, touched: Touched) -> None:
        self.touched = touched
        self.tree = Accesses()
        self.lone = Lone(len(touched.places))
        # by number of a text its place if that is all there is to look at, else -1
        self.only = [
            said.places[0] if len(said.places) == 1 and touched.lone[said.places[0]] else -1
            for said in touched.said
        ]

    def next(self, at: int, position: int) -> list[tuple[list[Hazard], str]]:
        """Whom the task of this index must wait for, with the text that says so."""
        touched, found = self.touched, []
        for number in touched.reads[at]:
            only = self.only[number]
            if only >= 0:
                if hazards := self.lone.read(only, position):
                    found.append((hazards, touched.said[number].text))
            else:
                found += self._each(number, position, self.lone.read, self.tree.read)
        for number in touched.writes[at]:
            found += self._each(number, position, self.lone.write, self.tree.write)
        return found

    def _each(
        self,
        number: int,
        position: int,
        lone: Callable[[int, int], list[Hazard]],
        tree: Callable[[Place, int], list[Hazard]],
    ) -> Iterator[tuple[list[Hazard], str]]:
        """The same for one text, place by place."""
        touched = self.touched
        for each in touched.said[number].places:
            if touched.lone[each]:
                hazards = lone(each, position)
            else:
                hazards = tree(touched.places[each], position)
            if hazards:
                yield hazards, touched.said[number].text


class Alone:
    """Tasks of which nothing is known, each ordered against everything that touches something.
    They never hide a known writer: a reader still depends on who wrote what it reads."""

    def __init__(self, derived: Derived) -> None:
        self.derived = derived
        self.last = NOBODY
        self.since: list[int] = []

    def next(self, position: int, unknown: bool, touches: bool) -> None:
        """The next task in order: whether nothing is known of it, and whether it says something."""
        if not unknown and not touches:
            return
        others = [*self.since, self.last] if unknown else [self.last]
        waits = [(other, EdgeKind.UNKNOWN) for other in others if other != NOBODY]
        if waits:
            self.derived.take(self.derived.positions[position], waits, ".")
        if unknown:
            self.last, self.since = position, []
        else:
            self.since.append(position)


def _too_much(derived: Derived, looked: int) -> Finding:
    """The plan has outgrown what is derived for one plan (LW902)."""
    if looked > LOOKS:
        return Finding("LW902", numbers={"cap": LOOKS}, variant="accesses")
    numbers: dict[str, int | str | list[str]] = {
        "have": len(derived.pairs),
        "cap": derived.limits.edges,
    }
    return Finding("LW902", numbers=numbers, variant="edges")


def _told(plan: PlanSpec, derived: Derived) -> list[Finding]:
    """One finding for each pair; where the source has no order to derive from, an error, and the
    pair is dropped."""
    pairs = sorted(
        pair for pair in derived.pairs.items() if pair[1][0] in _CODES or not plan.ordered
    )
    found = [
        _told_pair(plan, (plan.tasks[after].name, plan.tasks[before].name), kind, over)
        for (after, before), (kind, over) in pairs[:TOLD]
    ]
    if len(pairs) > TOLD:
        code = "LW103" if plan.ordered else "LW106"
        severity = Severity.WARNING if plan.ordered else Severity.ERROR
        found.append(Finding(code, (), (), {"count": len(pairs) - TOLD}, "more", severity))
    if not plan.ordered:
        derived.pairs.clear()
    return found


def _told_pair(plan: PlanSpec, names: tuple[str, str], kind: EdgeKind, over: str) -> Finding:
    if not plan.ordered:
        return Finding("LW106", names, numbers={"over": over})
    code, variant = _CODES[kind]
    if code == "LW201" and plan.workspace is not None and place(over).parts[0] == ".":
        code = "LW202"  # each in its own view
    return Finding(code, names, (), {"over": over}, variant, Severity.WARNING)


def unknown_finding(plan: PlanSpec, serialises: bool) -> list[Finding]:
    """Names every task of which nothing is known (LW206), unless it is alone in its plan. In views
    of their own they may run side by side, and meet when results are brought back."""
    names = tuple(task.name for task in plan.tasks if is_unknown(task))
    if not names or len(plan.tasks) < 2:
        return []
    variant = "in-views" if plan.workspace is not None else "" if serialises else "told"
    return [Finding("LW206", names, (), {}, variant, Severity.WARNING)]
