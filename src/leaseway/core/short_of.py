"""What a task finds too little of, now or for as long as it would run: capacity, tokens, lanes."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from leaseway.core.admission.room import ONE, Room, Wanted
from leaseway.core.model.capacity import RESOURCES, UNLIMITED, Vector, without_cpus
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.profile import Profile
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Lease, Task, View

Numbers = dict[str, int | str | list[str]]
_NONE = (0,) * len(RESOURCES)
_NAMED = 3  # of those that were promised it before


class Stretch(Struct, frozen=True):
    """The time that a start now would take, without what is set aside for the task itself."""

    parts: tuple[tuple[Instant, Instant], ...]

    def used(self, profile: Profile) -> list[tuple[Instant, tuple[int, ...]]]:
        """What is set aside within it, step by step in order of time."""
        steps = profile.steps()
        ends = [moment for moment, _ in steps[1:]]
        return [
            (max(begin, start), used)
            for start, end in self.parts
            for (begin, used), until in zip(steps, [*ends, None], strict=True)
            if start < end and begin < end and (until is None or until > start)
        ]


def asked_of(task: Task, lease: Lease) -> Vector:
    """What must be free for it: not the cpus where they are shared."""
    asked = task.spec.uses.vector()
    return without_cpus(asked) if lease.terms.shares else asked


def short_now(view: View, task: Task, lease: Lease) -> Iterator[Finding]:
    """Asked, free and total of each resource that granted and running attempts leave too little
    of. What asks more than there is at all is told by its gate."""
    taken = view.index.used.get(lease.worker, _NONE)
    offered = lease.terms.capacity.vector()
    for resource, asked, used, total in zip(
        RESOURCES, asked_of(task, lease), taken, offered, strict=True
    ):
        if total - used < asked <= total < UNLIMITED:
            yield _note("LW723", task, lease, _amounts(resource, asked, total - used, total))


def short_later(view: View, task: Task, lease: Lease, stretch: Stretch) -> Iterator[Finding]:
    """What is free now and was promised to others before this task could end."""
    taken = view.index.used.get(lease.worker, _NONE)
    offered = lease.terms.capacity.vector()
    steps = stretch.used(view.index.profiles.get(lease.worker) or Profile())
    for at, (resource, asked) in enumerate(zip(RESOURCES, asked_of(task, lease), strict=True)):
        total = offered[at]
        if asked > total - taken[at] or total >= UNLIMITED:
            continue
        least = min((total - used[at] for _, used in steps), default=total)
        if least >= asked:
            continue
        moment = next(begin for begin, used in steps if asked > total - used[at])
        numbers = _amounts(resource, asked, least, total)
        numbers |= {"start_at": moment, "before": _there(view, task, lease, moment)}
        yield _note("LW723", task, lease, numbers, "promised")


def _there(view: View, task: Task, lease: Lease, moment: Instant) -> list[str]:
    """The first of those that have their place on this worker at this moment."""
    found: list[str] = []
    for start, _, name in view.index.outstanding.get(lease.worker, ()):
        place = view.facts.tasks[name].reservation
        if start > moment or len(found) == _NAMED:
            break
        if name != task.id and place is not None and place.end > moment:
            found.append(name)
    return found


def short_shared(
    view: View, task: Task, lease: Lease, stretch: Stretch, room: Room, asked: Wanted
) -> Iterator[Finding]:
    """Tokens and lanes of its plan that are free now and promised before this task could end."""
    names = [*task.spec.holds, *([""] if asked.boundaries.max_parallel is not None else [])]
    for name, (profile, most) in zip(names, room.shared(asked), strict=True):
        steps = stretch.used(profile)
        moment = next((begin for begin, used in steps if used[0] + ONE[0] > most[0]), None)
        if moment is None:
            continue
        if name and name not in view.index.tokens:
            yield _note("LW722", task, lease, {"name": name, "start_at": moment}, "promised")
        if not name and view.index.active_of_plan.get(task.plan, 0) < most[0]:
            yield _note("LW726", task, lease, {"cap": most[0], "start_at": moment}, "promised")


def _amounts(resource: str, asked: int, free: int, total: int) -> Numbers:
    stem, _, unit = resource.partition("_")
    end = f"_{unit}" if unit else ""
    return {
        "resource": stem,
        f"need{end}": asked,
        f"free{end}": max(0, free),
        f"cap{end}": total,
    }


def _note(code: str, task: Task, lease: Lease, numbers: Numbers, variant: str = "") -> Finding:
    return Finding(
        code=code,
        tasks=(task.id,),
        workers=(lease.worker,),
        numbers=numbers,
        variant=variant,
        severity=Severity.NOTE,
    )
