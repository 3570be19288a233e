"""Order from what was inferred of commands (LW204). It only waits: it is never an error, skips
nobody, and makes nothing known of a task that declares nothing (LW206)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from leaseway.core.model.accesses import inferred_of, is_unknown, places_of
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.inferred import Inferred
from leaseway.core.model.paths import Place, meet
from leaseway.core.model.plan import EdgeKind, PlanSpec
from leaseway.core.scan.derived import LOOKS, TOLD, Derived
from leaseway.core.scan.hazards import Accesses
from leaseway.core.scan.touched import written

Guesses = Mapping[int, Sequence[tuple[Inferred, Place]]]
"""By index of a task: what was inferred of it, and where that lies."""


SHOWN = 5
"""So many pieces that were not understood are shown."""


def add_inferred(plan: PlanSpec, derived: Derived) -> None:
    """Adds pairs of which at least one task is inferred to touch what both touch, and a finding for
    each. An order that is declared, or derived from what is declared, stays."""
    derived.findings += _unread(plan)
    guesses = guesses_of(plan)
    if not guesses or any(finding.code == "LW902" for finding in derived.findings):
        return
    found = _pairs(plan, derived, guesses)
    if found is None:
        told = Finding("LW204", (), (), {"cap": LOOKS}, "too-many", Severity.WARNING)
        derived.findings.append(told)
        return
    for pair, (over, _) in found.items():
        derived.pairs[pair] = (EdgeKind.INFERRED, over)
    told_pairs = sorted(found.items(), key=lambda each: each[0])
    derived.findings += [
        _told(plan, pair, over, where, guesses) for pair, (over, where) in told_pairs[:TOLD]
    ]
    if len(told_pairs) > TOLD:
        more: dict[str, int | str | list[str]] = {"count": len(told_pairs) - TOLD}
        derived.findings.append(Finding("LW204", (), (), more, "more", Severity.WARNING))


def _unread(plan: PlanSpec) -> list[Finding]:
    """One note for all tasks of which a piece of the command was not understood."""
    pieces = {
        task.name: each
        for task in plan.tasks
        if task.inferred and is_unknown(task)
        for each in task.inferred
        if not each.what
    }
    if not pieces:
        return []
    shown = [f"{name}: {each.text} ({each.rule})" for name, each in pieces.items()][:SHOWN]
    numbers: dict[str, int | str | list[str]] = {"count": len(pieces), "missing": shown}
    return [Finding("LW204", tuple(pieces), (), numbers, "unread", Severity.NOTE)]


def guesses_of(plan: PlanSpec) -> Guesses:
    """What was inferred of tasks that declare nothing."""
    in_view = plan.workspace is not None
    found = {
        at: inferred_of(task, task.workdir or plan.workdir, in_view=in_view)
        for at, task in enumerate(plan.tasks)
        if task.inferred
    }
    return {at: several for at, several in found.items() if several}


def _pairs(
    plan: PlanSpec, derived: Derived, guesses: Guesses
) -> dict[tuple[int, int], tuple[str, Place]] | None:
    """(who waits, for whom) → over what; None: too much to compare."""
    accesses = Accesses()
    found: dict[tuple[int, int], tuple[str, Place]] = {}
    for position, at in enumerate(derived.positions):
        for text, where, writes in _touched(plan, at, guesses):
            touch = accesses.write if writes else accesses.read
            for other, _ in touch(where, position):
                pair = (at, derived.positions[other])
                if _counts(derived, guesses, pair):
                    found.setdefault(pair, (text, where))
        have = len(found) + len(derived.pairs)
        if accesses.looked > LOOKS or have > derived.limits.edges:
            return None
    return found


def _counts(derived: Derived, guesses: Guesses, pair: tuple[int, int]) -> bool:
    """Whether one of the two is inferred, and nothing better than unknown puts them in order."""
    after, before = pair
    if after not in guesses and before not in guesses:
        return False
    if derived.above.has(after, before):
        return False
    return pair not in derived.pairs or derived.pairs[pair][0] is EdgeKind.UNKNOWN


def _touched(plan: PlanSpec, at: int, guesses: Guesses) -> Iterator[tuple[str, Place, bool]]:
    """What a task reads, then what it writes, declared or inferred."""
    task = plan.tasks[at]
    base = task.workdir or plan.workdir
    for writes in (False, True):
        for text in written(task) if writes else task.reads or ():
            for where in places_of(task, text, base):
                yield text, where, writes
        for said, where in guesses.get(at, ()):
            if said.writes is writes:
                yield said.what, where, writes


def _told(
    plan: PlanSpec, pair: tuple[int, int], over: str, where: Place, guesses: Guesses
) -> Finding:
    """Who waits for whom, over what, and the pieces of their commands that say so."""
    numbers: dict[str, int | str | list[str]] = {"over": over}
    for at, key in zip(pair, ("text", "other_text"), strict=True):
        pieces = (said.text for said, place in guesses.get(at, ()) if meet(place, where))
        if piece := next(pieces, ""):
            numbers[key] = piece
    names = tuple(plan.tasks[at].name for at in pair)
    return Finding("LW204", names, (), numbers, "", Severity.WARNING)
