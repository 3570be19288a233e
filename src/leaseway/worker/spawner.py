"""The spawner: a small single-threaded process that owns the queue and is the second guardian.

It starts what the pure rule `core.book.may_start` allows, the moment a keeper is idle, without
asking the daemon. It outlives the daemon: then it starts nothing new and goes on guarding what
runs. A new one finds the running keepers of the one before it in the journal.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path

from msgspec.structs import replace

from leaseway.core.model.capacity import RESOURCES, Vector
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.units import Millis
from leaseway.core.model.worker import (
    Book,
    LocalGrant,
    MoveStop,
    Note,
    NoteEnded,
    NoteReturned,
    Ready,
    SetCapacity,
    StopAttempt,
    Stopping,
    Verdict,
    WorkerNow,
)
from leaseway.runtime import Clock
from leaseway.worker import messages
from leaseway.worker.capture import CAP_BYTES
from leaseway.worker.channel import Channel, Hub, listen_in
from leaseway.worker.journal import Position
from leaseway.worker.launch import task_environment
from leaseway.worker.locks import SPAWNER
from leaseway.worker.messages import ToDaemon
from leaseway.worker.pool import Pool
from leaseway.worker.processes import become_subreaper
from leaseway.worker.spool import Spool

DOOR = "spawner.sock"
ALONE_MS: Millis = 30_000
"""Without a daemon and with nothing to guard it leaves after this long."""

TICK_MS = 500
SOON_MS = 20
FEW = 2
MayStart = Callable[[Book, WorkerNow], Verdict]


class Spawner:
    """The spawner's whole state."""

    def __init__(self, spool: Spool, may_start: MayStart, cap_bytes: int = CAP_BYTES) -> None:
        self._spool = spool
        self._may_start = may_start
        self._clock = Clock.of_environment()
        self._hub = Hub()
        self._pool = Pool(spool, self._hub, task_environment(os.environ), cap_bytes)
        self._queue: dict[AttemptRef, LocalGrant] = {}  # in promise order
        self._receiving: set[AttemptRef] = set()  # in the queue, and not to be started yet
        self._unstarted: list[Note] = []  # to be noted: returned, or ended without what it needs
        self._capacity: Vector = (0,) * len(RESOURCES)
        self._daemon: Channel | None = None
        self._accepting = False
        self._is_watched = False
        self._again_at: Millis | None = None
        self._alone_since = self._clock.boot_ms()
        # What an earlier spawner may have given to a keeper that has not noted the start yet.
        folded = spool.fold()
        self._known_before = folded.end
        self._maybe_given = {ref for ref, entry in folded.entries.items() if entry.started is None}
        self._door = listen_in(spool.root, DOOR)
        self._hub.add_door(self._door)
        for entry in folded.running().values():
            if entry.started is not None and entry.started.boot_id == self._clock.boot_id():
                self._pool.adopt(entry)

    def serve(self) -> None:
        """Until nobody needs it any more."""
        while not self._is_needless():
            ready = self._hub.wait(self._wait_ms())
            now = self._now()
            for found in ready:
                if isinstance(found, int):
                    self._let_in()
                elif found is self._daemon:
                    self._hear_daemon(found)
                else:
                    self._pool.receive(found, now)
            if not ready or self._pool.is_busy_clearing:
                self._pool.step(now)
            self._start_what_may(now)
            self._note_back()
            self._tell_daemon()

    def _is_needless(self) -> bool:
        if self._daemon is not None or self._pool.held:
            return False
        return self._clock.boot_ms() - self._alone_since > ALONE_MS

    def _wait_ms(self) -> int:
        if self._pool.is_busy_clearing:
            return SOON_MS
        if self._again_at is None:
            return TICK_MS
        return max(0, min(TICK_MS, self._again_at - self._clock.boot_ms()))

    def _let_in(self) -> None:
        """A daemon knocks. The newest is the one: it holds the daemon's lock."""
        try:
            sock, _ = self._door.accept()
        except BlockingIOError:
            return
        if self._daemon is not None:
            self._part()
        self._daemon = Channel(sock)
        self._hub.add(self._daemon)
        self._is_watched = True
        self._say(messages.Hello(os.getpid(), tuple(self._pool.held), tuple(self._queue)))

    def _part(self) -> None:
        """The daemon is gone: start nothing more."""
        assert self._daemon is not None
        self._hub.remove(self._daemon)
        self._daemon = None
        self._accepting = False
        self._alone_since = self._clock.boot_ms()

    def _hear_daemon(self, daemon: Channel) -> None:
        for line in daemon.receive():
            self._obey(messages.to_spawner(line))
        if daemon.is_gone():
            self._part()

    def _obey(self, message: messages.ToSpawner) -> None:
        match message:
            case messages.Queue(grants):
                self._put(grants)
            case messages.Accept(yes):
                self._accepting = yes
            case messages.Heard(heard_boot):
                self._pool.hear(heard_boot)
            case messages.Watch():
                self._is_watched = True
            case SetCapacity(capacity):
                self._capacity = capacity.vector()
            case _:
                self._order(message)
        if not isinstance(message, messages.Heard | messages.Watch):
            self._again_at = 0

    def _order(
        self, message: StopAttempt | MoveStop | Ready | messages.HandBack | messages.Lacks
    ) -> None:
        """About one attempt. What waits shall know as well by when it would have to be over."""
        grant = self._queue.get(message.ref)
        match message:
            case StopAttempt() | MoveStop() if grant is None:
                self._pool.order(message)
            case _ if grant is None:
                pass  # it has started, or is gone
            case StopAttempt() | messages.HandBack():
                self._hand_back(message.ref)
            case MoveStop():
                self._queue[message.ref] = replace(grant, stop_latest_boot=message.stop_boot)
            case Ready():
                self._receiving.discard(message.ref)
            case messages.Lacks(ref, detail, received_ms):
                ending = Ending(EndKind.SPAWN_FAILED, received_ms=received_ms, detail=detail)
                now = self._clock.boot_ms()
                self._take_out(NoteEnded(ref, ending, self._clock.boot_id(), now))

    def _put(self, grants: tuple[LocalGrant, ...]) -> None:
        new = [grant for grant in grants if grant.ref not in self._pool.held]
        merged = sorted(
            {**self._queue, **{grant.ref: grant for grant in new}}.values(),
            key=lambda grant: (grant.order, grant.ref),
        )
        self._receiving |= {g.ref for g in new if g.has_view and g.ref not in self._queue}
        self._queue = {grant.ref: grant for grant in merged}

    def _start_what_may(self, now: WorkerNow) -> None:
        """Ask the rule, and do what it says. What it says of a grant depends on those before it
        and not on those behind; so the first few are asked about first, and the whole queue only
        if something has come in, is due, or none of the few may start."""
        if self._pool.unstarted:
            self._put(tuple(self._pool.unstarted))
            self._receiving.difference_update(grant.ref for grant in self._pool.unstarted)
            self._pool.unstarted.clear()
            self._again_at = now.boot_ms
        self._unstarted += [NoteReturned(ref) for ref in self._pool.unnoted]
        self._pool.unnoted.clear()
        if not self._queue:
            self._again_at = None  # nothing to look again at: else the loop would never rest
            return
        is_due = self._again_at is not None and now.boot_ms >= self._again_at
        if not (is_due or self._pool.has_room):
            return
        self._pool.has_room = False
        if is_due:
            self._ask(len(self._queue), now)
            return
        started = FEW
        while started == FEW:
            started = self._ask(FEW, now)
        if started == 0 and len(self._queue) > FEW:
            self._ask(len(self._queue), now)

    def _ask(self, few: int, now: WorkerNow) -> int:
        """Ask about the first few; how many were started."""
        is_whole = few >= len(self._queue)
        first = tuple(islice(self._queue.values(), few))
        receiving = frozenset(self._receiving)
        book = Book(self._capacity, self._pool.running(), first, self._accepting, receiving)
        verdict = self._may_start(book, now)
        for ref in verdict.back:
            self._hand_back(ref)
        again_ms = verdict.again_ms
        for ref in verdict.start:
            if not self._pool.start(self._queue[ref], self._check_from(ref)):
                again_ms = TICK_MS
                break
            del self._queue[ref]
        if is_whole:
            self._again_at = None if again_ms is None else now.boot_ms + again_ms
        return len(verdict.start)

    def _check_from(self, ref: AttemptRef) -> Position | None:
        return self._known_before if ref in self._maybe_given else None

    def _hand_back(self, ref: AttemptRef) -> None:
        self._take_out(NoteReturned(ref))

    def _take_out(self, note: NoteReturned | NoteEnded) -> None:
        del self._queue[note.ref]
        self._receiving.discard(note.ref)
        self._unstarted.append(note)

    def _note_back(self) -> None:
        """Never started here and never will be: noted before anybody is told."""
        if not self._unstarted:
            return
        try:
            self._spool.journal.append(*self._unstarted)
        except OSError:
            return  # again at the next turn; until then they are neither held nor returned
        self._unstarted.clear()
        self._pool.moved = True

    def _tell_daemon(self) -> None:
        for ref in self._pool.stopping:
            self._say(Stopping(ref))
        self._pool.stopping.clear()
        if self._pool.moved and self._is_watched and self._daemon is not None:
            self._pool.moved = self._is_watched = False
            self._say(messages.Moved())

    def _say(self, message: ToDaemon) -> None:
        if self._daemon is not None:
            self._daemon.send(messages.encode(message))

    def _now(self) -> WorkerNow:
        return WorkerNow(self._clock.boot_ms(), self._clock.awake_ms())


def run_spawner(root: Path, may_start: MayStart, cap_bytes: int = CAP_BYTES) -> int:
    """The spawner of the spool at `root`, unless it has one: 0 after its work, 3 if it has."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    spool = Spool(root)
    if not spool.locks.take(SPAWNER):
        return 3
    become_subreaper()
    gc.collect()
    gc.freeze()  # so that keepers share these pages with us
    Spawner(spool, may_start, cap_bytes).serve()
    return 0


def main() -> int:
    """`python -m leaseway.worker.spawner SPOOL`."""
    from leaseway.core.book import may_start

    return run_spawner(Path(sys.argv[1]), may_start)


if __name__ == "__main__":
    sys.exit(main())
