"""How soon it can be over at best: lower bounds of a makespan (`admission.md` section 7.1).

The longest path through what waits for what; for each resource the work in it over what all
machines offer of it while they are open; for each token, and for the plan's own lanes, the sum of
what needs them. Each holds for any placement, so a makespan between bound and bound + gap is near.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from leaseway.core.model.capacity import RESOURCES, UNLIMITED
from leaseway.core.model.units import Millis
from leaseway.core.scan.problem import NEVER, Machine, Problem

PATH = "longest path"
LANES = "max_parallel"


def bounds(problem: Problem, order: Sequence[int], counted: Sequence[bool]) -> dict[str, Millis]:
    """By what bounds it, the earliest end of the tasks that `counted` marks; predecessors of those
    must be marked too. `order`: predecessors first."""
    least = [kind.least or 0 for kind in problem.kinds]
    amounts = [0] * len(least)
    for at, is_counted in enumerate(counted):
        amounts[problem.kind_of[at]] += is_counted
    found = {PATH: _path(problem, order, counted, least)}
    for column, resource in enumerate(RESOURCES):
        work = sum(
            kind.uses[column] * length * count
            for kind, length, count in zip(problem.kinds, least, amounts, strict=True)
        )
        if work:
            found[resource.partition("_")[0]] = _supplied(problem.machines, column, work)
    held: dict[str, Millis] = {}
    for kind, length, count in zip(problem.kinds, least, amounts, strict=True):
        for token in kind.holds if count else ():
            held[token] = held.get(token, 0) + length * count
    found |= {f"token {token}": length for token, length in held.items()}
    if problem.most is not None:
        whole = sum(length * count for length, count in zip(least, amounts, strict=True))
        found[LANES] = -(-whole // problem.most) if problem.most else 0
    return {name: length for name, length in found.items() if length or name == PATH}


def strongest(found: Mapping[str, Millis]) -> Millis:
    """The bound: the largest of all."""
    return max(found.values(), default=0)


def _path(
    problem: Problem, order: Sequence[int], counted: Sequence[bool], least: Sequence[Millis]
) -> Millis:
    opens = min((start for each in problem.machines for start, _ in each.windows[:1]), default=0)
    ends = [opens] * len(counted)
    for at in order:
        if counted[at]:
            begin = opens
            for source in problem.sources[at]:
                if ends[source] > begin:
                    begin = ends[source]
            ends[at] = begin + least[problem.kind_of[at]]
    return max(
        (end for end, is_counted in zip(ends, counted, strict=True) if is_counted), default=0
    )


def _supplied(machines: Sequence[Machine], column: int, work: int) -> Millis:
    """When all machines together have supplied so much of one resource, each from its opening to
    its end; 0: one of them has no bound."""
    changes: dict[Millis, int] = {}
    for machine in machines:
        amount = machine.capacity[column]
        if amount >= UNLIMITED:
            return 0
        for opens, ends in machine.windows:
            if ends > opens:
                changes[opens] = changes.get(opens, 0) + amount
                if ends < NEVER:
                    changes[ends] = changes.get(ends, 0) - amount
    rate = done = since = 0
    for moment in sorted(changes):
        if done + rate * (moment - since) >= work:
            break
        done += rate * (moment - since)
        rate, since = rate + changes[moment], moment
    return since - (done - work) // rate if rate > 0 else 0
