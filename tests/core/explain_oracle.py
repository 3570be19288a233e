"""An oracle for `explain`: every worker is tried by brute force, from the facts of the view alone.

Nothing of `core.admission`, of the index or of its profiles is used: what is set aside at a moment
is summed up over all tasks, and a start is tried at every moment at which anything changes. Paths
here are literal and absolute, so two tasks conflict if they name the same one and one writes.
"""

from __future__ import annotations

from leaseway.core.model.states import LeaseState, TaskState
from tests.core.explain_held import ENDLESS, NAMES, drift, holder_of, over
from tests.core.explain_placing import Placing

Key = tuple[object, ...]


class Oracle(Placing):
    """Every reason that stands against a waiting task, everywhere and worker by worker."""

    # What stands against it everywhere.

    def anywhere(self):
        found: set[Key] = set()
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

    def willing(self, lease):
        found: set[Key] = set()
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
        count, again_at = self.back.get(lease.worker, (0, 0))
        if self.now < again_at:
            found.add(("LW729", "handed-back", count, again_at))
        return found

    def gates(self, lease):
        found: set[Key] = set()
        terms = lease.terms
        lefts = list(self.lefts(lease))
        longest = None if None in lefts else max(lefts, default=0)
        guard = terms.guard.total_ms + drift(terms.guard, longest)
        if self.need is not None and terms.max_run_ms is not None and self.need > terms.max_run_ms:
            cap = terms.max_run_ms
            found.add(("LW301", "", self.need, cap, self.need - cap))
        if longest is not None and not self.due(lease):
            have = longest - guard - self.receive
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
        guard = lease.terms.guard
        asked = self.length(lease) + guard.clock_error_ms + drift(guard, left)
        return {("LW725", "short", left, asked - left)} if asked > left else set()

    def short_now(self, lease):
        taken = self.granted_at(lease.worker)
        found: set[Key] = set()
        for at, (asked, total) in enumerate(self.asked_and_total(lease)):
            if total < ENDLESS and asked <= total and asked + taken[at] > total:
                found.add(("LW723", "", NAMES[at], asked, max(0, total - taken[at]), total))
        if found:
            for each in self.tasks:
                if each.unconfirmed_until is not None and each.past[-1].worker == lease.worker:
                    found.add(("LW723", "unconfirmed", each.id))
        return found

    def promised(self, lease):
        """What is free now and was promised to others before it could end."""
        length = self.length(lease)
        if not self.opened(lease) or length is None:
            return set()
        found: set[Key] = set()
        end, taken = self.now + length, self.granted_at(lease.worker)
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
