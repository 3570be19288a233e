"""The worker's daemon: the real agent, and plain hands that do what it asks, in its order.

One thing at a time: while a grant is being synced to the disk nothing else is heard or said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, assert_never

from leaseway.core import agent as rules
from leaseway.core.decisions.decision import Refused
from leaseway.core.model import worker as wk
from leaseway.core.model.commands import Register
from leaseway.core.model.sync import (
    AttemptRef,
    Phase,
    RegisterReply,
    RegisterRequest,
    SyncReply,
)
from leaseway.core.model.units import Millis
from leaseway.sim.desk import Said
from leaseway.sim.host import Process
from leaseway.sim.net import Way

if TYPE_CHECKING:
    from leaseway.sim.machine import Machine

TIMEOUT_MS: Millis = 10_000
PAUSE_MS: Millis = 200
"""Between a reply that had something to do and the next call."""

_AGAIN_MS: Millis = 3_000
_TICK_MS: Millis = 1_000
_SLEPT_MS: Millis = 1_000


def fence_of(said: Said, agent: rules.Agent) -> str:
    """As `worker.link.Declined.fence` has it: `superseded` by a newer daemon, `unknown`: register
    anew, which is also what helps if the newer one is a double of our own registering."""
    if not isinstance(said, Refused) or said.kind != "fenced":
        return ""
    for finding in said.findings:
        if finding.variant == "incarnation" and finding.numbers.get("spool") != agent.spool_id:
            return "superseded"
    return "unknown"


class Daemon(Process):
    """One life of a daemon."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self.machine = machine
        self.agent = rules.Agent(
            worker=machine.worker,
            spool_id=machine.journal.spool_id,
            boot_id=machine.host.boot_id,
        )
        self._read_to = 0
        self._looking = False
        self._busy = False
        self.registered = False
        self._events: deque[wk.AgentEvent] = deque()
        self._due: Millis | None = None
        self._out = 0  # seq of the call that is out, 0: none
        self._tries = 0
        self._looked = machine.host.read()

    # Start ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Take as long as the disk takes, and begin."""
        self.machine.host.later(self.machine.disk_ms(), self._adopt, self)

    def _adopt(self) -> None:
        """End what a reboot ended, adopt what the spool knows, queue what waits, register."""
        machine = self.machine
        folded, records = machine.journal.recovered(machine.host.boot_id)
        machine.journal.sync()
        machine.say(f"daemon starts with {' '.join(str(each.grant.ref) for each in records)}")
        if folded.ledger is not None:
            self.agent.ledger_id = folded.ledger.ledger_id
            self.agent.ledger_seen = folded.ledger.seen
        self._read_to = len(machine.journal.notes)
        rules.adopt(self.agent, records)
        waiting = tuple(record.grant for record in records if record.phase is Phase.GRANTED)
        machine.spawner.accept(True)
        machine.spawner.put(waiting)
        self._register()
        machine.host.later(_TICK_MS, self._tick, self)

    def _register(self) -> None:
        """Only the answer to the latest try counts."""
        if self.registered:
            return
        machine = self.machine
        request = RegisterRequest(
            name=machine.worker,
            machine_id=machine.host.name,
            spool_id=machine.journal.spool_id,
            boot_id=machine.host.boot_id,
            offer=machine.offer,
            ledger_id=self.agent.ledger_id,
        )
        self._tries += 1
        this = self._tries
        sent = machine.host.read().boot_ms

        def joined(said: Said) -> None:
            if isinstance(said, RegisterReply) and not self.registered and this == self._tries:
                self.registered = True
                self.hear(wk.Registered(said, sent))

        self._ask(
            "register",
            joined,
            lambda answer: machine.around.coordinator.post(Register(request), answer),
        )
        machine.host.later(_AGAIN_MS, self._register, self)

    # The link ------------------------------------------------------------------------------------

    def _ask(
        self, what: str, take: Callable[[Said], None], ask: Callable[[Callable[[Said], None]], None]
    ) -> None:
        """Carry a question up and its answer down."""
        net, name = self.machine.around.net, self.machine.host.name

        def take_if_alive(said: Said) -> None:
            if self.alive:
                take(said)

        def answer(said: Said) -> None:
            down = f"answer to {what}"
            net.send(
                name,
                Way.DOWN,
                down,
                lambda: self.machine.receive(lambda: take_if_alive(said)),
            )

        net.send(name, Way.UP, what, lambda: ask(answer))

    def _call_within(self, length_ms: Millis) -> None:
        due = self.machine.host.read().boot_ms + length_ms
        if self._due is None or due < self._due:
            self._due = due
            self.machine.host.later(length_ms, self._call_if_due, self)

    def _call_if_due(self) -> None:
        now = self.machine.host.read()
        if self._busy or self._due is None or now.boot_ms < self._due:
            if self._busy:
                self.machine.host.later(5, self._call_if_due, self)
            return
        self._due = None
        if not self.registered:
            return
        request = rules.next_request(self.agent, now)
        self._out = seq = request.seq
        held = " ".join(f"{held.ref}:{held.phase}" for held in request.held)
        ended = " ".join(f"{report.ref}" for report in request.endings)
        self.machine.say(f"sync {seq} holds [{held}] ended [{ended}] back {len(request.back)}")
        self._ask(
            f"sync {seq}",
            lambda said: self._answered(seq, now.boot_ms, said),
            lambda answer: self.machine.around.coordinator.sync(request, answer),
        )
        self.machine.host.later(TIMEOUT_MS, lambda: self._timed_out(seq), self)

    def _timed_out(self, seq: int) -> None:
        if self._out == seq:
            self._out = 0
            self.hear(wk.SyncFailed("no answer"))

    def _answered(self, seq: int, sent: Millis, said: Said) -> None:
        if isinstance(said, SyncReply):
            if self._out == seq and not said.superseded:
                self._out = 0
            self.hear(wk.SyncReplied(said, sent))
        elif self._out == seq:
            self._out = 0
            fence = fence_of(said, self.agent)
            if fence == "unknown":
                self.registered = False
                self._register()
            self.hear(wk.SyncFailed("no answer that counts", fenced=fence == "superseded"))

    # Events in, instructions out -----------------------------------------------------------------

    def look(self) -> None:
        """The journal has grown: sync it, then tell the agent what is new."""
        if not self._looking:
            self._looking = True
            self.machine.host.later(self.machine.disk_ms(), self._told, self)

    def _told(self) -> None:
        self._looking = False
        self.machine.journal.sync()
        notes = self.machine.journal.notes
        fresh, self._read_to = notes[self._read_to :], len(notes)
        for note in fresh:
            match note:
                case wk.NoteStarted(ref=ref, started_boot=started):
                    self.hear(wk.Started(ref, started))
                case wk.NoteEnded(ref=ref, ending=ending):
                    self.hear(wk.Finished(ref, ending, note.started_boot, note.ended_boot))
                case wk.NoteReturned(ref=ref):
                    self.hear(wk.Returned(ref))
                case _:
                    pass

    def stopping(self, ref: AttemptRef) -> None:
        """A keeper sent TERM."""
        self.hear(wk.Stopping(ref))

    def _tick(self) -> None:
        now = self.machine.host.read()
        slept = (now.boot_ms - self._looked.boot_ms) - (now.awake_ms - self._looked.awake_ms)
        self._looked = now
        if slept > _SLEPT_MS:
            self.hear(wk.Woke(slept))
        self.hear(wk.Ticked())
        self.machine.host.later(_TICK_MS, self._tick, self)

    def hear(self, event: wk.AgentEvent) -> None:
        """One event for the agent, in its turn."""
        self._events.append(event)
        self._pump()

    def _pump(self) -> None:
        while self._events and not self._busy and self.alive:
            event = self._events.popleft()
            made = deque(rules.handle(self.agent, event, self.machine.host.read()))
            if isinstance(event, wk.SyncReplied) and not event.reply.superseded:
                self.machine.spawner.hear(self.machine.host.read().boot_ms)
                self._call_within(PAUSE_MS)
            self._follow(made)

    def _follow(self, made: deque[wk.Instruction]) -> None:
        """Do these in order; a sync of the disk is waited for."""
        while made and self.alive:
            instruction = made.popleft()
            if isinstance(instruction, wk.SpoolGrants):
                self._spool(instruction, made)
                return
            self._do(instruction)

    def _spool(self, asked: wk.SpoolGrants, rest: deque[wk.Instruction]) -> None:
        """Into the journal, onto the disk, and only then to the queue."""
        machine = self.machine
        boot = machine.host.boot_id
        machine.journal.append(*(wk.NoteGranted(grant, boot) for grant in asked.grants))
        self._busy = True

        def spooled() -> None:
            machine.journal.sync()
            machine.spawner.put(asked.grants)
            self._busy = False
            self._follow(rest)
            self._pump()

        machine.host.later(machine.disk_ms(), spooled, self)

    def _do(self, instruction: wk.Instruction) -> None:
        """Complexity is the number of instructions."""
        machine = self.machine
        match instruction:
            case wk.StopAttempt(ref=ref, reason=reason):
                machine.spawner.stop(ref, reason)
            case wk.MoveStop():
                machine.spawner.move(instruction)
            case wk.Settle(refs=refs):
                machine.journal.append(wk.NoteSettled(refs))
                machine.say(f"settled {' '.join(map(str, refs))}")
            case wk.SetCapacity(capacity=capacity):
                machine.spawner.capacity = capacity.vector()
                machine.spawner.consider()
            case wk.KeepLedger(ledger_id=ledger_id, seen=seen):
                machine.journal.append(wk.NoteLedger(ledger_id, seen))
            case wk.CallSync(within_ms=within_ms):
                self._call_within(within_ms)
            case wk.Quit(reason=reason):
                machine.say(f"daemon quits: {reason}")
                machine.kill_daemon()
            case wk.Tell(finding=finding):
                machine.say(f"tells {finding.code}")
            case wk.SpoolGrants() | wk.Receive() | wk.Ready() | wk.Collect() | wk.Forget():
                raise AssertionError("spooled above, and no tree travels in this world")
            case _:
                assert_never(instruction)
