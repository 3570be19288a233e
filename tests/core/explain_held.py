"""What the oracle of `explain` starts from: everything set aside, held and open at a moment.

Summed up over all tasks of the view, moment by moment; see `tests.core.explain_oracle`.
"""

from __future__ import annotations

from fractions import Fraction

from leaseway.core.model.states import TaskState

NAMES = ("cpus", "memory", "gpus", "disk", "processes", "slots")
ENDLESS = 1 << 62
CHUNK = 60_000
RATE = Fraction(1, 1000)  # by which each of two clocks may be off


def over(task):
    return task.state is TaskState.ENDED and task.unconfirmed_until is None


def handed_back(history, name):
    """By worker: how often in a row it handed this task back by its own choice, and until when it
    is not asked again: 1 s after the first time, twice as long after each more, at most 60 s."""
    found: dict[str, tuple[int, int]] = {}
    worker, asked_for = "", False
    for stamped in history:
        said = stamped.event
        if getattr(said, "task", None) != name:
            continue
        match type(said).__name__:
            case "AttemptGranted":
                worker, asked_for = said.worker, False
            case "StopOrdered":
                asked_for = True
            case "AttemptReturned" if said.again_at:
                assert not asked_for
                count = found.get(worker, (0, 0))[0] + 1
                found[worker] = count, stamped.at + min(60_000, 1_000 * 2 ** (count - 1))
            case "AttemptMoved" if said.started_at is not None:
                found = {}
            case "AttemptEnded" if said.ending.kind.value != "unknown":
                found = {}
    return found


def holder_of(task):
    return task.attempt or (task.past[-1] if task.unconfirmed_until is not None else None)


def drift(guard, left):
    """What a worker counts too short in a window, as far as the clock error does not cover it."""
    if left is None or not guard.clock_error_ms:
        return 0
    counted = int(int(left / (1 + RATE)) * (1 - RATE))
    return max(0, left - counted - guard.clock_error_ms)


class Held:
    """One view at one moment, asked about one waiting task. `history`: how it came to be."""

    def __init__(self, view, task, now, history=()):
        self.view, self.task, self.now = view, task, now
        self.back = handed_back(history, task.id)
        self.tasks = list(view.facts.tasks.values())
        self.plan = view.facts.plans[task.plan]
        self.spec = task.spec
        self.receive = 0
        if self.plan.workspace is not None:
            size = self.plan.workspace.archive
            self.receive = 500 + size.bytes // 8_000 + size.files // 4
        self.own = task.reservation
        bounds = [each for each in (self.spec.estimate_ms, self.spec.limit_ms) if each is not None]
        self.need = None if self.spec.promise == "none" or not bounds else min(bounds)

    # What is so over time.

    def used_at(self, worker, moment, *, mine=False):
        """What is set aside on a worker at a moment, resource by resource."""
        there = [
            each.spec.uses.vector()
            for each in self.tasks
            if each.reservation is not None
            and each.reservation.worker == worker
            and each.reservation.start <= moment < each.reservation.end
            and (mine or each.id != self.task.id)
        ]
        return [sum(column) for column in zip(*there, strict=True)] or [0] * 6

    def sharers_at(self, belongs, moment):
        return sum(
            1
            for each in self.tasks
            if each.id != self.task.id
            and belongs(each)
            and each.reservation is not None
            and each.reservation.start <= moment < each.reservation.end
        )

    def changes(self, start, end):
        """Every moment in [start, end) at which more may be set aside than before."""
        starts = [each.reservation.start for each in self.tasks if each.reservation is not None]
        starts += [self.own.end] if self.own is not None else []
        return sorted({start, *(each for each in starts if start < each < end)})

    def mine_at(self, moment):
        """Whether its own place covers this moment: what lies there is its own room."""
        return self.own is not None and self.own.start <= moment < self.own.end

    def shared(self):
        """Tokens and the lanes of its plan: who belongs to each, and how many may."""
        for token in self.spec.holds:
            yield token, (lambda each, token=token: token in each.spec.holds), 1
        most = self.plan.boundaries.max_parallel
        if most is not None:
            yield "", (lambda each: each.plan == self.task.plan), most

    def lanes(self):
        return sum(1 for each in self.tasks if each.plan == self.plan.id and holder_of(each))

    def ready(self):
        edges = [self.view.facts.tasks.get(edge.before) for edge in self.task.edges]
        return all(before is None or over(before) for before in edges)

    def chosen(self, lease):
        return self.own is not None and self.own.worker == lease.worker

    def due(self, lease):
        return self.chosen(lease) and self.own.start <= self.now

    def lefts(self, lease):
        """What is left of every window that has not closed; None: without an end."""
        for window in lease.terms.windows:
            if window.closes_at is None:
                yield None
            elif window.closes_at > self.now:
                yield window.closes_at - max(self.now, window.opens_at)

    def asked_and_total(self, lease):
        return list(zip(self.spec.uses.vector(), lease.terms.capacity.vector(), strict=True))

    def opened(self, lease):
        return [
            window
            for window in lease.terms.windows
            if window.opens_at <= self.now
            and (window.closes_at is None or window.closes_at > self.now)
        ]

    def left_now(self, lease):
        """0: no window is open now; None: no end was set."""
        ends = [window.closes_at for window in self.opened(lease)]
        return None if None in ends else max((end - self.now for end in ends), default=0)

    def best_effort_ms(self, lease):
        bounds = [CHUNK, self.spec.limit_ms, lease.terms.max_run_ms]
        left = self.left_now(lease)
        bounds.append(None if left is None else self.left_for_all(lease, left))
        return min(each for each in bounds if each is not None)

    def left_for_all(self, lease, left):
        guard = lease.terms.guard
        return left - guard.total_ms - drift(guard, left) - self.receive

    def length(self, lease):
        """What would be set aside for it if it started here now; None: nothing at all."""
        guard = lease.terms.guard
        around = guard.delivery_ms + guard.stop_grace_ms + guard.kill_ms + self.receive
        if self.chosen(lease):
            return self.own.end - self.own.start
        if self.need is not None:
            return self.need + around
        chunk = self.best_effort_ms(lease)
        return chunk + around if chunk > 0 else None

    def granted_at(self, name):
        """What granted and running attempts, and those that may still run, take."""
        there = [
            each.spec.uses.vector()
            for each in self.tasks
            if (holder := holder_of(each)) is not None and holder.worker == name
        ]
        return [sum(column) for column in zip(*there, strict=True)] or [0] * 6

    def is_held(self, token):
        return any(token in each.spec.holds and holder_of(each) for each in self.tasks)
