"""What a seed asks of the house: leases, and plans with who hands them in when."""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.commands import Principal, Role
from leaseway.core.model.lease import Guard, Mode, TermsOffer, WindowOffer
from leaseway.core.model.plan import PlanSpec, Repeat, TaskSpec
from leaseway.core.model.policy import Approve, Policy, Weight
from leaseway.core.model.units import Millis
from leaseway.sim.chance import Chance
from leaseway.sim.keepers import Script

WORKERS = ("w1", "w2", "w3")
TASKS = 12
PATHS = ("out", "out/a", "out/b", "nas:/x", "log/*.txt")
TOKENS = ("gpu-room", "bench")
PEOPLE = (Principal("ann", Role.OWNER), Principal("bot", Role.AGENT))
EVE = Principal("eve", Role.OWNER)
"""Who sets policies and says yes or no; she hands nothing in."""

GUARDS = (
    Guard(stop_grace_ms=1_000, kill_ms=500, delivery_ms=2_000, clock_error_ms=500),
    Guard(stop_grace_ms=2_000, kill_ms=500, delivery_ms=1_500, clock_error_ms=500),
    Guard(),
)


class Handed(Struct, frozen=True):
    """A plan, who hands it in, and when."""

    at: int
    who: Principal
    plan: PlanSpec
    key: str
    partial: bool


def offer(chance: Chance, *, shared: bool = False) -> TermsOffer:
    """A lease. `shared`: tasks share its cpus, and there are more slots than those."""
    slots = chance.between(1, 3)
    closes = None if chance.happens(500) else chance.between(25_000, 120_000)
    opens = chance.between(1_000, 15_000) if chance.happens(150) else 0
    return TermsOffer(
        windows=(WindowOffer(opens_in_ms=opens, closes_in_ms=closes and closes + opens),),
        max_run_ms=chance.between(8_000, 30_000) if chance.happens(300) else None,
        capacity=Capacity(cpus_milli=slots * 1_000, slots=slots * 2 if shared else slots),
        tokens=TOKENS,
        guard=chance.pick(GUARDS),
        mode=Mode.SHARED if shared else Mode.RESERVED,
        stretch_percent=150,
    )


def plans(chance: Chance) -> list[Handed]:
    """All tasks of a story, in a few plans."""
    made: list[Handed] = []
    left = TASKS
    while left:
        size = min(left, chance.between(2, 6))
        left -= size
        number = len(made) + 1
        tasks = tuple(_task(chance, at) for at in range(size))
        plan = PlanSpec(
            name=f"p{number}",
            tasks=tasks,
            max_parallel=chance.between(1, 3) if chance.happens(200) else None,
        )
        handed = Handed(
            at=chance.between(500, 30_000),
            who=chance.pick(PEOPLE),
            plan=plan,
            key=f"key-{number}",
            partial=chance.happens(500),
        )
        made.append(handed)
    return made


def policies(chance: Chance) -> list[tuple[Millis, Policy]]:
    """What an owner sets, and when: some ask about what the agent hands in, some refuse it."""
    weights = tuple(Weight)
    return [
        (
            chance.between(100, 30_000),
            Policy(
                findings={
                    "LW201": chance.pick(weights),
                    "LW203": chance.pick(weights),
                    "LW205": chance.pick(weights),
                },
                guard_ms=chance.between(0, 3_000),
                share={"agent": chance.between(20, 100)} if chance.happens(300) else {},
                approve=Approve(longer_than_ms=chance.between(2_000, 12_000))
                if chance.happens(500)
                else Approve(),
            ),
        )
        for _ in range(4)
    ]


def _task(chance: Chance, at: int) -> TaskSpec:
    limit = chance.between(2_000, 12_000)
    estimate = chance.between(1_000, limit) if chance.happens(300) else None
    needs = tuple(f"t{before}" for before in range(at) if chance.happens(250))
    holds = (chance.pick(TOKENS),) if chance.happens(300) else ()
    return TaskSpec(
        name=f"t{at}",
        run=_script(chance, estimate or limit).command(),
        needs=needs,
        reads=(chance.pick(PATHS),) if chance.happens(200) else (),
        writes=(chance.pick(PATHS),) if chance.happens(200) else (),
        holds=holds,
        uses=Uses(cpus_milli=2_000, slots=2) if chance.happens(120) else Uses(),
        limit_ms=limit,
        estimate_ms=estimate,
        promise="none" if chance.happens(150) else "auto",
        repeat=chance.pick((Repeat.NEVER, Repeat.IF_NOT_STARTED, Repeat.SAFE, Repeat.SAFE)),
        cut_off_ms=chance.between(2_000, 8_000) if chance.happens(100) else None,
        on_withdrawn=chance.pick((None, "wait", "end")),
        give_up_ms=chance.between(20_000, 50_000),
    )


def _script(chance: Chance, own: Millis) -> Script:
    """Mostly it fits; sometimes it runs over, or for ever."""
    turn = chance.between(1, 100)
    if turn <= 75:
        work = chance.between(100, own)
    elif turn <= 92:
        work = chance.between(own, 2 * own + 4_000)
    else:
        work = 3_600_000
    exit_code = 0 if chance.happens(900) else chance.between(1, 3)
    return Script(work, exit_code, chance.pick(("dies", "dies", "tidies", "ignores")))
