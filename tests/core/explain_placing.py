"""Where the oracle of `explain` would place a task anew: conflicts, shares, the earliest start.

Every start is tried at which anything changes; see `tests.core.explain_oracle`.
"""

from __future__ import annotations

from leaseway.core.model.states import TaskState
from leaseway.core.model.view import Task
from tests.core.explain_held import Held, drift, holder_of


class Placing(Held):
    """One waiting task, placed on a worker anew by trying every start."""

    # Conflicts with tasks of other plans.

    def behind(self):
        """Everything that waits for this task, however far."""
        found, grew = {self.task.id}, True
        while grew:
            more = {
                each.id
                for each in self.tasks
                if each.state is TaskState.WAITING
                and any(edge.before in found for edge in each.edges)
            }
            grew = not more <= found
            found |= more
        return found

    def met(self, lease):
        """Tasks with a place on this machine that touch what this one touches."""
        machine, behind = lease.machine_id, self.behind()
        return [
            each
            for each in self.tasks
            if each.reservation is not None
            and each.id not in behind
            and self.view.facts.leases[each.reservation.worker].machine_id == machine
            and self.conflict(each)
        ]

    def conflict(self, other):
        mine, theirs = set(self.spec.writes or ()), set(other.spec.writes or ())
        touched = theirs | set(other.spec.reads or ())
        return bool(mine & touched or set(self.spec.reads or ()) & theirs)

    def conflicts(self, lease):
        if self.chosen(lease):
            named = [edge.before for edge in self.task.edges if edge.kind.value == "conflict"]
            ended = TaskState.ENDED
            named = [each for each in named if self.view.facts.tasks[each].state is not ended]
        else:
            named = [each.id for each in self.last_met(lease)]
        return {("LW721", "conflict", each) for each in named}

    def last_met(self, lease):
        """Of those met, per path, the last writer and whoever came after it; what its own plan
        orders stands before it by that order."""
        found: dict[str, Task] = {}
        for path in {*(self.spec.writes or ()), *(self.spec.reads or ())}:
            writes = path in (self.spec.writes or ())
            there = [
                each
                for each in self.met(lease)
                if path in (each.spec.writes or ()) or (writes and path in (each.spec.reads or ()))
            ]
            writers = [each for each in there if path in (each.spec.writes or ())]
            since = max((each.placed for each in writers if not each.newer), default=-1)
            found |= {each.id: each for each in there if each.placed >= since}
        return [each for each in found.values() if each.plan != self.task.plan]

    # Placing it here anew.

    def anew(self, lease, gates):
        found = set()
        share = self.share(lease)
        if share is not None:
            found.add(share)
        after = self.not_before(lease)
        if after > self.now:
            found.add(("LW723", "ahead", after))
        if self.own is None and not gates and share is None and self.ready():
            behind = self.no_place(lease)
            if behind is not None:
                found.add(behind)
        return found

    def share(self, lease):
        percent = lease.terms.share.get(self.plan.role)
        if percent is None:
            return None
        lefts = list(self.lefts(lease))
        left = 86_400_000 if None in lefts else max(lefts, default=0)
        cap = left * (lease.terms.capacity.slots or 1) * percent // 100
        held = sum(
            each.reservation.reserved_ms
            for each in self.tasks
            if each.reservation is not None
            and each.reservation.worker == lease.worker
            and self.view.facts.plans[each.plan].role == self.plan.role
        )
        short = held + self.need - cap
        return ("LW311", "", held, cap, self.need, short) if short > 0 else None

    def not_before(self, lease):
        ahead = [
            each
            for each in self.tasks
            if each.attempt is not None
            and each.attempt.started_at is None
            and each.reservation.start > self.now
        ]
        where = {lease.worker}
        where |= {
            holder_of(each).worker
            for each in self.tasks
            if holder_of(each) and set(self.spec.holds) & set(each.spec.holds)
        }
        lanes = self.plan.boundaries.max_parallel is not None
        starts = [
            each.reservation.start
            for each in ahead
            if each.attempt.worker in where or (lanes and each.plan == self.task.plan)
        ]
        starts += [
            each.unconfirmed_until
            for each in self.tasks
            if each.unconfirmed_until is not None and set(self.spec.holds) & set(each.spec.holds)
        ]
        return max(starts, default=0)

    def no_place(self, lease):
        """The first start that capacity and all it shares allow, in each window; None: one fits."""
        length = self.length(lease)
        ends = [
            max(each.reservation.end, each.unconfirmed_until or 0) for each in self.last_met(lease)
        ]
        paused = self.back.get(lease.worker, (0, 0))[1]
        ready = max([self.now, self.not_before(lease), paused, *ends])
        told = None
        for window in sorted(lease.terms.windows, key=lambda each: each.opens_at):
            if window.closes_at is not None and window.closes_at <= self.now:
                continue
            start = self.first(lease, max(ready, window.opens_at), length)
            guard, left = lease.terms.guard, None
            if window.closes_at is not None:
                left = window.closes_at - max(self.now, window.opens_at)
            end = start + length + guard.clock_error_ms + drift(guard, left)
            if window.closes_at is None or end <= window.closes_at:
                return None
            late = start - max(self.now, window.opens_at)
            have = max(0, self.left_for_all(lease, left) - late)
            told = ("LW303", "", self.need, start, window.closes_at, have, self.need - have)
        return told

    def first(self, lease, ready, length):
        ends = [each.reservation.end for each in self.tasks if each.reservation is not None]
        for start in sorted({ready, *(end for end in ends if end > ready)}):
            moments = self.changes(start, start + length)
            roomy = all(
                asked + used <= total
                for each in moments
                for (asked, total), used in zip(
                    self.asked_and_total(lease), self.used_at(lease.worker, each), strict=True
                )
            )
            if roomy and all(
                self.sharers_at(belongs, each) < most
                for _, belongs, most in self.shared()
                for each in moments
            ):
                return start
        raise AssertionError("the last end leaves everything free")
