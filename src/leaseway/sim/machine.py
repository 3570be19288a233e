"""A worker's machine: its disk, its daemon if one runs, and what outlives the daemon."""

from __future__ import annotations

from leaseway.core.model.lease import TermsOffer
from leaseway.sim.agenda import Act, Agenda
from leaseway.sim.chance import Chance
from leaseway.sim.coordinator import Coordinator
from leaseway.sim.daemon import Daemon
from leaseway.sim.disk import Journal
from leaseway.sim.host import Host
from leaseway.sim.keepers import Spawner
from leaseway.sim.net import Net
from leaseway.sim.trace import Trace
from leaseway.sim.truth import Truth


class Around:
    """What every machine of a world shares."""

    def __init__(
        self, agenda: Agenda, net: Net, trace: Trace, truth: Truth, coordinator: Coordinator
    ) -> None:
        self.agenda = agenda
        self.net = net
        self.trace = trace
        self.truth = truth
        self.coordinator = coordinator


class Machine:
    """One machine. `worker`: the name its daemon goes by, which another machine may use too."""

    def __init__(
        self, around: Around, host: Host, worker: str, offer: TermsOffer, chance: Chance
    ) -> None:
        self.around = around
        self.agenda = around.agenda
        self.truth = around.truth
        self.host = host
        self.worker = worker
        self.offer = offer
        self.journal = Journal(f"{host.name}-spool")
        self.slow_disk = False
        self.daemon: Daemon | None = None
        self.spawner = Spawner(self)
        self._chance = chance

    def say(self, what: str) -> None:
        """A line of the trace."""
        self.around.trace.say(self.host.name, what)

    def disk_ms(self) -> int:
        """How long a sync of the disk takes now."""
        return self._chance.between(200, 2_500) if self.slow_disk else self._chance.between(1, 6)

    def receive(self, act: Act) -> None:
        """A message arrives: lost if the machine is off, late if it sleeps."""
        if self.host.on:
            self.host.later(0, act)

    def moved(self) -> None:
        """The journal has grown."""
        if self.daemon is not None:
            self.daemon.look()

    def start_daemon(self) -> None:
        """The owner, or the system, starts the daemon."""
        if self.host.on and self.daemon is None:
            self.daemon = Daemon(self)
            self.daemon.start()

    def kill_daemon(self) -> None:
        """SIGKILL; keepers and queue go on, nothing new starts."""
        if self.daemon is not None:
            self.daemon.alive = False
            self.daemon = None
            self.spawner.accept(False)

    def sleep(self) -> None:
        """The lid is closed."""
        if self.host.on and not self.host.asleep:
            self.host.sleep()

    def wake(self) -> None:
        """The lid is opened; keepers look at their clocks before anything else goes on."""
        if self.host.asleep:
            for keeper in self.spawner.held.values():
                self.host.later(0, keeper.look)
            self.host.wake()

    def lose_power(self) -> None:
        """Everything in memory is gone, and perhaps the unsynced tail of the disk."""
        if not self.host.on:
            return
        self.kill_daemon()
        self.host.power_off()
        for run in self.truth.runs:
            if run.host is self.host and run.alive:
                run.ended = self.agenda.now
        lost = self.journal.lose_power(self._chance)
        self.spawner = Spawner(self)
        self.say(f"lost {lost} notes of its journal")

    def power_on(self) -> None:
        """A new boot; the system starts the daemon again."""
        if not self.host.on:
            self.host.power_on()
            self.start_daemon()

    def owed(self) -> list[str]:
        """What it still has to tell, or its daemon if it has none. An ending that was settled, and
        of which a power cut has wiped the note, is told again; where its task was forgotten
        meanwhile, nobody can settle it a second time."""
        if self.daemon is None or not self.daemon.registered:
            return ["its daemon"]
        agent = self.daemon.agent
        held = [ref for ref in agent.attempts if ref not in self.journal.retold]
        return [str(ref) for ref in (*held, *agent.back)]

    def recover(self) -> None:
        """Whatever state it is in: on, awake, quick, and with a daemon."""
        self.slow_disk = False
        self.wake()
        self.power_on()
        self.start_daemon()
