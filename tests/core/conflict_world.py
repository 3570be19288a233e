"""Small pools in which plans that touch the same few paths are moved about, for tests of order."""

from __future__ import annotations

from random import Random

from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import Guard, TermsChange, WindowOffer
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import LeaseState
from tests.core.pool import AGENT, PERSON, Pool, S, alone, task

PATHS = ("/a", "/a", "/a/x", "/b", "nas:/z")
MACHINES = (("m", "m", "n"), ("m", "m", "m"), ("k", "m", "n"))
GUARDS = (Guard(0, 0, 0, 0), Guard(0, 0, 500, 0))
CHANGES = (
    TermsChange(windows=(WindowOffer(0, 12 * S), WindowOffer(40 * S, 200 * S))),
    TermsChange(windows=(WindowOffer(10 * S, 100 * S),)),
    TermsChange(windows=(WindowOffer(0, None),)),
    TermsChange(max_run_ms=7 * S),
)
STATES = (LeaseState.DRAINING, LeaseState.QUARANTINED, LeaseState.ACTIVE, LeaseState.ACTIVE)


def a_story(seed):
    """A pool, and what happens: mostly submits and time, now and then a worker's or owner's act."""
    chance = Random(seed)
    pick = chance.choice
    slots, guard, pool = pick((1, 2, 3)), pick(GUARDS), Pool()
    for name, machine in zip("wxy", pick(MACHINES), strict=True):
        pool.worker(name, slots=slots, machine=machine, tokens=("t",), guard=guard)
    return pool, [a_step(chance) for _ in range(chance.randrange(4, 14))]


def a_step(chance):
    pick = chance.choice
    match chance.randrange(12):
        case 0 | 1 | 2 | 3 | 4:
            given = [a_task(chance) for _ in range(pick((1, 1, 2, 3)))]
            lasts = [pick((0, 1 * S, 3 * S, 30 * S)) for _ in given]
            chained = [chance.random() < 0.3 for _ in given]
            fields = {"who": pick((PERSON, AGENT)), "max_parallel": pick((None, None, 1))}
            return ("submit", given, lasts, chained, fields)
        case 5 | 6 | 7:
            return ("run", pick((200, 1 * S, 3 * S, 10 * S, 30 * S)))
        case 8:
            return ("deaf", pick("wxy"), pick((True, False)))
        case 9:
            return ("change", pick("wxy"), pick(CHANGES))
        case 10:
            return ("state", pick("wxy"), pick(STATES))
        case _:
            return ("cancel", chance.random())


def a_task(chance):
    pick = chance.choice
    return {
        "limit_ms": pick((None, 5 * S, 10 * S, 20 * S)),
        "writes": tuple(chance.sample(PATHS, pick((0, 1, 1, 2)))),
        "reads": tuple(chance.sample(PATHS, pick((0, 0, 1)))),
        "repeat": pick((Repeat.NEVER, Repeat.SAFE)),
        "on_withdrawn": pick(("wait", "wait", "end")),
        "give_up_ms": pick((None, None, 20 * S)),
        "holds": pick(((), (), ("t",))),
    }


def take(pool, step, at):
    """One step of a story; what is refused changes nothing."""
    match step:
        case ("submit", given, lasts, chained, fields):
            made = []
            for place, one in enumerate(given):
                name = f"s{at}t{place}"
                pool.lasts[name] = lasts[place]
                needs = (f"s{at}t{place - 1}",) if place and chained[place] else ()
                made.append(task(name, needs=needs, run=alone(name), **one))
            pool.submit(*made, partial=True, **fields)
        case ("run", length):
            pool.run(length)
        case ("deaf", name, deaf):
            pool.machines[name].deaf = deaf
        case ("change", name, change):
            pool.do(cmd.ChangeLease(name, change, "ada"))
        case ("state", name, state):
            pool.do(cmd.SetState(name, state, "ada"))
        case ("cancel", which):
            still = [each.id for each in pool.view.facts.tasks.values() if each.outcome is None]
            if still:
                pool.do(cmd.Cancel(still[int(which * len(still))], "ada"))
        case _:
            raise AssertionError(step)
