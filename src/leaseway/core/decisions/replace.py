"""Re-placement: a waiting task whose room went away is placed anew, in promise order.

New end not later than the promise: a silent move (LW307). Later: the promise is withdrawn with its
cause (LW605) and, as the task says, it waits under a new one or ends. Followers whose start no
longer lies behind it are placed anew with it.
"""

from __future__ import annotations

from heapq import heappop, heappush

from leaseway.core.admission.gates import reserved_ms
from leaseway.core.admission.place import place
from leaseway.core.admission.room import Placed, Room, wanted
from leaseway.core.conflicts import descendants
from leaseway.core.model import events as ev
from leaseway.core.model.commands import Role
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.outcomes import Outcome, OutcomeKind
from leaseway.core.model.plan import EdgeKind
from leaseway.core.model.states import TaskState
from leaseway.core.model.units import Instant
from leaseway.core.model.view import Task, View


class Replacing:
    """One pass of re-placement over a pool. `room` sees what this pass has already moved."""

    def __init__(self, view: View, now: Instant) -> None:
        self.view = view
        self.now = now
        self.room = Room(view, now)
        self.ends: dict[str, Instant | None] = {}  # new end of what was moved here
        self.lifted: set[str] = set()  # their old places count no more

    def move(
        self, tasks: list[Task], cause: Finding, avoid: tuple[str, ...] = ()
    ) -> list[ev.Event]:
        """Place these waiting tasks anew, and whoever waits behind them and is now too early."""
        waiting = [(task.seq, task.id) for task in tasks if task.state is TaskState.WAITING]
        queue: list[tuple[int, str]] = []
        for entry in sorted(waiting):
            heappush(queue, entry)
        for _, name in waiting:
            self._lift(self.view.facts.tasks[name])
        seen = {name for _, name in waiting}
        events: list[ev.Event] = []
        while queue:
            _, name = heappop(queue)
            task = self.view.facts.tasks[name]
            event = self._one(task, cause, avoid)
            events.append(event)
            for follower in self._too_early(task, event):
                if follower.id not in seen:
                    seen.add(follower.id)
                    self._lift(follower)
                    heappush(queue, (follower.seq, follower.id))
        return events

    def again(self, task: Task) -> ev.Event | None:
        """Place a ready task that has no reservation, or None while there is no room; the first
        time that this is so, its promise is withdrawn."""
        found = self._place(task, ())
        if isinstance(found, list):
            return self._withdrawn(task, found)
        at, conflicts = found.rectangle, found.conflicts
        cause = task.moved or Finding(
            code="LW307", tasks=(task.id,), severity=Severity.NOTE, variant="delayed"
        )
        if task.promise is not None and at.end > task.promise:
            if self._rather_ends(task):
                told = _told(cause, task, {"old_at": task.promise, "new_at": at.end})
                return ev.TaskEnded(task.id, Outcome(OutcomeKind.REFUSED, told, self.now))
            return ev.PromiseWithdrawn(task.id, cause, task.promise, at.end, at, conflicts)
        return ev.TaskReserved(task.id, at, task.promise or at.end, cause, conflicts)

    def _withdrawn(self, task: Task, why: list[Finding]) -> ev.Event | None:
        if task.promise is None:
            return None
        worker = task.past[-1].worker if task.past else ""
        late = Finding(code="LW605", workers=(worker,) if worker else (), variant="lost")
        cause = task.moved if task.moved is not None and task.moved.code == "LW605" else late
        return self._without_room(task, cause, why, task.promise)

    def _lift(self, task: Task) -> None:
        self.lifted.add(task.id)
        if task.reservation is not None:
            self.room.remove(wanted(self.view, task, self.now), task.reservation)

    def _place(self, task: Task, avoid: tuple[str, ...]) -> Placed | list[Finding]:
        ready = self._ready(task)
        if ready is None:
            return []
        skip = frozenset(self.lifted | descendants(self.view, task.id) | {task.id})
        return place(self.room, wanted(self.view, task, ready, avoid, skip))

    def _ready(self, task: Task) -> Instant | None:
        """When its open predecessors end; None behind one that has no end to name."""
        ready = self.now
        for edge in task.edges:
            before = self.view.facts.tasks.get(edge.before)
            if before is None or before.over:
                continue
            if edge.kind is EdgeKind.CONFLICT:
                continue  # made anew with the place
            end = self.ends.get(edge.before, before.free_at)
            if end is None:
                return None
            ready = max(ready, end)
        return ready

    def _one(self, task: Task, cause: Finding, avoid: tuple[str, ...]) -> ev.Event:
        found = self._place(task, avoid) if reserved_ms(task.spec) is not None else []
        old = task.promise or self.now
        if isinstance(found, list):
            self.ends[task.id] = None
            return self._without_room(task, cause, found, old)
        at, conflicts = found.rectangle, found.conflicts
        later = task.promise is not None and at.end > task.promise
        if later and self._rather_ends(task):
            self.ends[task.id] = None
            told = _told(cause, task, {"old_at": old, "new_at": at.end})
            return ev.TaskEnded(task.id, Outcome(OutcomeKind.REFUSED, told, self.now))
        self.room.add(wanted(self.view, task, self.now), at)
        self.ends[task.id] = at.end
        if later:
            told = _told(cause, task, {"old_at": old, "new_at": at.end})
            return ev.PromiseWithdrawn(task.id, told, old, at.end, at, conflicts)
        was = task.reservation.worker if task.reservation else ""
        moved = Finding(
            code="LW307",
            tasks=(task.id,),
            workers=(at.worker,),
            variant="moved" if was and was != at.worker else "delayed",
            numbers={
                "old_worker": was,
                "old_at": task.reservation.start if task.reservation else self.now,
                "new_at": at.start,
                "promise_at": old,
            },
            severity=Severity.NOTE,
        )
        return ev.TaskReserved(task.id, at, task.promise or at.end, moved, conflicts)

    def _without_room(
        self, task: Task, cause: Finding, why: list[Finding], old: Instant
    ) -> ev.Event:
        """Nowhere to go now: wait without a promise, or end, as the task says."""
        told = _told(cause, task, {"old_at": old})
        if self._rather_ends(task):
            return ev.TaskEnded(task.id, Outcome(OutcomeKind.REFUSED, told, self.now))
        return ev.PromiseWithdrawn(task.id, told, old)

    def _rather_ends(self, task: Task) -> bool:
        """What the task says of a promise that cannot be kept: people wait, agents end, unless
        it says otherwise."""
        role = self.view.facts.plans[task.plan].role
        return task.spec.on_withdrawn == "end" or (
            task.spec.on_withdrawn is None and role == Role.AGENT
        )

    def _too_early(self, task: Task, event: ev.Event) -> list[Task]:
        """Waiting followers that were promised to start before this one's new end."""
        end = self.ends.get(task.id)
        found: list[Task] = []
        if isinstance(event, ev.TaskEnded):
            return found
        for name in self.view.index.followers.get(task.id, ()):
            follower = self.view.facts.tasks[name]
            rectangle = follower.reservation
            if follower.state is not TaskState.WAITING or rectangle is None:
                continue
            if end is None or rectangle.start < end:
                found.append(follower)
        return found


def _told(cause: Finding, task: Task, numbers: dict[str, int]) -> Finding:
    return Finding(
        code="LW605",
        tasks=(task.id,),
        workers=cause.workers,
        numbers={**cause.numbers, **numbers},
        variant=cause.variant,
        severity=Severity.WARNING,
    )
