"""Carries out what the agent instructs, and tells it what the journal says.

The order is the promise: a grant is on the disk before it is queued, an ending is on the disk
before the agent hears of it, and so before anybody else does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import assert_never

from leaseway.core.agent import Agent, handle
from leaseway.core.model import worker as wk
from leaseway.core.model.outcomes import StopReason
from leaseway.core.model.sync import AttemptRef, Phase
from leaseway.core.model.units import Millis
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_info
from leaseway.worker import messages
from leaseway.worker.delivering import Brought, Pending
from leaseway.worker.folded import Folded
from leaseway.worker.journal import START, Position, notes_of
from leaseway.worker.receiving import CannotTake, NeverComes
from leaseway.worker.recovery import Beat, write_beat
from leaseway.worker.spawner_hand import SpawnerHand
from leaseway.worker.spool import Spool
from leaseway.worker.trees import Happening, Trees
from leaseway.worker.uploads import Uploads

COMPACT_BYTES = 4 * 1024 * 1024
_NEWS = wk.NoteStarted | wk.NoteChecked | wk.NoteEnded | wk.NoteReturned
Tell = Callable[[str], None]
Order = wk.StopAttempt | wk.MoveStop | messages.HandBack | messages.Lacks


class Carrier:
    """The agent with its hands: journal, spawner, outputs, trees. What concerns calling the
    coordinator collects in `call_within_ms` (the earliest asked for) and `quit_reason`. `news` is
    set after anything happened."""

    def __init__(
        self,
        agent: Agent,
        spool: Spool,
        hand: SpawnerHand,
        tasks: tuple[Uploads, Trees],
        tell: Tell,
    ) -> None:
        self.agent = agent
        self.spool = spool
        self.hand = hand
        self.uploads, self.trees = tasks
        self.tell = tell
        self.clock = Clock.of_environment()
        self.call_within_ms: Millis | None = None
        self.quit_reason: str | None = None
        self.accepting = True
        self.is_leaving_softly = False
        self.news = asyncio.Event()
        self._tail: Position = START
        self._capacity: wk.SetCapacity | None = None
        self._orders: dict[AttemptRef, dict[type, Order]] = {}
        self._granted_at: dict[AttemptRef, Millis] = {}  # of what is receiving
        self._pending: dict[AttemptRef, Pending] = {}
        self._unsettled: list[AttemptRef] = []
        self._ledger: wk.KeepLedger | None = None
        self._compacted_bytes = 0
        self._trouble = ""
        self._unspooled: list[AttemptRef] = []  # to be handed back

    def now(self) -> wk.WorkerNow:
        """Both clocks."""
        return wk.WorkerNow(self.clock.boot_ms(), self.clock.awake_ms())

    def take_over(self, folded: Folded) -> None:
        """The journal has been read so far by somebody else."""
        self._tail = folded.end
        for ref, entry in folded.entries.items():
            if entry.granted is None or not entry.granted.grant.has_view:
                continue
            self._granted_at[ref] = entry.granted.at_boot
            if entry.ended is not None:
                self._pending[ref] = Pending(
                    entry.granted.grant,
                    entry.ended,
                    entry.received.received_ms if entry.received else None,
                    entry.collected.ending if entry.collected else None,
                )
        if folded.ledger is not None:
            self.agent.ledger_id = folded.ledger.ledger_id
            self.agent.ledger_seen = folded.ledger.seen

    def tell_agent(self, event: wk.AgentEvent) -> None:
        """One event in; what it asks for is done."""
        for instruction in handle(self.agent, event, self.now()):
            self._carry_out(instruction)

    def go_on(self, instructions: list[wk.Instruction]) -> None:
        """With what an earlier daemon has begun."""
        for instruction in instructions:
            self._carry_out(instruction)

    def take(self, happening: Happening) -> None:
        """What came of receiving, delivering and keeping."""
        match happening:
            case Brought(note):
                self._pending.pop(note.ref, None)
                self._finished(note)
            case CannotTake(ref):
                self._order(messages.HandBack(ref))
            case NeverComes(ref, detail, received_ms):
                self._order(messages.Lacks(ref, detail, received_ms))
            case wk.Received() | wk.Kept() | wk.Dropped():
                self.tell_agent(happening)
            case _:
                assert_never(happening)

    def greet(self, hello: messages.Hello) -> None:
        """A spawner is there, perhaps a new one: say all that holds."""
        self.feed()
        there = {*hello.running, *hello.queued, *self._unspooled}
        waiting = tuple(
            mine.grant
            for ref, mine in self.agent.attempts.items()
            if mine.phase is Phase.GRANTED and ref not in there
        )
        if self._capacity is not None:
            self.hand.send(self._capacity)
        if waiting:
            self.hand.send(messages.Queue(waiting))
        for ref, mine in self.agent.attempts.items():
            if mine.phase is Phase.GRANTED and mine.received_ms is not None:
                self.hand.send(wk.Ready(ref))
        for orders in self._orders.values():
            for order in orders.values():
                self.hand.send(order)
        self.hand.send(messages.Accept(self.accepting))

    def feed(self) -> None:
        """Tell the agent what the journal says that it does not know yet."""
        data, self._tail = self.spool.journal.read_from(self._tail)
        self._pass_on(list(notes_of(data)))

    def keep_up(self) -> None:
        """Write what could not be written before, or need not be written every time; keep the
        journal small. A disk that does not take it is told, and asked again."""
        unspooled, self._unspooled = self._unspooled, []
        for ref in unspooled:
            self.tell_agent(wk.Returned(ref))
        try:
            if self._unsettled:
                self.spool.journal.append(wk.NoteSettled(tuple(self._unsettled)))
                self._forget_settled()
            if self._ledger is not None:
                self.spool.journal.append(wk.NoteLedger(self._ledger.ledger_id, self._ledger.seen))
                self._ledger = None
            if self.spool.journal.size() > self._compacted_bytes + COMPACT_BYTES:
                self.compact()
            write_beat(self.spool.root, Beat(self.agent.boot_id, self.clock.boot_ms()))
        except OSError as error:
            self._troubled(error)
        else:
            if not unspooled:
                self._troubled(None)

    def _troubled(self, error: OSError | None) -> None:
        """Once, not at every try."""
        said = f"the spool cannot be written: {error.strerror}; trying on" if error else ""
        if said != self._trouble:
            self.tell(said or "the spool can be written again")
        self._trouble = said

    def compact(self) -> None:
        """A shorter journal, if nobody is writing just now."""
        compacted = self.spool.compact(self._tail)
        if compacted is not None:
            unseen, folded = compacted
            self._tail, self._compacted_bytes = folded.end, folded.end[1]
            self._pass_on(unseen)

    def _pass_on(self, notes: list[wk.Note]) -> None:
        if news := [n for n in notes if isinstance(n, _NEWS)]:
            self.spool.journal.sync()
        for note in news:
            match note:
                case wk.NoteStarted(ref, started_boot=started_boot):
                    self.uploads.began(ref)
                    self.tell_agent(wk.Started(ref, started_boot))
                case wk.NoteChecked():
                    self.tell_agent(note)
                case wk.NoteReturned(ref):
                    self._orders.pop(ref, None)
                    self.uploads.dropped(ref)
                    self.trees.returned(ref)
                    self.tell_agent(wk.Returned(ref))
                case wk.NoteEnded(ref):
                    self._orders.pop(ref, None)
                    self._ended(note)

    def _ended(self, note: wk.NoteEnded) -> None:
        """What ran in a view has an ending once what it changed there is delivered."""
        mine = self.agent.attempts.get(note.ref)
        if mine is None or not mine.grant.has_view:
            self._finished(note)
        elif not mine.is_over:
            self._pending[note.ref] = Pending(mine.grant, note, mine.received_ms)
            self.tell_agent(wk.Over(note.ref, note.started_boot))

    def _finished(self, note: wk.NoteEnded) -> None:
        out, err = self.uploads.ended(note.ref, note.ending)
        finished = wk.Finished(note.ref, note.ending, note.started_boot, note.ended_boot, out, err)
        self.tell_agent(finished)

    def _carry_out(self, instruction: wk.Instruction) -> None:
        match instruction:
            case wk.SpoolGrants(grants):
                self._spool_grants(grants)
            case wk.StopAttempt() | wk.MoveStop():
                self._order(instruction)
            case wk.Receive() | wk.Ready() | wk.Collect() | wk.Forget():
                self._of_trees(instruction)
            case wk.Settle(refs):
                self._settle(refs)
            case wk.SetCapacity():
                self._capacity = instruction
                self.hand.send(instruction)
            case wk.KeepLedger():
                self._keep_ledger(instruction)
            case wk.CallSync(within_ms):
                asked = self.call_within_ms
                self.call_within_ms = within_ms if asked is None else min(asked, within_ms)
            case wk.Quit(reason):
                self.quit_reason = reason
            case wk.Tell(finding):
                told = finding_info(finding)
                self.tell(f"{told.sentence} {told.mend}".rstrip())
            case _:
                assert_never(instruction)

    def _of_trees(self, instruction: wk.Receive | wk.Ready | wk.Collect | wk.Forget) -> None:
        match instruction:
            case wk.Receive(grants):
                for grant in grants:
                    if grant.ref not in self._unspooled:
                        now = self.clock.boot_ms()
                        self.trees.receive(grant, self._granted_at.pop(grant.ref, now))
            case wk.Ready():
                self.hand.send(instruction)
            case wk.Collect(ref):
                self.trees.deliver(self._pending[ref])
            case wk.Forget(refs):
                self.trees.forget(refs)
            case _:
                assert_never(instruction)

    def _order(self, order: Order) -> None:
        """Said again to every new spawner, for as long as the attempt is in its hands."""
        is_shutdown = isinstance(order, wk.StopAttempt) and order.reason is StopReason.SHUTDOWN
        if is_shutdown and self.is_leaving_softly:
            # For what waits. It may have started a moment ago; then it goes on.
            self.hand.send(messages.HandBack(order.ref))
        elif order.ref in self.agent.attempts:
            self._orders.setdefault(order.ref, {})[type(order)] = order
            self.hand.send(order)

    def _spool_grants(self, grants: tuple[wk.LocalGrant, ...]) -> None:
        """On the disk, then in the queue. What cannot be written is handed back, for it never ran;
        but not at once, since it may be granted again the moment it is back."""
        boot_id = self.agent.boot_id
        at = {grant.ref: self.clock.boot_ms() for grant in grants if grant.has_view}
        notes = (wk.NoteGranted(grant, boot_id, at.get(grant.ref, 0)) for grant in grants)
        try:
            self.spool.journal.append(*notes)
            self.spool.journal.sync()
        except OSError as error:
            self._troubled(error)
            self._unspooled += [grant.ref for grant in grants]
            return
        self.hand.send(messages.Queue(grants))

    def _settle(self, refs: tuple[AttemptRef, ...]) -> None:
        self._unsettled += refs
        try:
            self.spool.journal.append(wk.NoteSettled(tuple(self._unsettled)))
        except OSError:
            return  # the outputs stay until it is noted; `keep_up` tries again
        self._forget_settled()

    def _forget_settled(self) -> None:
        for ref in self._unsettled:
            self.uploads.settled(ref)
            self.trees.settled(ref)
        self._unsettled.clear()

    def _keep_ledger(self, keep: wk.KeepLedger) -> None:
        """Another ledger at once; how far this one was seen, now and then."""
        self._ledger = keep
        if keep.seen == 0:
            self.keep_up()
