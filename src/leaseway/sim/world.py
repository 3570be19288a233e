"""One world: built from a seed, run through its faults, healed, and judged."""

from __future__ import annotations

from functools import partial
from hashlib import sha256

from msgspec import Struct

from leaseway.coordinator.errors import CoordinatorError
from leaseway.coordinator.service import Draft, Service
from leaseway.core.history import History
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model.commands import Command, Sync
from leaseway.core.model.events import AttemptEnded, Event, Stamped
from leaseway.core.model.lease import TermsOffer
from leaseway.core.model.outcomes import EndKind
from leaseway.core.model.sync import AttemptRef, SyncReply
from leaseway.core.presence import reported
from leaseway.sim import faults, story, verdict
from leaseway.sim.agenda import Agenda
from leaseway.sim.brief import brief
from leaseway.sim.chance import Chance
from leaseway.sim.coordinator import SETTINGS, Coordinator, Watcher
from leaseway.sim.desk import Said
from leaseway.sim.host import Host
from leaseway.sim.machine import Around, Machine
from leaseway.sim.net import Net
from leaseway.sim.people import People
from leaseway.sim.record import GIVEN_UP, Record
from leaseway.sim.trace import Trace
from leaseway.sim.truth import Truth

STORY_MS = 60_000
LIMIT_MS = 400_000
"""Nothing may be open this long after the world began: see `_bound`."""

_LOOK_MS = 1_000
_LOOKS_LEAST = 3
_INDEX_EVERY = 8
_SHARING = 3
"""In one of so many worlds tasks share the cpus of every worker."""

_RULED = 5
"""In one of so many worlds the pool's policy changes while plans come in."""


class Report(Struct, frozen=True):
    """What came of one seed. `broken`: what should not have happened, empty if all is well."""

    seed: int
    broken: tuple[str, ...]
    digest: str
    took_ms: int  # in the world's own time
    outcomes: dict[str, int]
    trace: Trace


class World(Watcher):
    """Everything there is."""

    def __init__(self, seed: int, kinds: frozenset[faults.Fault] = faults.ALL) -> None:
        chance = Chance(seed)
        self.seed = seed
        self.broken: list[str] = []
        self.agenda = Agenda()
        self.trace = Trace(self.agenda)
        weather = faults.weather(chance.stream("weather"), kinds)
        self.net = Net(self.agenda, chance.stream("net"), self.trace, weather)
        clocks = chance.stream("clocks")
        self._drifts = [faults.drift(clocks, kinds) for _ in range(4)]
        seat = Host(self.agenda, "coordinator", self._drifts[0])
        self.coordinator = Coordinator(seat, chance.stream("coordinator"), self)
        self.net.listener = lambda: self.coordinator.service
        self.record = Record(self.coordinator.ledger_at)
        self.truth = Truth(self.record)
        self.history = History()
        self.told: list[Stamped] = []  # every stored event, in order
        around = Around(self.agenda, self.net, self.trace, self.truth, self.coordinator)
        self._around, self._chance = around, chance
        leases, shared = chance.stream("leases"), seed % _SHARING == 0
        self.machines = {
            name: self._machine(name, name, self._drifts[at], story.offer(leases, shared=shared))
            for at, name in enumerate(story.WORKERS, start=1)
        }
        self.twins: dict[str, Machine] = {}
        self.people = People(
            self.agenda, self.net, self.trace, self.coordinator, chance.stream("people")
        )
        self._steps = 0
        self._kinds = kinds
        self._newest: dict[str, int] = {}  # worker → incarnation before the batch being told
        faults.timetable(self, chance.stream("faults"), kinds)

    def _machine(self, name: str, worker: str, ppm: int, offer: TermsOffer) -> Machine:
        host = Host(self.agenda, name, ppm)
        return Machine(self._around, host, worker, offer, self._chance.stream(name))

    def machine(self, chance: Chance) -> Machine:
        """One of the machines."""
        return chance.pick(tuple(self.machines.values()))

    def twin_of(self, machine: Machine) -> Machine:
        """Another machine that goes by the same name."""
        name = f"{machine.worker}-twin"
        if name not in self.twins:
            self.twins[name] = self._machine(name, machine.worker, 0, machine.offer)
        return self.twins[name]

    # The checks at every step --------------------------------------------------------------------

    def drafted(self, service: Service, draft: Draft) -> None:
        """State predicates hold after every batch."""
        self._steps += 1
        now = service.now()
        for stamped in draft.stamped:
            self._judged(service, stamped.event)
        self.broken += violations(service.view, now)
        if self._steps % _INDEX_EVERY == 0:
            self.broken += index_differences(service.view, now)

    def stored(self, draft: Draft) -> None:
        """What was stored follows from what was stored before."""
        self._newest = {worker: seen[-1] for worker, seen in self.record.incarnations.items()}
        self.told += draft.stamped
        for stamped in draft.stamped:
            self.record.feed(stamped.at, stamped.event)
            self.broken += self.history.feed(stamped.at, stamped.event)
            self.trace.say("ledger", brief(stamped.event))

    def _judged(self, service: Service, event: Event) -> None:
        """After a start or a sleep nobody is called lost who could not have been heard."""
        if not isinstance(event, AttemptEnded) or event.ending.kind is not EndKind.UNKNOWN:
            return
        ref = AttemptRef(event.task, event.number)
        if reported(service.view, event.worker, ref):
            self.record.lost_as_held.add(ref)
        if event.ending.detail.startswith(GIVEN_UP) or event.worker in self.coordinator.heard:
            return
        waited = self.agenda.now - self.coordinator.began
        if waited < SETTINGS.patience_ms * 998 // 1_000:
            self.broken.append(f"judged: {ref} is called lost {waited} ms after a start or sleep")

    def answered(self, command: Command, said: Said) -> None:
        """Only the newest daemon of a name is answered."""
        if not isinstance(command, Sync) or not isinstance(said, SyncReply) or said.superseded:
            return
        worker = command.request.worker
        if command.request.incarnation < self._newest.get(worker, 0):
            self.broken.append(f"fence: an older daemon of {worker} counts")

    def defect(self, wrong: CoordinatorError | ValueError) -> None:
        """The core contradicts itself."""
        self.broken.append(f"defect: {wrong}")

    # Run -----------------------------------------------------------------------------------------

    def run(self) -> Report:
        """The story, the healing, the end."""
        self.coordinator.start()
        for machine in self.machines.values():
            machine.start_daemon()
        for handed in story.plans(self._chance.stream("plans")):
            self.agenda.after(handed.at, partial(self.people.hand_in, handed))
        for at, policy in story.policies(self._chance.stream("policy")):
            if self.seed % _RULED == 1:
                self.agenda.after(at, partial(self.people.rule, policy))
        self._until(STORY_MS)
        self._heal()
        self._settle()
        if not self.broken:
            self.broken += verdict.of_the_queue(self)
            self.broken += verdict.of_results(self)
            self.broken += verdict.of_promises(self) if not self._kinds else ()
        if not self.broken:
            self.people.read()
            self._settle()
            while not self.coordinator.at_rest:
                self._until(self.agenda.now + 1)
            self.broken += verdict.of_the_rest(self)
            self.broken += verdict.of_decisions(self.told)
        return self._report()

    def _until(self, moment: int) -> None:
        while not self.broken and self.agenda.step(moment):
            self.broken += self.truth.found

    def _heal(self) -> None:
        self.trace.say("world", "fault none any more: everything heals")
        self.net.calm()
        self.coordinator.slow_disk, self.coordinator.disk.broken = False, ""
        self.coordinator.wake()
        self.coordinator.start()
        for twin in self.twins.values():
            twin.kill_daemon()
        for machine in self.machines.values():
            machine.recover()
        self.people.repair()

    def _settle(self) -> None:
        """Go on until nothing is left to wait for, a few seconds at the least."""
        for _ in range(_LOOKS_LEAST):
            self._look()
        while not self.broken and not self._settled() and self.agenda.now < self._bound():
            self._look()

    def _look(self) -> None:
        self._until(self.agenda.now + _LOOK_MS)
        for machine in self.machines.values():
            machine.start_daemon()  # one that quit is started again

    def _settled(self) -> bool:
        """Whether nothing is left to wait for."""
        if self.record.open_tasks() or not self.people.done():
            return False
        return not any(machine.owed() for machine in self.machines.values())

    def _bound(self) -> int:
        """By when everything must have ended: the last time to give up, and what a running task
        may take besides (reserved, tail, guard, patience)."""
        give_ups = [known.give_up_at for known in self.record.tasks.values()]
        last = max(give_ups, default=0) - self.coordinator.ledger_at(0)
        return min(LIMIT_MS, max(STORY_MS, last) + 60_000)

    def _report(self) -> Report:
        outcomes: dict[str, int] = {}
        for known in self.record.tasks.values():
            for outcome in known.outcomes:
                outcomes[outcome.kind] = outcomes.get(outcome.kind, 0) + 1
        stored = sha256(self.trace.digest().encode())
        for at, encoded in self.coordinator.disk.events:
            stored.update(b"%d %b" % (at, encoded.payload))
        return Report(
            seed=self.seed,
            broken=tuple(dict.fromkeys(self.broken)),
            digest=stored.hexdigest(),
            took_ms=self.agenda.now,
            outcomes=outcomes,
            trace=self.trace,
        )


def run(seed: int, kinds: frozenset[faults.Fault] = faults.ALL) -> Report:
    """One seed."""
    return World(seed, kinds).run()
