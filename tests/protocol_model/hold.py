"""One worker whose sync is held until the place frees: can that grant still be started?

State: (worker, request, held, grant, left).
  worker = (phase, ticks, losable)   ticks: age of the try (ASKED) or time left (RUNS)
  request: 0 none in flight, else 1 + ticks on the wire; never more than `wire` of them
  held = (ticks, newest), ticks -1: the coordinator holds no sync
  grant: a reply is in flight to the newest try
  left: coordinator's ticks to stop time + guard, 0 = free
The place frees only in the last tick of a hold: the worst case, made the only one, because a grant
made earlier in the hold can only be easier to start.
"""

from dataclasses import dataclass, replace
from functools import cache

from .search import Found, State, Step, explore, trace_to, unable_to_reach

IDLE, ASKED, RUNS = range(3)
NOTHING_HELD = (-1, 0)
Worker = tuple[int, int, int]


@dataclass(frozen=True)
class Rules:
    """Sizes in the ratio of the worked case (a task of 8 s, a hold of 20 s), and the switches."""

    lease: int = 2
    guard: int = 1
    hold: int = 5
    wire: int = 1
    lost_ticks: int = 1
    stamped_at_arrival: bool = True
    counted_from_send: bool = True


class Hold:
    """A long poll that ends in a grant.

    N: the worker's time lies inside the coordinator's (safety, seen on the way). L: every grant
    just made to the newest try can still start, with no further grant, if from now on nothing is
    lost. S: from everywhere the task can still start in a world that has healed.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        # Measured when the sync arrived, the hold is part of what remains; measured when the reply
        # leaves, it is not, while the worker counts from the send in both cases.
        self.stamped = rules.lease + (rules.hold if rules.stamped_at_arrival else 0)
        self.ticked = cache(self._ticked)

    def initial(self) -> State:
        """The task waits for its place; the worker is about to call."""
        return ((IDLE, 0, 0), 0, NOTHING_HELD, 0, 0)

    def broken(self, state: State) -> str:
        """The worker runs on when the coordinator would already grant the task elsewhere."""
        (phase, ticks, _), _, _, _, left = state
        return "N" if phase == RUNS and ticks and not left else ""

    def steps(self, state: State) -> list[Step]:
        """The worker calls again, messages arrive or are lost, the clock ticks."""
        worker, request, held, grant, left = state
        phase, ticks, _ = worker
        out: list[Step] = []
        if phase != RUNS:
            # A newer try: a reply to the older will be dropped whole, an older one still held can
            # yet be granted, in vain.
            fresh = (ASKED, 0, self.rules.lost_ticks)
            out.append(("ask", (fresh, 1, (held[0], 0), 0, left)))
        elif not ticks:
            out.append(("lapse", ((IDLE, 0, 0), request, held, grant, left)))
        if request:
            out.append(("lose the ask", (worker, 0, held, grant, left)))
            # It says that nothing is held, so a grant the worker never saw is taken back.
            out.append(("hold the ask", (worker, 0, (0, 1), grant, 0)))
        if held[0] == self.rules.hold:
            out.append(("answer empty", (worker, request, NOTHING_HELD, grant, left)))
            if not left:
                whole = self.rules.lease + self.rules.guard
                label = "grant" if held[1] else "grant to an older try"
                out.append((label, (worker, request, NOTHING_HELD, held[1], whole)))
        if grant:
            out.append(("lose the grant", (worker, request, held, 0, left)))
            out.append(self._granted(state))
        return out + self._ticks(state)

    def _granted(self, state: State) -> Step:
        (_, age, losable), request, held, _, left = state
        remaining = self.stamped - (age if self.rules.counted_from_send else 0)
        if remaining > 0:
            return "start", ((RUNS, remaining, losable), request, held, 0, left)
        return "dead on arrival, hand back", ((IDLE, 0, 0), request, held, 0, left)

    def _ticks(self, state: State) -> list[Step]:
        worker, request, held, grant, left = state
        if request > self.rules.wire or held[0] == self.rules.hold:
            return []
        waited = (held[0] + 1, held[1]) if held[0] >= 0 else held
        on_wire = request + 1 if request else 0
        fewer = max(left - 1, 0)
        return [
            (label, (after, on_wire, waited, grant, fewer)) for label, after in self.ticked(worker)
        ]

    def _ticked(self, worker: Worker) -> list[tuple[str, Worker]]:
        phase, ticks, losable = worker
        if phase == IDLE:
            return [("tick", worker)]
        moved = min(ticks + 1, self.stamped) if phase == ASKED else max(ticks - 1, 0)
        if moved == ticks:
            return [("tick", worker)]
        after = [("tick", (phase, moved, losable))]
        if losable:
            after.append(("tick, lost", (phase, ticks, losable - 1)))
        return after

    def describe(self, state: State) -> str:
        """The worker, the wire and the hold."""
        (phase, ticks, _), request, held, grant, left = state
        words = ("idle", f"asked {ticks} ago", f"runs, left {ticks}")[phase]
        flying = [name for name, there in (("ask", request), ("grant", grant)) if there]
        hold = f"held {held[0]}" if held[0] >= 0 else "nothing held"
        return f"left {left} | {words} | {hold} | in flight: {', '.join(flying) or 'nothing'}"


def healed(label: str) -> bool:
    """What still happens in a kind world: nothing is lost, neither messages nor ticks."""
    return "lose" not in label and "lost" not in label


def _this_grant(label: str) -> bool:
    """And without a new try or a new grant: only the one in flight may start the task."""
    return healed(label) and label != "ask" and not label.startswith("grant")


def started(state: State) -> bool:
    """The task runs and has time."""
    return bool(state[0][0] == RUNS and state[0][1] > 0)


def judge(model: Hold) -> Found:
    """The first property broken of N, L, S (or none), with the shortest trace to it."""
    found = explore(model)
    if found.broken:
        return found
    dead = set(unable_to_reach(model, found, started, _this_grant))
    for state in found.parents:
        for label, reached in model.steps(state):
            if label == "grant" and reached in dead:
                trace = [*trace_to(model, found.parents, state), (label, reached)]
                return replace(found, broken="L", trace=trace)
    stuck = unable_to_reach(model, found, started, healed)
    if stuck:
        return replace(found, broken="S", trace=trace_to(model, found.parents, stuck[0]))
    return found
