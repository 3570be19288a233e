"""Goal: each reason by itself, both ways: given with its numbers where it stands, and not where it
just does not. Method: one pair of situations a reason, by hand, on a worker beside another one.
"""

from __future__ import annotations

import pytest

from leaseway.core.explain import explain, is_boundary
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import Guard, Scope, WindowOffer
from leaseway.core.model.plan import Selector
from leaseway.core.model.states import LeaseState
from leaseway.core.wording.english import ENGLISH
from tests.core.explain_oracle import Oracle
from tests.core.explain_world import a_story, key_of, opened, take
from tests.core.pool import T0, Pool, S, task
from tests.core.test_explain_oracle import compare

BIG = Uses(cpus_milli=2000)
LONG = {"limit_ms": 20 * S}


def pair(lease, spec=LONG, **plan):
    """A pool of `z`, where the task has its place after another, and `w` with these terms."""
    pool = Pool()
    pool.worker("z", slots=2, labels=("big",))
    pool.lasts = {"first": 300 * S}
    whole = Uses(2000, slots=2)  # one runs, and two are granted ahead: what follows them waits
    fillers = (task(name, 50 * S, uses=whole) for name in ("first", "second", "third"))
    pool.submit(*fillers, workers=("z",))
    pool.worker("w", **{"slots": 2, **lease})
    pool.submit(task("one", **spec), **plan)
    return pool


def near(code, *, stands, not_quite, key, spec=LONG):
    return pytest.param(stands, not_quite, spec, key, id=f"{code}")


# The terms of `w` under which the reason stands, under which it just does not, and its numbers.
GATES = [
    near("LW301", stands={"max_run_ms": 19 * S}, not_quite={"max_run_ms": 20 * S},
         key=("LW301", "", 20 * S, 19 * S, S)),
    near("LW302", stands={"windows": (WindowOffer(0, 19 * S),)},
         not_quite={"windows": (WindowOffer(0, 20 * S),)},
         key=("LW302", "", 20 * S, 19 * S, S, 19 * S)),
    near("LW401", stands={"capacity": Capacity(1999, slots=1)},
         not_quite={"capacity": Capacity(2000, slots=1)},
         key=("LW401", "", "cpus", 2000, 1999), spec={**LONG, "uses": BIG}),
    near("LW402", stands={}, not_quite={"labels": ("big",)}, key=("LW402", "", ("big",)),
         spec={**LONG, "on": Selector(labels=("big",))}),
    near("LW501", stands={"scope": Scope(commands=("make",))},
         not_quite={"scope": Scope(commands=("tru*",))}, key=("LW501", "", "true")),
    near("LW502", stands={"scope": Scope(write=("/d",))},
         not_quite={"scope": Scope(write=("/e",))}, key=("LW502", "", ("/e/one",)),
         spec={**LONG, "writes": ("/e/one",)}),
    near("LW725", stands={"windows": (WindowOffer(1, None),)},
         not_quite={"windows": (WindowOffer(0, None),)}, key=("LW725", "", T0 + 1)),
    near("LW725/short", stands={"windows": (WindowOffer(0, 19 * S), WindowOffer(60 * S, None))},
         not_quite={"windows": (WindowOffer(0, 20 * S), WindowOffer(60 * S, None))},
         key=("LW725", "short", 19 * S, S)),
    near("LW311", stands={"share": {"owner": 50}, "windows": (WindowOffer(0, 39 * S),), "slots": 1},
         not_quite={"share": {"owner": 50}, "windows": (WindowOffer(0, 40 * S),), "slots": 1},
         key=("LW311", "", 0, 19_500, 20 * S, 500)),
]  # fmt: skip


@pytest.mark.parametrize(("stands", "not_quite", "spec", "key"), GATES)
def test_a_reason_and_one_step_before_it(stands, not_quite, spec, key):
    for terms, there in ((stands, True), (not_quite, False)):
        pool = pair(terms, spec)
        one = pool.task("one")
        if not there:
            assert pool.task("one").attempt is not None, "nothing else stands against it"
            continue
        compare(pool)
        (at_w,) = [each for each in explain(pool.view, one, pool.now).workers if each.worker == "w"]
        assert [key_of(each) for each in at_w.reasons] == [key]


def test_a_window_that_is_as_long_as_the_guard_has_nothing_left():
    guard = Guard(stop_grace_ms=2 * S, kill_ms=S, delivery_ms=S, clock_error_ms=0)
    pool = pair({"windows": (WindowOffer(0, 30 * S),), "guard": guard}, {"uses": BIG})
    pool.do(cmd.Cancel(pool.task("one").plan, "ada"))
    pool.machines["w"].deaf = True
    pool.submit(task("late", uses=BIG))
    for left, told in ((4 * S, True), (4 * S + 1, False)):
        pool.now = T0 + 30 * S - left
        found = Oracle(pool.view, pool.task("late"), pool.now).at("w")
        assert (("LW309", "", 4 * S, 4 * S) in found) is told
        compare(pool)


@pytest.mark.parametrize(
    ("state", "accepted", "deaf"),
    [("draining", True, False), ("active", False, False), ("active", True, True)],
)
def test_who_is_not_asked_is_told_with_everything_else(state, accepted, deaf):
    pool = pair({"max_run_ms": 5 * S})
    pool.view.facts.leases["w"].state = LeaseState(state)
    pool.view.facts.leases["w"].ledger_accepted = accepted
    pool.now += 15_001 if deaf else 0
    at_w = explain(pool.view, pool.task("one"), pool.now).workers[1]
    codes = [each.code for each in at_w.reasons]
    first = {"draining": "LW731", "active": "LW724" if deaf else "LW805"}[state]
    assert codes == [first, "LW301"], "the second reason is not hidden by the first"
    compare(pool)


def test_the_stories_hit_every_kind_of_reason():
    seen = set()
    for seed in range(400):
        offers, one_machine, steps = a_story(seed)
        pool = opened(offers, one_machine)
        for at, step in enumerate(steps):
            take(pool, step, at)
            seen |= compare(pool)
    assert seen >= {
        ("LW301", ""), ("LW302", ""), ("LW309", ""), ("LW311", ""), ("LW401", ""), ("LW402", ""),
        ("LW502", ""), ("LW721", ""), ("LW721", "conflict"), ("LW722", ""), ("LW722", "promised"),
        ("LW723", ""), ("LW723", "promised"), ("LW723", "ahead"), ("LW724", ""), ("LW725", ""),
        ("LW725", "short"), ("LW726", ""), ("LW726", "promised"), ("LW731", ""), ("LW734", ""),
        ("LW734", "not-on"), ("LW729", "handed-back"),
        ("LW722", "unconfirmed"), ("LW723", "unconfirmed"),
    }  # fmt: skip


@pytest.mark.parametrize("key", ENGLISH.entries)
def test_a_sentence_that_names_the_boundary_and_its_flag_agree(key):
    """`boundary` is what the first sentence says, for all that can head an explanation."""
    code, _, variant = key.partition("/")
    said = ENGLISH.entries[key][0]
    flag = is_boundary(Finding(code, variant=variant.removesuffix("many").removesuffix("-")))
    if said.startswith("The boundary is not the cause"):
        assert not flag
    elif said.startswith(("The boundary:", "The boundary is the cause", "Not the boundary alone")):
        assert flag
