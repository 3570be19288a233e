"""Small pools and short stories for the tests of `explain`, and its answers as keys."""

from __future__ import annotations

from random import Random

from hypothesis import strategies as st

from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.lease import Guard, Scope, TermsChange, WindowOffer
from leaseway.core.model.plan import Archive, Repeat, Selector, Workspace
from leaseway.core.model.states import LeaseState
from tests.core.explain_held import NAMES
from tests.core.pool import AGENT, NO_GUARD, PERSON, Pool, S, alone, offer, task

GUARD = Guard(stop_grace_ms=2 * S, kill_ms=1 * S, delivery_ms=1 * S, clock_error_ms=500)
TREE = Workspace(Archive("sha256:" + "a" * 64, 16_000_000, 2_000))  # 0.5 + 2 + 0.5 s to receive
WORKERS = ("w", "x", "y")
WINDOWS = (
    (WindowOffer(0, None),),
    (WindowOffer(0, 60 * S),),
    (WindowOffer(30 * S, 200 * S),),
    (WindowOffer(0, 25 * S), WindowOffer(60 * S, 200 * S)),
)


def capacities(slots, gpus):
    return Capacity(cpus_milli=1000 * slots, slots=slots, gpus=gpus)


def a_lease(chance):
    pick = chance.choice
    return offer(
        windows=pick(WINDOWS),
        guard=pick((NO_GUARD, GUARD)),
        capacity=capacities(pick((1, 2)), pick((0, 1))),
        tokens=("t",),
        labels=pick(((), ("big",))),
        max_run_ms=pick((None, None, 20 * S)),
        share=pick(({}, {}, {"owner": 30})),
        scope=pick((Scope(), Scope(), Scope(commands=("true",), write=("/d",)))),
    )


def a_task(chance):
    pick = chance.choice
    slots = pick((1, 1, 2))
    return {
        "limit_ms": pick((None, 5 * S, 20 * S, 40 * S)),
        "estimate_ms": pick((None, None, 10 * S)),
        "uses": Uses(cpus_milli=1000 * slots, slots=slots, gpus=pick((0, 0, 0, 1))),
        "holds": pick(((), (), ("t",))),
        "on": pick((Selector(), Selector(), Selector(labels=("big",)))),
        "writes": pick(((), (), ("/d/one",), ("/e/two",))),
        "reads": pick(((), ("/d/one",))),
        "repeat": pick((Repeat.NEVER, Repeat.SAFE)),
        "give_up_ms": pick((None, 30 * S, 200 * S)),
        "promise": pick(("auto", "auto", "none")),
        "on_withdrawn": "wait",
    }


def a_submit(chance):
    pick = chance.choice
    fields = {
        "workers": pick(((), (), ("w",))),
        "not_on": pick(((), (), ("w",))),
        "max_parallel": pick((None, None, 1)),
        "workspace": pick((None, None, None, TREE)),
        "by_ms": pick((None, None, 50 * S)),
        "who": pick((PERSON, AGENT)),
    }
    given = [a_task(chance) for _ in range(pick((1, 2, 3)))]
    lasts = [pick((0, 1 * S, 8 * S, 300 * S)) for _ in given]
    return ("submit", given, fields, lasts, pick((True, False, False)))


CHANGES = (
    TermsChange(max_run_ms=8 * S),
    TermsChange(capacity=capacities(1, 0)),
    TermsChange(windows=(WindowOffer(0, 15 * S),)),
    TermsChange(windows=(WindowOffer(20 * S, 100 * S),)),
    TermsChange(labels=()),
    TermsChange(guard=GUARD),
)
STATES = (LeaseState.DRAINING, LeaseState.QUARANTINED, LeaseState.ACTIVE, LeaseState.ACTIVE)


def a_step(chance):
    """Mostly plans that are handed in and time that passes; now and then what an owner does."""
    match chance.randrange(12):
        case 0 | 1 | 2 | 3:
            return a_submit(chance)
        case 4 | 5 | 6:
            return ("run", chance.choice((500, 2 * S, 7 * S, 20 * S)))
        case 7:
            return ("change", chance.choice(WORKERS), chance.choice(CHANGES))
        case 8:
            return ("state", chance.choice(WORKERS), chance.choice(STATES))
        case 9:
            return ("deaf", chance.choice(WORKERS), chance.choice((True, False)))
        case 10:
            return ("give up", chance.choice(WORKERS), None)
        case _:
            return ("refuses", chance.choice(WORKERS), chance.choice((True, True, False)))


def a_story(seed):
    """Leases, whether they are on one machine, and what happens."""
    chance = Random(seed)
    offers = [a_lease(chance) for _ in range(chance.choice((1, 2, 3)))]
    some = [a_submit(chance), *(a_step(chance) for _ in range(chance.randrange(2, 9)))]
    return offers, chance.choice((True, False)), some


stories = st.integers(0, 1 << 32).map(a_story)


def opened(offers, one_machine):
    pool = Pool()
    for name, terms in zip(WORKERS, offers, strict=False):
        machine = "one" if one_machine else f"m-{name}"
        join(pool, name, terms, machine)
    return pool


def join(pool, name, terms, machine):
    """A machine with these terms that has synced once."""
    fields = {each: getattr(terms, each) for each in terms.__struct_fields__}
    pool.worker(name, machine=machine, **fields)


def take(pool, step, at):
    """One step of a story; what is refused changes nothing."""
    match step:
        case ("submit", given, fields, lasts, chained):
            made = []
            for place, (one, last) in enumerate(zip(given, lasts, strict=False)):
                name = f"s{at}t{place}"
                needs = (f"s{at}t{place - 1}",) if chained and place else ()
                pool.lasts[name] = last
                made.append(task(name, needs=needs, run=alone(name), **one))
            pool.submit(*made, partial=True, **fields)
        case ("run", length):
            pool.run(length)
        case (kind, name, value) if name in pool.machines:
            if kind == "change":
                pool.do(cmd.ChangeLease(name, value, "ada"))
            elif kind == "state":
                pool.do(cmd.SetState(name, value, "ada"))
            elif kind == "give up":
                pool.machines[name].deaf = True
                pool.run(16 * S)  # longer than patience
                for held in tuple(pool.view.index.attempts.get(name, ()))[:1]:
                    pool.do(cmd.GiveUp(held, "ada"))
            elif kind == "refuses":
                pool.machines[name].refuses = value
            else:
                pool.machines[name].deaf = value


def waiting(pool):
    return [each for each in pool.view.facts.tasks.values() if each.state.value == "waiting"]


def amounts(numbers):
    """Resource, asked, free, total (or asked, have) from numbers with their units."""
    found = {key.split("_")[0]: value for key, value in numbers.items() if key != "resource"}
    assert numbers["resource"] in NAMES
    return numbers["resource"], found


def key_of(finding):
    """A finding in the oracle's form: code, variant and every number that it rests on."""
    code, variant, said = finding.code, finding.variant, finding.numbers
    rest: tuple[object, ...]
    match code:
        case "LW401":
            name, found = amounts(said)
            rest = (name, found["need"], found["have"])
        case "LW723" if variant in ("", "promised"):
            name, found = amounts(
                {k: v for k, v in said.items() if k not in ("start_at", "before")}
            )
            rest = (name, found["need"], found["free"], found["cap"])
            rest += (said["start_at"],) if variant else ()
        case "LW721":
            rest = (finding.tasks[1],)
            variant = variant if variant in ("conflict", "unconfirmed") else ""
        case "LW722":
            rest = (said["name"], said["start_at"] if variant == "promised" else finding.tasks[1])
        case "LW723" if variant == "unconfirmed":
            rest = (finding.tasks[1],)
        case "LW402":
            rest = (tuple(said["missing"]),)
        case "LW502":
            rest = (tuple(said["paths"]),)
        case _ if (code, variant) in KEYS:
            rest = tuple(said.get(name) for name in KEYS[code, variant])
        case _:
            raise AssertionError(f"the oracle knows nothing of {finding}")
    return (code, variant, *rest)


KEYS = {
    ("LW301", ""): ("need_ms", "cap_ms", "short_ms"),
    ("LW302", ""): ("need_ms", "have_ms", "short_ms", "left_ms"),
    ("LW303", ""): ("need_ms", "free_at", "close_at", "have_ms", "short_ms"),
    ("LW309", ""): ("left_ms", "guard_ms"),
    ("LW311", ""): ("held_ms", "cap_ms", "need_ms", "short_ms"),
    ("LW501", ""): ("command",),
    ("LW723", "ahead"): ("start_at",),
    ("LW724", ""): ("heard_at",),
    ("LW725", ""): ("opens_at",),
    ("LW725", "short"): ("left_ms", "short_ms"),
    ("LW726", ""): ("cap",),
    ("LW726", "promised"): ("cap", "start_at"),
    ("LW727", "passed"): ("start_at",),
    ("LW729", "handed-back"): ("count", "again_at"),
    ("LW731", ""): ("state",),
    ("LW734", ""): (),
    ("LW734", "not-on"): (),
    ("LW805", ""): (),
}
