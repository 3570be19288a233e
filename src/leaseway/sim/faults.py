"""What breaks: a timetable from the seed. Each kind can be left out, which is how a trace is made
short: the kinds that a failure does not need go first."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from leaseway.sim.chance import Chance
from leaseway.sim.net import Way, Weather

if TYPE_CHECKING:
    from leaseway.sim.coordinator import Coordinator
    from leaseway.sim.machine import Machine
    from leaseway.sim.world import World


class Fault(StrEnum):
    """Kinds of faults."""

    WEATHER = "weather"  # messages dropped, doubled, late
    CUT = "cut"  # a partition, one way or both
    COORDINATOR_CRASH = "coordinator-crash"
    COORDINATOR_SLEEP = "coordinator-sleep"
    DAEMON_CRASH = "daemon-crash"
    KEEPER_CRASH = "keeper-crash"
    POWER_OFF = "power-off"
    SLEEP = "sleep"
    DRIFT = "drift"
    SLOW_DISK = "slow-disk"
    FULL_DISK = "full-disk"
    USURPER = "usurper"  # a second daemon under the same name
    PEOPLE = "people"  # cancel, give up, change leases, drain, revoke


ALL = frozenset(Fault)
LAST_MS = 45_000
"""The latest beginning of a fault."""


def weather(chance: Chance, kinds: frozenset[Fault]) -> Weather:
    """The network's mood for the whole story."""
    bad = chance.happens(700)
    drawn = Weather(
        dropped=chance.pick((0, 20, 100, 250)),
        doubled=chance.pick((0, 30, 150)),
        late=chance.pick((0, 50, 200)),
        late_most_ms=chance.pick((500, 2_000, 6_000)),
    )
    return drawn if bad and Fault.WEATHER in kinds else Weather()


def drift(chance: Chance, kinds: frozenset[Fault]) -> int:
    """How wrong a machine's clocks run, in millionths."""
    ppm = chance.pick((0, 0, 50, -50, 400, -400, 999, -999))
    return ppm if Fault.DRIFT in kinds else 0


def timetable(world: World, chance: Chance, kinds: frozenset[Fault]) -> None:
    """Put some faults on the agenda. Those left out are drawn all the same."""
    turns: list[tuple[Fault, Callable[[World, Chance], str]]] = list(_ACTS.items())
    drawn = [chance.pick(turns) for _ in range(chance.between(1, 9))]
    drawn += [(Fault.PEOPLE, _people)] * chance.between(0, 6)
    for kind, act in drawn:
        at = chance.between(1_000, LAST_MS)
        own = chance.stream(f"{kind} {at}")
        if kind in kinds:
            world.agenda.after(at, _happens(world, own, kind, act))


def _happens(
    world: World, chance: Chance, kind: Fault, act: Callable[[World, Chance], str]
) -> Callable[[], None]:
    return lambda: world.trace.say("world", f"fault {kind}: {act(world, chance)}")


def _cut(world: World, chance: Chance) -> str:
    end = chance.pick((*world.machines, "people"))
    ways = chance.pick(((Way.UP,), (Way.DOWN,), (Way.UP, Way.DOWN), (Way.UP, Way.DOWN)))
    length = chance.between(500, 40_000)
    world.net.cut.update((end, way) for way in ways)
    world.agenda.after(length, lambda: world.net.cut.difference_update((end, w) for w in ways))
    return f"{end} {'+'.join(ways)} for {length} ms"


def _coordinator_crash(world: World, chance: Chance) -> str:
    length = chance.between(100, 12_000)
    world.coordinator.crash()
    world.agenda.after(length, world.coordinator.start)
    return f"for {length} ms"


def _coordinator_sleep(world: World, chance: Chance) -> str:
    length = chance.between(1_000, 40_000)
    if not world.coordinator.host.asleep:
        world.coordinator.sleep()
        world.agenda.after(length, world.coordinator.wake)
    return f"for {length} ms"


def _daemon_crash(world: World, chance: Chance) -> str:
    machine = world.machine(chance)
    length = chance.between(50, 15_000)
    machine.kill_daemon()
    world.agenda.after(length, machine.start_daemon)
    return f"{machine.host.name} for {length} ms"


def _keeper_crash(world: World, chance: Chance) -> str:
    machine = world.machine(chance)
    for keeper in list(machine.spawner.held.values())[:1]:
        keeper.die()
        return f"{machine.host.name} {keeper.grant.ref}"
    return f"{machine.host.name}, which has none"


def _power_off(world: World, chance: Chance) -> str:
    machine = world.machine(chance)
    length = chance.between(500, 25_000)
    machine.lose_power()
    world.agenda.after(length, machine.power_on)
    return f"{machine.host.name} for {length} ms"


def _sleep(world: World, chance: Chance) -> str:
    machine = world.machine(chance)
    length = chance.between(500, 40_000)
    machine.sleep()
    world.agenda.after(length, machine.wake)
    return f"{machine.host.name} for {length} ms"


def _slow_disk(world: World, chance: Chance) -> str:
    targets: list[Machine | Coordinator] = [*world.machines.values(), world.coordinator]
    target = chance.pick(targets)
    length = chance.between(2_000, 20_000)
    target.slow_disk = True
    world.agenda.after(length, lambda: setattr(target, "slow_disk", False))
    return f"{target.host.name} for {length} ms"


def _full_disk(world: World, chance: Chance) -> str:
    length = chance.between(500, 10_000)
    disk = world.coordinator.disk
    disk.broken = "no space left"
    world.agenda.after(length, lambda: setattr(disk, "broken", ""))
    return f"coordinator for {length} ms"


def _usurper(world: World, chance: Chance) -> str:
    """Somebody starts a daemon under a name that is taken; later the first one comes back."""
    machine = world.machine(chance)
    length = chance.between(3_000, 20_000)
    other = world.twin_of(machine)
    other.start_daemon()

    def over() -> None:
        other.kill_daemon()
        machine.start_daemon()

    world.agenda.after(length, over)
    return f"{other.host.name} as {machine.worker} for {length} ms"


def _people(world: World, chance: Chance) -> str:
    world.people.whim()
    if chance.happens(300):
        world.people.read()
    return "a whim"


_ACTS: dict[Fault, Callable[[World, Chance], str]] = {
    Fault.CUT: _cut,
    Fault.COORDINATOR_CRASH: _coordinator_crash,
    Fault.COORDINATOR_SLEEP: _coordinator_sleep,
    Fault.DAEMON_CRASH: _daemon_crash,
    Fault.KEEPER_CRASH: _keeper_crash,
    Fault.POWER_OFF: _power_off,
    Fault.SLEEP: _sleep,
    Fault.SLOW_DISK: _slow_disk,
    Fault.FULL_DISK: _full_disk,
    Fault.USURPER: _usurper,
    Fault.PEOPLE: _people,
}
