"""A machine as such: power, sleep, and clocks that drift. Timers of a machine that sleeps fire when
it wakes; those of a machine or a process that is gone never do."""

from __future__ import annotations

from leaseway.core.model.worker import WorkerNow
from leaseway.runtime import Clock
from leaseway.sim.agenda import Act, Agenda

_MILLION = 1_000_000
WALL_START = 1_000_000


class Process:
    """Something that runs on a host until it dies."""

    def __init__(self) -> None:
        self.alive = True


class Host:
    """One machine. `drift_ppm`: how much too fast its clocks run."""

    def __init__(self, agenda: Agenda, name: str, drift_ppm: int) -> None:
        self.agenda = agenda
        self.name = name
        self.drift_ppm = drift_ppm
        self.on = True
        self.asleep = False
        self.boot = 1
        self.slept_true_ms = 0  # in all, since the start of the world
        self._booted = agenda.now
        self._slept_ms = 0
        self._dozed = 0
        self._deferred: list[Act] = []

    @property
    def boot_id(self) -> str:
        """Changes with every boot."""
        return f"{self.name}-boot-{self.boot}"

    def read(self) -> WorkerNow:
        """Both clocks."""
        boot_ms = self.counted(self.agenda.now - self._booted)
        return WorkerNow(boot_ms, boot_ms - self._slept_ms)

    def counted(self, true_ms: int) -> int:
        """A true length as this machine's clocks count it."""
        return true_ms * (_MILLION + self.drift_ppm) // _MILLION

    def later(self, counted_ms: int, act: Act, process: Process | None = None) -> None:
        """Do this when the machine's clock has counted so much, if it and `process` are there."""
        boot = self.boot

        def fire() -> None:
            if self.boot != boot or not self.on or (process is not None and not process.alive):
                return
            if self.asleep:
                self._deferred.append(fire)
            else:
                act()

        self.agenda.after(self._true(max(0, counted_ms)), fire)

    def _true(self, counted_ms: int) -> int:
        """A true length after which the clocks have surely counted so much."""
        if not self.drift_ppm or not counted_ms:
            return counted_ms
        return counted_ms * _MILLION // (_MILLION + self.drift_ppm) + 2

    def sleep(self) -> None:
        """The lid is closed."""
        self.asleep, self._dozed = True, self.agenda.now

    def wake(self) -> None:
        """The lid is opened: what was due meanwhile happens now."""
        self.asleep = False
        slept = self.agenda.now - self._dozed
        self.slept_true_ms += slept
        self._slept_ms += self.counted(slept)
        deferred, self._deferred = self._deferred, []
        for act in deferred:
            self.agenda.after(0, act)

    def power_off(self) -> None:
        """Everything in memory is gone."""
        self.on, self.asleep = False, False
        self._deferred.clear()

    def power_on(self) -> None:
        """A new boot: clocks begin anew."""
        self.on = True
        self.boot += 1
        self._booted, self._slept_ms = self.agenda.now, 0


class HostClock(Clock):
    """A host's clocks as the service reads them."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._host = host

    def boot_ms(self) -> int:
        """Since boot, sleep included."""
        return self._host.read().boot_ms

    def awake_ms(self) -> int:
        """Since boot, sleep not included."""
        return self._host.read().awake_ms

    def wall_ms(self) -> int:
        """Wall clock; in this world it is right about how much time has passed."""
        return WALL_START + self._host.counted(self._host.agenda.now)

    def boot_id(self) -> str:
        """Changes with every boot."""
        return self._host.boot_id
