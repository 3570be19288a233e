"""A pool in virtual time for tests: the real view, the real agents, an instant network.

`Pool` carries commands out and remembers what was stored. A `Machine` is one worker: a real agent,
the real `may_start`, and processes that last as long as the test says.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from leaseway.core.agent import Agent, handle, next_request
from leaseway.core.book import may_start
from leaseway.core.decide import carry_out
from leaseway.core.model import commands as cmd
from leaseway.core.model import worker as wk
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.events import Heard, Judged, Stamped
from leaseway.core.model.lease import Guard, TermsOffer, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.sync import AttemptRef, RegisterRequest
from leaseway.core.model.view import Settings, View
from leaseway.core.rings import rings

T0 = 1_000_000
S, M = 1_000, 60_000
HOLD = 7_500  # a parked call is held for half of the patience at most
NO_GUARD = Guard(0, 0, 0, 0)
PERSON = cmd.Principal("ada", cmd.Role.OWNER)
AGENT = cmd.Principal("bot", cmd.Role.AGENT)


def task(name, limit_ms=None, **fields):
    """A task that touches nothing unless told otherwise."""
    fields = {"reads": (), "writes": (), "run": ("true",), **fields}
    return TaskSpec(name, limit_ms=limit_ms, **fields)


def alone(name):
    """A command for which nothing is learned from the runs of others: numbers do not tell apart."""
    return ("true", "".join("abcdefghij"[int(each)] if each.isdigit() else each for each in name))


def plan(*tasks, **fields):
    return PlanSpec(fields.pop("name", "p"), tuple(tasks), **fields)


def offer(window_ms=None, *, slots=1, guard=NO_GUARD, **fields):
    """A lease that is open from now on, with as many cpus as slots."""
    capacity = fields.pop("capacity", Capacity(cpus_milli=1000 * slots, slots=slots))
    windows = fields.pop("windows", (WindowOffer(0, window_ms),))
    return TermsOffer(windows=windows, capacity=capacity, guard=guard, **fields)


@dataclass
class Process:
    """One process: ends by itself at `ends`, is stopped at `stop`."""

    grant: wk.LocalGrant
    started: int
    ends: int
    stop: int
    reason: StopReason


@dataclass
class Machine:
    """One worker. `lasts` says how long a task really runs; `deaf`: its syncs do not get through;
    `stubborn`: names of tasks that ignore TERM for so long."""

    pool: Pool
    name: str
    agent: Agent
    queue: list[wk.LocalGrant] = field(default_factory=list)
    running: dict[AttemptRef, Process] = field(default_factory=dict)
    due: int = 0
    deaf: bool = False
    dead: bool = False
    accepting: bool = True
    refuses: bool = False  # hands back whatever it is granted
    capacity: Capacity = field(default_factory=Capacity)
    starts: list[str] = field(default_factory=list)

    def now(self):
        return wk.WorkerNow(self.pool.now - T0, self.pool.now - T0)

    def tell(self, event):
        for instruction in handle(self.agent, event, self.now()):
            self._obey(instruction)

    def _obey(self, instruction):
        match instruction:
            case wk.SpoolGrants(grants=grants):
                self.queue = sorted([*self.queue, *grants], key=lambda grant: grant.order)
            case wk.StopAttempt(ref=ref, reason=reason):
                self._stop(ref, reason)
            case wk.MoveStop(ref=ref, stop_boot=stop, reason=reason) if ref in self.running:
                self.running[ref].stop, self.running[ref].reason = stop, reason
            case wk.SetCapacity(capacity=capacity):
                self.capacity = capacity
            case wk.CallSync(within_ms=within):
                self.due = min(self.due, self.pool.now + within)
            case _:
                pass

    def _stop(self, ref, reason):
        waiting = [grant for grant in self.queue if grant.ref == ref]
        if waiting:
            self.queue.remove(waiting[0])
            self.tell(wk.Returned(ref))
        elif ref in self.running:
            self.running[ref].stop = self.now().boot_ms
            self.running[ref].reason = reason

    def work(self):
        """Everything that happens here at this moment, without the network."""
        boot = self.now().boot_ms
        for ref, process in list(self.running.items()):
            if boot >= min(process.ends, process.stop):
                self._ended(ref, process, boot)
        verdict = may_start(self.book(), self.now())
        for ref in [grant.ref for grant in self.queue] if self.refuses else verdict.back:
            self.queue = [grant for grant in self.queue if grant.ref != ref]
            self.tell(wk.Returned(ref))
        for ref in () if self.refuses else verdict.start:
            self._start(ref, boot)

    def book(self):
        running = tuple((ref, run.grant.uses.vector()) for ref, run in self.running.items())
        return wk.Book(self.capacity.vector(), running, tuple(self.queue), self.accepting)

    def _start(self, ref, boot):
        grant = next(grant for grant in self.queue if grant.ref == ref)
        self.queue.remove(grant)
        self.starts.append(self.pool.name_of(ref.task))
        lasts = self.pool.lasts.get(self.pool.name_of(ref.task), 0)
        own = boot + grant.reserved_ms
        reason = StopReason.WINDOW if grant.stop_latest_boot < own else StopReason.RESERVED
        stop = min(own, grant.stop_latest_boot)
        self.running[ref] = Process(grant, boot, boot + lasts, stop, reason)
        self.tell(wk.Started(ref, boot))

    def _ended(self, ref, process, boot):
        del self.running[ref]
        ran = boot - process.started
        if process.ends <= boot:
            code = self.pool.exits.get(self.pool.name_of(ref.task), 0)
            results = self.pool.results.get(self.pool.name_of(ref.task))
            ending = Ending(
                EndKind.EXITED, exit_code=code, ran_ms=ran, held_ms=ran, results=results
            )
        else:
            ending = Ending(
                EndKind.SIGNALED, signal=15, reason=process.reason, ran_ms=ran, held_ms=ran
            )
        self.tell(wk.Finished(ref, ending, process.started, boot))

    def sync(self):
        """One call to the coordinator and its answer, at one moment."""
        self.due = self.pool.now + HOLD
        request = next_request(self.agent, self.now())
        if self.deaf:
            return self.tell(wk.SyncFailed("no answer"))
        sent = self.now().boot_ms
        carried = self.pool.do(cmd.Sync(request, self.pool.now, "fresh"))
        if carried.refused:
            return self.tell(wk.SyncFailed("fenced", fenced=True))
        self.tell(wk.SyncReplied(carried.reply, sent))
        return carried.reply

    def next_moment(self):
        """When something happens here by itself, in ledger time."""
        moments = [min(run.ends, run.stop) + T0 for run in self.running.values()]
        again = may_start(self.book(), self.now()).again_ms if self.queue else None
        if again is not None:
            moments.append(self.pool.now + max(1, again))
        return min([*moments, self.due])


class Pool:
    """A coordinator's core and its workers in virtual time."""

    def __init__(self, settings=None):
        self.view = View(settings)
        self.now = T0
        self.history = []
        self.machines = {}
        self.lasts = {}
        self.exits = {}  # by name of the task; 0 where nothing is said
        self.results = {}  # by name of the task: what it brings back
        self.rung = set()
        self.next_tick = T0
        self.do(cmd.Open("ledger-1"))
        self.tick(resumed=True)

    def do(self, command):
        """Carry a command out now; remember what would be stored, and whom it wakes."""
        carried = carry_out(self.view, command, self.now)
        for event in carried.events:
            if not isinstance(event, (Heard, Judged)):
                self.history.append(Stamped(self.now, event))
            for ring in rings(self.view, event):
                self.rung.add(ring)
        return carried

    def tick(self, **fields):
        return self.do(cmd.Tick(**fields))

    def register(self, name, terms, **fields):
        """Register without a machine; the reply."""
        ids = {"spool_id": f"spool-{name}", "boot_id": f"boot-{name}", "machine_id": f"m-{name}"}
        request = RegisterRequest(name=name, offer=terms, **{**ids, **fields})
        return self.do(cmd.Register(request)).reply

    def worker(self, name="w", window_ms=None, machine="", **fields):
        """A machine that has registered and synced once; `machine`: where it runs."""
        reply = self.register(name, offer(window_ms, **fields), machine_id=machine or f"m-{name}")
        machine = Machine(self, name, Agent(name, f"spool-{name}", f"boot-{name}"))
        self.machines[name] = machine
        machine.tell(wk.Registered(reply, machine.now().boot_ms))
        machine.sync()
        return machine

    def submit(self, *tasks, who=PERSON, partial=False, key="", digest="", **fields):
        """Submit a plan; settles nothing: `run` lets the workers act."""
        given = plan(*tasks, **fields)
        return self.do(cmd.Submit(given, who, key=key, digest=digest, partial=partial))

    def name_of(self, task_id):
        return task_id.rsplit("/", 1)[1]

    def task(self, name):
        """The newest task of this name."""
        return [each for each in self.view.facts.tasks.values() if each.spec.name == name][-1]

    def outcome(self, name):
        outcome = self.task(name).outcome
        return None if outcome is None else outcome.kind.value

    def ids(self, *names):
        return [self.task(name).id for name in names]

    def settle(self):
        """Let everything due at this very moment happen."""
        for _ in range(1_000):
            busy = False
            for machine in self.machines.values():
                if machine.dead:
                    continue
                machine.work()
                if f"worker:{machine.name}" in self.rung or machine.due <= self.now:
                    self.rung.discard(f"worker:{machine.name}")
                    machine.sync()
                    busy = True
            if not busy:
                return
        raise AssertionError("the pool does not come to rest")

    def run(self, for_ms):
        """Let time pass: ticks each second, syncs and ends when they are due."""
        until = self.now + for_ms
        self.settle()
        while self.now < until:
            moments = [
                machine.next_moment() for machine in self.machines.values() if not machine.dead
            ]
            self.now = max(self.now + 1, min([until, self.next_tick, *moments]))
            if self.now >= self.next_tick:
                self.next_tick = self.now + S
                self.tick()
            self.settle()


def codes(findings):
    return [finding.code for finding in findings]


def kinds(pool):
    """The stored events by name, in order."""
    return [type(stamped.event).__name__ for stamped in pool.history]


def events(pool, kind):
    return [stamped.event for stamped in pool.history if isinstance(stamped.event, kind)]


def small_settings(**fields):
    return Settings(**fields)
