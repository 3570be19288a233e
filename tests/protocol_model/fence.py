"""One task, two workers: grants, endings, effects on a store, sleep, and clocks that lose ticks.

State: (coordinator, worker A, worker B, network).
  coordinator = (attempt, holder, left, rows, seen, fault)
     left: ticks to stop time + guard, 0 = free again; rows: outcome rows written;
     seen: largest token the store took; fault: letter index of a property a step broke.
  worker = (phase, attempt, ticks, asleep, losable)
     ticks: age of the ask (ASKED) or time left (RUNS), both on the worker's own clock;
     losable: ticks its clock may still lose until this lease is over.
Ticks are counted down, never up, so time itself has no end; only the number of attempts is bounded.
The task may be repeated, so both ways out of silence exist: another attempt, or `lost`.
"""

from dataclasses import dataclass
from functools import cache

from .network import WORKERS, Message, Wire
from .search import State, Step

IDLE, ASKED, RUNS, DONE, STOPPED = range(5)
PHASES = ("idle", "asked", "runs", "done", "stopped")
AT_REST = (IDLE, 0, 0, 0, 0)
FAULTS = ("", "C", "F")

Coordinator = tuple[int, int, int, int, int, int]
Worker = tuple[int, int, int, int, int]
# label, the worker after it, the message it takes, the one it gives, whether it is a newer try
Move = tuple[str, Worker, int, int, bool]


@dataclass(frozen=True)
class Rules:
    """Sizes, and each rule of the protocol as a switch: a mutant is the protocol less one rule."""

    lease: int = 2
    guard: int = 1
    attempts: int = 2
    in_flight: int = 3
    lost_ticks: int = 1
    sink_fence: bool = True
    dedup: bool = True
    store_fence: bool = True
    clock_counts_sleep: bool = True
    counted_from_send: bool = True
    newest_reply_only: bool = True
    newest_sync_only: bool = True


class Fence:
    """The protocol between a coordinator, its store and two workers.

    A: at most one outcome row. B: never two workers that both believe they may run. C: the store
    never takes a token below one it has seen. F: a row is only written for the current attempt.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.wire = Wire(rules.attempts, rules.in_flight)
        # Each part moves by itself, so its moves are worked out once per local state.
        self.worker_moves = cache(self._worker_moves)
        self.received = cache(self._received)
        self.ticked = cache(self._ticked)

    def initial(self) -> State:
        """Nothing granted, nobody asks, silence on the wire."""
        return ((0, 0, 0, 0, 0, 0), AT_REST, AT_REST, 0)

    def broken(self, state: State) -> str:
        """B looks at sleepers as well: who wakes believes what it believed."""
        (_, _, _, rows, _, fault), a, b, _ = state
        if fault:
            return FAULTS[fault]
        if rows > 1:
            return "A"
        both = a[0] == RUNS and b[0] == RUNS and a[2] > 0 and b[2] > 0
        return "B" if both else ""

    def steps(self, state: State) -> list[Step]:
        """What the workers do, what the wire does, a verdict of `lost`, and the clock."""
        coordinator, a, b, net = state
        out: list[Step] = []
        for move in self.worker_moves(0, a):
            after = self._sent(net, 0, move)
            if after is not None:
                out.append((move[0], (coordinator, move[1], b, after)))
        for move in self.worker_moves(1, b):
            after = self._sent(net, 1, move)
            if after is not None:
                out.append((move[0], (coordinator, a, move[1], after)))
        for message in self.wire.flying(net):
            rest = net & ~message.bit
            for label, changed, give in self.received(coordinator, message):
                after = self._clear_older(rest, message) | give
                out.append((label, (changed, a, b, after)))
            out.append((message.lost, (coordinator, a, b, rest)))
        attempt, holder, left, rows, seen, fault = coordinator
        if attempt and not left and not rows:
            out.append(("call it lost", ((attempt, holder, 0, 1, seen, fault), a, b, net)))
        fewer = (attempt, holder, max(left - 1, 0), rows, seen, fault)
        for label_a, next_a in self.ticked(0, a):
            for label_b, next_b in self.ticked(1, b):
                out.append((f"tick{label_a}{label_b}", (fewer, next_a, next_b, net)))
        return out

    def _sent(self, net: int, who: int, move: Move) -> int | None:
        """The network after a worker's move; None where the move cannot be made now."""
        _, _, take, give, newer = move
        if net & take != take:
            return None
        if newer:
            net = self.wire.overtaken(net, who)
            if self.rules.newest_reply_only:
                # It would be dropped whole on arrival: dropping it now is the same and smaller.
                for attempt in range(1, self.rules.attempts + 1):
                    net &= ~self.wire.bit("late grant", who, attempt)
        net = net & ~take | give
        return net if net.bit_count() <= self.wire.in_flight else None

    def _clear_older(self, net: int, message: Message) -> int:
        """A newer sync heard makes an older one void; the mutant still listens to it."""
        if message.kind == "ask" and self.rules.newest_sync_only:
            return net & ~self.wire.bit("old ask", message.who)
        return net

    def _worker_moves(self, who: int, worker: Worker) -> list[Move]:
        phase, attempt, ticks, asleep, losable = worker
        name, bit = WORKERS[who], self.wire.bit
        if asleep:
            return [(f"{name} wakes", (phase, attempt, ticks, 0, losable), 0, 0, False)]
        moves: list[Move] = []
        if phase in (IDLE, ASKED):
            fresh = (ASKED, 0, 0, 0, self.rules.lost_ticks)
            moves.append((f"{name} asks", fresh, 0, bit("ask", who), True))
        if phase == ASKED:
            moves += self._grants(who, ticks, losable)
        if phase == RUNS and ticks:
            # The check is this step, the write arrives whenever it likes: no worker can close that
            # gap, which is why the store must compare.
            moves.append((f"{name} writes", worker, 0, bit("write", who, attempt), False))
            moves.append((f"{name} is done", (DONE, attempt, 0, 0, 0), 0, 0, False))
        if phase == RUNS and not ticks:
            moves.append((f"{name} lapses", (STOPPED, attempt, 0, 0, 0), 0, 0, False))
        if phase in (DONE, STOPPED):
            ending = bit(PHASES[phase], who, attempt)
            moves.append((f"{name} reports {PHASES[phase]}", worker, 0, ending, False))
            settle = bit("settle", who, attempt)
            moves.append((f"{name} deletes its ending", AT_REST, settle, 0, False))
        if phase in (ASKED, RUNS):
            # Elsewhere no clock runs and a sleeper is only one that does nothing for a while.
            moves.append((f"{name} sleeps", (phase, attempt, ticks, 1, losable), 0, 0, False))
        return moves

    def _grants(self, who: int, age: int, losable: int) -> list[Move]:
        moves: list[Move] = []
        left = self.rules.lease - (age if self.rules.counted_from_send else 0)
        kinds = ("grant",) if self.rules.newest_reply_only else ("grant", "late grant")
        for kind in kinds:
            for attempt in range(1, self.rules.attempts + 1):
                take = self.wire.bit(kind, who, attempt)
                if left > 0:
                    label = f"{WORKERS[who]} starts {attempt} by a {kind}"
                    moves.append((label, (RUNS, attempt, left, 0, losable), take, 0, False))
                else:
                    label = f"{WORKERS[who]} hands {attempt} back unstarted"
                    moves.append((label, AT_REST, take, 0, False))
        return moves

    def _ticked(self, who: int, worker: Worker) -> list[tuple[str, Worker]]:
        """One tick of true time on a worker's clock, which may lose it."""
        phase, attempt, ticks, asleep, losable = worker
        if phase not in (ASKED, RUNS):
            return [("", worker)]
        if asleep and not self.rules.clock_counts_sleep:
            return [("", worker)]
        if phase == ASKED:
            moved = min(ticks + 1, self.rules.lease)
        else:
            moved = max(ticks - 1, 0)
        if moved == ticks:
            return [("", worker)]
        after = [("", (phase, attempt, moved, asleep, losable))]
        if losable:
            lost = (phase, attempt, ticks, asleep, losable - 1)
            after.append((f", {WORKERS[who]} loses it", lost))
        return after

    def _received(
        self, coordinator: Coordinator, message: Message
    ) -> list[tuple[str, Coordinator, int]]:
        """What the coordinator or the store does with one message: label, coordinator, reply."""
        if message.kind in ("ask", "old ask"):
            return self._asked(coordinator, message)
        if message.kind in ("done", "stopped"):
            return [self._ended(coordinator, message)]
        if message.kind == "write":
            return [self._written(coordinator, message)]
        return []

    def _asked(
        self, coordinator: Coordinator, message: Message
    ) -> list[tuple[str, Coordinator, int]]:
        attempt, holder, left, rows, seen, fault = coordinator
        who, name = message.who, WORKERS[message.who]
        if rows:
            return []
        out: list[tuple[str, Coordinator, int]] = []
        if left and holder == who:
            # It holds nothing, says a sync later than the grant: so the grant never started.
            freed = (attempt, holder, 0, rows, seen, fault)
            out.append((f"take {attempt} back, {name} never started it", freed, 0))
        if (not left or holder == who) and attempt < self.rules.attempts:
            number = attempt + 1
            kind = "grant" if message.kind == "ask" else "late grant"
            granted = (number, who, self.rules.lease + self.rules.guard, rows, seen, fault)
            reply = self.wire.bit(kind, who, number)
            if kind == "late grant" and self.rules.newest_reply_only:
                reply = 0
            out.append((f"grant {number} to {name}", granted, reply))
        return out

    def _ended(self, coordinator: Coordinator, message: Message) -> tuple[str, Coordinator, int]:
        """Accept an ending of the current attempt however late; settle every ending."""
        attempt, holder, _, rows, seen, fault = coordinator
        settle = self.wire.bit("settle", message.who, message.attempt)
        current = message.attempt == attempt
        if self.rules.sink_fence and not current:
            return f"keep {message.name} as evidence", coordinator, settle
        if rows and self.rules.dedup:
            return f"settle {message.name} again", coordinator, settle
        if message.kind == "stopped":
            freed = (attempt, holder, 0, rows, seen, fault)
            return f"{message.name}: free again", freed, settle
        fault = fault if current else FAULTS.index("F")
        ended = (attempt, holder, 0, rows + 1, seen, fault)
        return f"write an outcome row by {message.name}", ended, settle

    def _written(self, coordinator: Coordinator, message: Message) -> tuple[str, Coordinator, int]:
        attempt, holder, left, rows, seen, fault = coordinator
        token = message.attempt
        if token < seen and self.rules.store_fence:
            return f"store refuses {message.name}", coordinator, 0
        fault = FAULTS.index("C") if token < seen else fault
        taken = (attempt, holder, left, rows, max(seen, token), fault)
        return f"store takes {message.name}", taken, 0

    def describe(self, state: State) -> str:
        """The coordinator, both workers and the wire."""
        (attempt, _, left, rows, seen, _), a, b, net = state
        flying = ", ".join(m.name for m in self.wire.flying(net)) or "nothing"
        pool = f"attempt {attempt} left {left} rows {rows} store {seen}"
        return f"{pool} | {_worker_line(0, a)} | {_worker_line(1, b)} | in flight: {flying}"


def _worker_line(who: int, worker: Worker) -> str:
    phase, attempt, ticks, asleep, _ = worker
    words = [WORKERS[who], PHASES[phase]]
    if attempt:
        words.append(str(attempt))
    if phase == ASKED:
        words.append(f"{ticks} ago")
    if phase == RUNS:
        words.append(f"left {ticks}")
    return " ".join(words) + (" asleep" if asleep else "")
