"""One attempt, its ending in the worker's spool, and a coordinator that falls and comes back.

State: (worker, ledger, up, left, patience, call, called).
  worker = (phase, ticks)   RUNS with time left, DONE with its ending spooled, ERASED, DEAD (its
     disk with it)
  ledger: what it says of the task, see LEDGER; left: ticks to stop time + guard
  patience: ticks of silence after which the worker may be judged
  call: the one outstanding sync or its reply; called: it was heard within this tick
While the coordinator is up the worker reaches it in every tick: the wire is perfect on purpose.
Whatever is lost here, the coordinator lost.
"""

from dataclasses import dataclass, replace

from .search import Found, State, Step, explore, trace_to, unable_to_reach

RUNS, DONE, ERASED, DEAD = range(4)
# UNKNOWN: restored from a backup older than the grant. PENDING: said, not yet appended.
LEDGER = ("granted", "unknown", "unknown, reported", "pending", "ended", "lost")
GRANTED, UNKNOWN, REPORTED, PENDING, ENDED, LOST = range(len(LEDGER))
NONE, SAYS_RUNS, SAYS_DONE, NAMED, SETTLED, UNNAMED = range(6)
CALLS = ("no call", "sync: runs", "sync: done", "reply: go on", "reply: settled", "reply: nothing")


@dataclass(frozen=True)
class Rules:
    """Sizes, and the rules of the sync contract as switches."""

    lease: int = 2
    guard: int = 1
    patience: int = 2
    absence_is_no_order: bool = True
    hear_before_judging: bool = True
    reports_before_expiry: bool = True
    settle_after_append: bool = True


class Spool:
    """The sync contract across falls, sleeps and restored backups of the coordinator.

    E: no ending leaves the spool before the ledger has it, no run is stopped because somebody
    forgot it. J: never `lost` over a worker that is alive and can be reached. R: from everywhere,
    without new faults, the task can end, and by its own ending if its worker lives.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules

    def initial(self) -> State:
        """The grant is durable, the worker runs it, the coordinator has just heard so."""
        rules = self.rules
        return ((RUNS, rules.lease), GRANTED, 1, rules.lease + rules.guard, rules.patience, NONE, 0)

    def broken(self, state: State) -> str:
        """An ending on its way into the ledger (PENDING) is not yet gone."""
        (phase, _), ledger, *_ = state
        if phase == ERASED and ledger in (GRANTED, UNKNOWN, REPORTED):
            return "E"
        return "J" if phase in (RUNS, DONE) and ledger == LOST else ""

    def steps(self, state: State) -> list[Step]:
        """Worker, coordinator and owner, then the faults, then time."""
        up, call = state[2], state[5]
        out = self._worker(state)
        if up:
            out += self._coordinator(state)
            if call in (SAYS_RUNS, SAYS_DONE):
                out.append(self._hear(state))
        return out + self._faults(state) + self._tick(state)

    def _worker(self, state: State) -> list[Step]:
        (phase, ticks), ledger, up, left, patience, call, called = state
        rest = (ledger, up, left, patience)
        out: list[Step] = []
        if phase == RUNS:
            done = ((DONE, 0), *rest, call, called)
            out.append(("the attempt ends, its ending is spooled", done))
        if phase in (RUNS, DONE) and call == NONE and up and not called:
            says = SAYS_RUNS if phase == RUNS else SAYS_DONE
            out.append(("worker syncs", ((phase, ticks), *rest, says, called)))
        if call in (NAMED, SETTLED, UNNAMED):
            order = call == UNNAMED and not self.rules.absence_is_no_order
            if call == SETTLED or order:
                label = "worker stops and erases what the reply does not name"
                label = "worker deletes the settled ending" if call == SETTLED else label
                phase, ticks = (ERASED, 0) if phase in (RUNS, DONE) else (phase, ticks)
            else:
                label = "worker keeps what it holds"
            out.append((label, ((phase, ticks), *rest, NONE, called)))
        return out

    def _hear(self, state: State) -> Step:
        """Decide one sync: reports first, then expiry; the mutant turns it round."""
        worker, ledger, up, left, _, call, _ = state
        heard = self.rules.patience
        if ledger == GRANTED and not left and not self.rules.reports_before_expiry:
            return "expire, then read the sync", (worker, LOST, up, left, heard, SETTLED, 1)
        if ledger in (UNKNOWN, REPORTED):
            label = "hear of an attempt nobody here knows"
            return label, (worker, REPORTED, up, left, heard, UNNAMED, 1)
        if call == SAYS_RUNS:
            return "hear: runs", (worker, ledger, up, left, heard, NAMED, 1)
        if ledger == GRANTED:
            ledger = ENDED if self.rules.settle_after_append else PENDING
        return "hear: done", (worker, ledger, up, left, heard, SETTLED, 1)

    def _coordinator(self, state: State) -> list[Step]:
        worker, ledger, up, left, patience, call, called = state
        rest = (up, left, patience, call, called)
        out: list[Step] = []
        if ledger == GRANTED and not left and not patience:
            out.append(("call it lost", (worker, LOST, *rest)))
        if ledger == PENDING:
            out.append(("append the ending", (worker, ENDED, *rest)))
        if ledger == REPORTED:
            whole = self.rules.lease + self.rules.guard
            known = (worker, GRANTED, up, whole, patience, call, called)
            out.append(("owner looks and adopts the reported attempt", known))
        if ledger == UNKNOWN and worker[0] == DEAD:
            out.append(("owner gives up what nobody reports", (worker, LOST, *rest)))
        return out

    def _faults(self, state: State) -> list[Step]:
        worker, ledger, up, left, patience, _, called = state
        out: list[Step] = []
        if up:
            kept = GRANTED if ledger == PENDING else ledger
            down = (worker, kept, 0, left, patience, NONE, 0)
            out.append(("coordinator falls or sleeps", down))
            if ledger == GRANTED:
                # Only a backup older than the grant: an ending that was settled and then lost with
                # the ledger is gone by the owner's own hand, and no rule of the wire can help.
                restored = (worker, UNKNOWN, 0, left, patience, NONE, 0)
                out.append(("coordinator falls, an old backup is restored", restored))
        else:
            afresh = self.rules.patience if self.rules.hear_before_judging else patience
            out.append(("coordinator comes back", (worker, ledger, 1, left, afresh, NONE, 0)))
        if worker[0] in (RUNS, DONE):
            dead = ((DEAD, 0), ledger, up, left, patience, NONE, called)
            out.append(("worker dies with its disk", dead))
        return out

    def _tick(self, state: State) -> list[Step]:
        (phase, ticks), ledger, up, left, patience, call, called = state
        alive = phase in (RUNS, DONE)
        if call != NONE or (phase == RUNS and not ticks) or (alive and up and not called):
            return []
        worker = (phase, max(ticks - 1, 0))
        return [("tick", (worker, ledger, up, max(left - 1, 0), max(patience - 1, 0), NONE, 0))]

    def describe(self, state: State) -> str:
        """The worker, the ledger and the call between them."""
        (phase, ticks), ledger, up, left, patience, call, _ = state
        worker = (f"runs, left {ticks}", "ending in the spool", "spool empty", "dead")[phase]
        there = f"up, patience {patience}" if up else "down"
        return f"{worker} | ledger: {LEDGER[ledger]}, left {left} | {there} | {CALLS[call]}"


FAULTS = ("coordinator falls", "worker dies")


def _no_fault(label: str) -> bool:
    return not label.startswith(FAULTS)


def _ended_rightly(state: State) -> bool:
    (phase, _), ledger, *_ = state
    return ledger == ENDED or (phase == DEAD and ledger == LOST)


def judge(model: Spool) -> Found:
    """The first property broken of E, J, R (or none), with the shortest trace to it."""
    found = explore(model)
    if found.broken:
        return found
    stuck = unable_to_reach(model, found, _ended_rightly, _no_fault)
    if stuck:
        return replace(found, broken="R", trace=trace_to(model, found.parents, stuck[0]))
    return found
