"""Order derived from reads and writes, and what is told of it (LW103, LW106, LW201, LW206)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct, field

from leaseway.core.model.accesses import places_of
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.paths import Place, place
from leaseway.core.model.plan import EdgeKind, Limits, PlanSpec, TaskSpec
from leaseway.core.scan.graph import Above
from leaseway.core.scan.hazards import NOBODY, Accesses, Hazard

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


def is_unknown(task: TaskSpec) -> bool:
    """Whether nothing was said of what the task touches."""
    return task.reads is None and task.writes is None and not task.parallel


def written(task: TaskSpec) -> tuple[str, ...]:
    """What a task writes: what it says, and what it is to bring back."""
    return (*(task.writes or ()), *task.outputs) if task.outputs else task.writes or ()


def derive(plan: PlanSpec, derived: Derived) -> Derived:
    """Fills `derived`: one walk over all accesses, reads of a task before its writes."""
    accesses = Accesses()
    alone = Alone(derived)
    places: dict[tuple[str, str, str], tuple[Place, ...]] = {}
    for position, at in enumerate(derived.positions):
        task = plan.tasks[at]
        base = task.workdir or plan.workdir or ""
        for texts, touch in ((task.reads or (), accesses.read), (written(task), accesses.write)):
            for text in texts:
                key = (base, text, task.same_as.get(text, ""))
                if key not in places:
                    places[key] = places_of(task, text, base)
                for where in places[key]:
                    derived.take(at, touch(where, position), text)
        alone.next(task, position)
        too_much = _too_much(plan, derived, accesses.looked)
        if too_much is not None:
            derived.pairs.clear()
            derived.findings = [too_much]
            return derived
    derived.findings += _told(plan, derived)
    if plan.workspace is None:
        derived.findings += _unknown(plan, derived.unknown_serialises)
    else:
        derived.findings += _unknown_in_views(plan)
    return derived


class Alone:
    """Tasks of which nothing is known, each ordered against everything that touches something.
    They never hide a known writer: a reader still depends on who wrote what it reads."""

    def __init__(self, derived: Derived) -> None:
        self.derived = derived
        self.last = NOBODY
        self.since: list[int] = []

    def next(self, task: TaskSpec, position: int) -> None:
        """The next task in order."""
        if not self.derived.unknown_serialises:
            return
        unknown = is_unknown(task)
        if not unknown and not task.reads and not written(task):
            return
        others = [*self.since, self.last] if unknown else [self.last]
        waits = [(other, EdgeKind.UNKNOWN) for other in others if other != NOBODY]
        self.derived.take(self.derived.positions[position], waits, ".")
        if unknown:
            self.last, self.since = position, []
        else:
            self.since.append(position)


def _too_much(plan: PlanSpec, derived: Derived, looked: int) -> Finding | None:
    """Whether the plan has outgrown what is derived for one plan (LW902)."""
    if looked > LOOKS:
        return Finding("LW902", numbers={"cap": LOOKS}, variant="accesses")
    if len(derived.pairs) > derived.limits.edges:
        numbers: dict[str, int | str | list[str]] = {
            "have": len(derived.pairs),
            "cap": derived.limits.edges,
        }
        return Finding("LW902", numbers=numbers, variant="edges")
    return None


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


def _unknown(plan: PlanSpec, serialises: bool) -> list[Finding]:
    """One finding that names every task of which nothing is known; of one task alone nothing."""
    names = tuple(task.name for task in plan.tasks if is_unknown(task))
    if not names or len(plan.tasks) == 1:
        return []
    return [Finding("LW206", names, (), {}, "" if serialises else "told", Severity.WARNING)]


def _unknown_in_views(plan: PlanSpec) -> list[Finding]:
    """In views of their own they may run side by side, and meet when results are brought back."""
    names = tuple(task.name for task in plan.tasks if is_unknown(task))
    if not names or len(plan.tasks) == 1:
        return []
    return [Finding("LW206", names, (), {}, "in-views", Severity.WARNING)]
