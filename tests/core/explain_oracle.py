"""An oracle for `explain`: every worker is tried by brute force, from the facts of the view alone.

Nothing of `core.admission`, of the index or of its profiles is used: what is set aside at a moment
is summed up over all tasks, and a start is tried at every moment at which anything changes. Paths
here are literal and absolute, so two tasks conflict if they name the same one and one writes.
"""

from __future__ import annotations

from leaseway.core.model.states import LeaseState, TaskState

NAMES = ("cpus", "memory", "gpus", "disk", "processes", "slots")
ENDLESS = 1 << 62
CHUNK = 60_000


def over(task):
    return task.state is TaskState.ENDED and getattr(task, "unconfirmed_until", None) is None


def holder_of(task):
    return task.attempt or (
        task.past[-1] if getattr(task, "unconfirmed_until", None) is not None else None
    )


class Oracle:
    """One view at one moment, asked about one waiting task."""

    def __init__(self, view, task, now):
        self.view, self.task, self.now = view, task, now
        self.tasks = list(view.facts.tasks.values())
        self.plan = view.facts.plans[task.plan]
        self.spec = task.spec
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

    # What stands against it everywhere.

    def anywhere(self):
        found = set()
        by_id = self.view.facts.tasks
        for edge in self.task.edges:
            before = by_id.get(edge.before)
            if before is None or over(before):
                continue
            if before.state is TaskState.ENDED:
                found.add(("LW721", "unconfirmed", before.id))
            elif edge.kind.value != "conflict":
                found.add(("LW721", "", before.id))
        for token in self.spec.holds:
            for each in self.tasks:
                if token in each.spec.holds and holder_of(each) is not None:
                    kind = "" if each.attempt is not None else "unconfirmed"
                    found.add(("LW722", kind, token, each.id))
        most = self.plan.boundaries.max_parallel
        if most is not None and self.lanes() >= most:
            found.add(("LW726", "", most))
        return found

    def lanes(self):
        return sum(1 for each in self.tasks if each.plan == self.plan.id and holder_of(each))

    def ready(self):
        edges = [self.view.facts.tasks.get(edge.before) for edge in self.task.edges]
        return all(before is None or over(before) for before in edges)

    # One worker.

    def at(self, name):
        """Every reason that stands against this worker now."""
        lease = self.view.facts.leases[name]
        gates = self.gates(lease)
        found = self.willing(lease) | gates | self.conflicts(lease)
        found |= self.window(lease, gates) | self.short_now(lease)
        if self.due(lease):
            if self.now > self.own.start + lease.terms.guard.delivery_ms:
                found.add(("LW727", "passed", self.own.start))
            return found
        found |= self.promised(lease)
        if self.need is not None and not self.chosen(lease):
            found |= self.anew(lease, gates)
        return found

    def chosen(self, lease):
        return self.own is not None and self.own.worker == lease.worker

    def due(self, lease):
        return self.chosen(lease) and self.own.start <= self.now

    def willing(self, lease):
        found = set()
        if lease.state is not LeaseState.ACTIVE:
            found.add(("LW731", "", lease.state.value))
        heard = self.view.presence.heard.get(lease.worker)
        patience = self.view.settings.patience_ms
        if (
            heard is None
            or heard.at < self.view.presence.resumed_at
            or self.now > heard.at + patience
        ):
            found.add(("LW724", "", heard.at if heard else None))
        if not lease.ledger_accepted:
            found.add(("LW805", ""))
        bounds = self.plan.boundaries
        if bounds.workers and lease.worker not in bounds.workers:
            found.add(("LW734", ""))
        if lease.worker in bounds.not_on:
            found.add(("LW734", "not-on"))
        return found

    def lefts(self, lease):
        """What is left of every window that has not closed; None: without an end."""
        for window in lease.terms.windows:
            if window.closes_at is None:
                yield None
            elif window.closes_at > self.now:
                yield window.closes_at - max(self.now, window.opens_at)

    def gates(self, lease):
        found, terms = set(), lease.terms
        lefts = list(self.lefts(lease))
        longest = None if None in lefts else max(lefts, default=0)
        guard = terms.guard.total_ms
        if self.need is not None and terms.max_run_ms is not None and self.need > terms.max_run_ms:
            cap = terms.max_run_ms
            found.add(("LW301", "", self.need, cap, self.need - cap))
        if longest is not None and not self.due(lease):
            have = longest - guard
            if have <= 0:
                found.add(("LW309", "", longest, guard))
            elif self.need is not None and self.need > have:
                found.add(("LW302", "", self.need, have, self.need - have, longest))
        for at, (asked, total) in enumerate(self.asked_and_total(lease)):
            if asked > total:
                found.add(("LW401", "", NAMES[at], asked, total))
        missing = [each for each in self.spec.on.labels if each not in terms.labels]
        missing += [each for each in self.spec.on.tools if each not in terms.tools]
        if missing:
            found.add(("LW402", "", tuple(missing)))
        word = self.spec.run[0]
        if terms.scope.commands and word not in terms.scope.commands:
            found.add(("LW501", "", word))
        allowed = terms.scope.write
        outside = [
            path
            for path in self.spec.writes or ()
            if allowed and not any(path.startswith(f"{root}/") for root in allowed)
        ]
        if outside:
            found.add(("LW502", "", tuple(outside)))
        return found

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
        bounds.append(None if left is None else left - lease.terms.guard.total_ms)
        return min(each for each in bounds if each is not None)

    def length(self, lease):
        """What would be set aside for it if it started here now; None: nothing at all."""
        guard = lease.terms.guard
        around = guard.delivery_ms + guard.stop_grace_ms + guard.kill_ms
        if self.chosen(lease):
            return self.own.end - self.own.start
        if self.need is not None:
            return self.need + around
        chunk = self.best_effort_ms(lease)
        return chunk + around if chunk > 0 else None

    def window(self, lease, gates):
        left = self.left_now(lease)
        if not self.opened(lease):
            later = [w.opens_at for w in lease.terms.windows if w.opens_at > self.now]
            return {("LW725", "", min(later, default=None))}
        if left is None or self.due(lease) or any(key[0] in ("LW302", "LW309") for key in gates):
            return set()
        if self.need is None:
            chunk = self.best_effort_ms(lease)
            return {("LW725", "short", left, 1 - chunk)} if chunk <= 0 else set()
        asked = self.length(lease) + lease.terms.guard.clock_error_ms
        return {("LW725", "short", left, asked - left)} if asked > left else set()

    def granted_at(self, name):
        """What granted and running attempts, and those that may still run, take."""
        there = [
            each.spec.uses.vector()
            for each in self.tasks
            if (holder := holder_of(each)) is not None and holder.worker == name
        ]
        return [sum(column) for column in zip(*there, strict=True)] or [0] * 6

    def short_now(self, lease):
        taken = self.granted_at(lease.worker)
        found = set()
        for at, (asked, total) in enumerate(self.asked_and_total(lease)):
            if total < ENDLESS and asked <= total and asked + taken[at] > total:
                found.add(("LW723", "", NAMES[at], asked, max(0, total - taken[at]), total))
        if found:
            for each in self.tasks:
                if (
                    getattr(each, "unconfirmed_until", None) is not None
                    and each.past[-1].worker == lease.worker
                ):
                    found.add(("LW723", "unconfirmed", each.id))
        return found

    def promised(self, lease):
        """What is free now and was promised to others before it could end."""
        length = self.length(lease)
        if not self.opened(lease) or length is None:
            return set()
        found, end, taken = set(), self.now + length, self.granted_at(lease.worker)
        moments = self.changes(self.now, end)
        here = [each for each in moments if not (self.chosen(lease) and self.mine_at(each))]
        for at, (asked, total) in enumerate(self.asked_and_total(lease)):
            frees = [(total - self.used_at(lease.worker, each)[at], each) for each in here]
            late = [each for free, each in frees if free < asked]
            if late and asked + taken[at] <= total < ENDLESS:
                least = max(0, min(free for free, _ in frees))
                found.add(("LW723", "promised", NAMES[at], asked, least, total, min(late)))
        for token, belongs, most in self.shared():
            outside = [each for each in moments if not self.mine_at(each)]
            late = [each for each in outside if self.sharers_at(belongs, each) >= most]
            now_full = self.lanes() >= most if not token else self.is_held(token)
            if late and not now_full:
                code, told = ("LW722", token) if token else ("LW726", most)
                found.add((code, "promised", told, min(late)))
        return found

    def is_held(self, token):
        return any(token in each.spec.holds and holder_of(each) for each in self.tasks)

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
        found = {}
        for path in {*(self.spec.writes or ()), *(self.spec.reads or ())}:
            writes = path in (self.spec.writes or ())
            there = [
                each
                for each in self.met(lease)
                if path in (each.spec.writes or ()) or (writes and path in (each.spec.reads or ()))
            ]
            since = max((e.placed for e in there if path in (e.spec.writes or ())), default=-1)
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
            getattr(each, "unconfirmed_until", None)
            for each in self.tasks
            if getattr(each, "unconfirmed_until", None) is not None
            and set(self.spec.holds) & set(each.spec.holds)
        ]
        return max(starts, default=0)

    def no_place(self, lease):
        """The first start that capacity and all it shares allow, in each window; None: one fits."""
        length = self.length(lease)
        ends = [
            max(each.reservation.end, getattr(each, "unconfirmed_until", None) or 0)
            for each in self.last_met(lease)
        ]
        ready = max([self.now, self.not_before(lease), *ends])
        told = None
        for window in sorted(lease.terms.windows, key=lambda each: each.opens_at):
            if window.closes_at is not None and window.closes_at <= self.now:
                continue
            start = self.first(lease, max(ready, window.opens_at), length)
            end = start + length + lease.terms.guard.clock_error_ms
            if window.closes_at is None or end <= window.closes_at:
                return None
            have = max(0, window.closes_at - start - lease.terms.guard.total_ms)
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
