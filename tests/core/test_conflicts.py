"""Tasks of different plans that touch the same thing never run side by side, and who comes later
is told. Method: stories by hand, and random pools in which every pair of attempts is compared."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from leaseway.core.conflicts import machine_of
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model.accesses import accesses_of
from leaseway.core.model.events import (
    AttemptEnded,
    AttemptGranted,
    AttemptReturned,
    Reservation,
    RoomFreed,
)
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.paths import meet
from leaseway.core.model.plan import Repeat
from leaseway.core.model.states import LeaseState, TaskState
from tests.core.conflict_world import a_story, take
from tests.core.pool import AGENT, PERSON, T0, Pool, S, codes, events, task


def two_plans(first, second, **machines):
    pool = Pool()
    for name, machine in (machines or {"w": "m"}).items():
        pool.worker(name, slots=3, machine=machine)
    pool.lasts = {"a": 4 * S, "b": S}
    pool.submit(first, name="one")
    told = pool.submit(second, name="two", who=AGENT).reply.findings
    pool.run(2 * S)
    return pool, told


def writes(name, *paths, **fields):
    return task(name, fields.pop("limit_ms", 5 * S), writes=paths, **fields)


def test_the_second_writer_is_placed_after_the_first_and_told_so() -> None:
    pool, findings = two_plans(writes("a", "out/x"), writes("b", "out"))
    (told,) = [each for each in findings if each.code == "LW205"]
    assert told.tasks == ("b", "one-1/a")
    assert told.numbers == {
        "plan": "one-1",
        "by": PERSON.name,
        "ends_at": pool.task("a").promise,
        "over": "out/x",
    }
    assert pool.task("a").state is TaskState.RUNNING
    assert pool.task("b").state is TaskState.WAITING
    pool.run(4 * S)
    assert pool.outcome("b") == "succeeded"


def test_a_bad_end_does_not_skip_who_only_waited() -> None:
    pool, _ = two_plans(writes("a", "f"), writes("b", "f"))
    pool.do(cmd.Cancel(pool.task("a").id, "ada"))
    pool.run(3 * S)
    assert (pool.outcome("a"), pool.outcome("b")) == ("cancelled", "succeeded")


def test_readers_do_not_wait_for_each_other() -> None:
    pool, _ = two_plans(task("a", 5 * S, reads=("f",)), task("b", 5 * S, reads=("f",)))
    assert pool.outcome("b") == "succeeded"


def test_plain_paths_conflict_on_one_machine_only() -> None:
    """The worker of the other machine takes it at once; two workers of one machine share a disk."""
    apart, _ = two_plans(writes("a", "f"), writes("b", "f"), w="m1", v="m2")
    assert apart.outcome("b") == "succeeded"
    shared, _ = two_plans(writes("a", "f"), writes("b", "f"), w="m1", v="m1")
    assert shared.task("b").state is TaskState.WAITING


def test_named_spaces_conflict_everywhere() -> None:
    pool, _ = two_plans(writes("a", "nas:/data"), writes("b", "nas:/data/x"), w="m1", v="m2")
    assert pool.task("b").state is TaskState.WAITING


def test_unknown_access_is_a_conflict() -> None:
    unknown = task("b", 5 * S, reads=None, writes=None, workdir="/srv/p")
    pool, _ = two_plans(writes("a", "/srv/p/out"), unknown)
    assert pool.task("b").state is TaskState.WAITING
    known, _ = two_plans(writes("a", "/srv/p/out"), task("b", 5 * S, reads=None, parallel=True))
    assert known.outcome("b") == "succeeded"


def test_best_effort_starts_only_where_it_meets_nobody() -> None:
    pool, _ = two_plans(writes("a", "f"), task("b", None, writes=("f",)))
    assert pool.task("b").state is TaskState.WAITING
    pool.run(6 * S)
    assert pool.outcome("b") == "succeeded"


def test_best_effort_that_is_repeated_does_not_go_before_who_was_promised() -> None:
    """It runs for 20 s, the longest allowed, and is repeated: whoever was promised what it touches
    from then on goes first, and it goes on when that has ended."""
    pool = Pool()
    pool.worker("w", slots=2, max_run_ms=20 * S)
    pool.lasts = {"repeated": 300 * S, "promised": 5 * S}
    pool.submit(task("repeated", writes=("/f",), repeat=Repeat.SAFE), name="one")
    pool.settle()
    pool.submit(writes("promised", "/f", limit_ms=10 * S), name="two")
    assert pool.task("promised").promise == T0 + 30 * S
    pool.run(26 * S)
    assert pool.outcome("promised") == "succeeded"
    assert pool.task("promised").past[0].started_at == T0 + 20 * S
    again = pool.task("repeated").attempt
    assert again is not None
    assert (again.number, again.started_at) == (2, T0 + 25 * S)
    assert overlaps(pool) == []
    assert violations(pool.view, pool.now) == []


PATHS = st.sampled_from(["a", "a/x", "a/y", "b", "nas:/z", "c/*.o"])
TASK = st.tuples(
    st.lists(PATHS, max_size=2), st.lists(PATHS, max_size=2), st.integers(1, 4), st.booleans()
)
PLANS = st.lists(st.tuples(st.booleans(), st.lists(TASK, min_size=1, max_size=3)), max_size=5)


def overlaps(pool: Pool) -> list[tuple[str, str]]:
    """Pairs of attempts, of all that ever were, that held a grant at the same time and conflict on
    their machine. What may still run out of hearing holds it until it is known to be over."""
    ends = {
        (each.task, each.number): each.ended_at
        for each in events(pool, AttemptEnded)
        if not each.until
    }
    for stamped in pool.history:
        if isinstance(stamped.event, (AttemptReturned, RoomFreed)):
            ends[stamped.event.task, stamped.event.number] = stamped.at
    held = []
    for stamped in pool.history:
        event = stamped.event
        if isinstance(event, AttemptGranted):
            end = ends.get((event.task, event.number), pool.now)
            held.append((event.task, event.worker, stamped.at, end))
    found = []
    for (one, w1, s1, e1), (two, w2, s2, e2) in combinations(held, 2):
        if one != two and s1 < e2 and s2 < e1 and conflict(pool, (one, w1), (two, w2)):
            found.append((one, two))
    return found


def conflict(pool: Pool, one: tuple[str, str], two: tuple[str, str]) -> bool:
    def touches(name):
        spec = pool.view.facts.tasks[name].spec
        return accesses_of(spec, None)

    same = machine_of(pool.view, one[1]) == machine_of(pool.view, two[1])
    return any(
        (left.writes or right.writes) and meet(left.place, right.place) and (same or left.is_shared)
        for left in touches(one[0])
        for right in touches(two[0])
    )


@settings(max_examples=60)
@given(PLANS, st.integers(0, 3))
def test_no_two_conflicting_attempts_overlap_and_promises_hold(plans, cancels) -> None:
    pool = Pool()
    pool.worker("w", slots=2, machine="m1")
    pool.worker("v", slots=2, machine="m2")
    for number, (is_agent, tasks) in enumerate(plans):
        specs = []
        for at, (reads, written, seconds, unknown) in enumerate(tasks):
            name = f"t{number}-{at}"
            pool.lasts[name] = seconds * 700
            known = not unknown or bool(reads)
            said = (tuple(reads), tuple(written)) if known else (None, None)
            specs.append(task(name, seconds * S, reads=said[0], writes=said[1]))
        pool.submit(*specs, name=f"p{number}", who=AGENT if is_agent else PERSON)
        if number < cancels and number:
            pool.do(cmd.Cancel(f"p{number - 1}-{number}", "ada"))
        pool.run(1 * S)
    pool.run(120 * S)
    assert overlaps(pool) == []
    for each in pool.view.facts.tasks.values():
        assert each.outcome is not None, each.id
        if each.promise is not None and each.outcome.kind == "succeeded":
            ended_at = each.past[-1].ended_at
            assert ended_at is not None
            assert ended_at <= each.promise


@settings(max_examples=150)
@given(st.integers(0, 1 << 32))
def test_whatever_moves_who_conflicts_stays_in_order(seed) -> None:
    """Workers vanish and come back, leases shrink, drain and grow, tasks end early or are
    cancelled: of two that conflict one always waits for the other, and no attempts overlap."""
    pool, steps = a_story(seed)
    for at, step in enumerate(steps):
        take(pool, step, at)
        assert violations(pool.view, pool.now) == [], at
        assert index_differences(pool.view, pool.now) == [], at
    for machine in pool.machines.values():
        machine.deaf = False
    pool.run(30 * S)
    assert violations(pool.view, pool.now) == []
    assert overlaps(pool) == []


def test_who_stood_behind_it_through_another_that_moves_away_still_does() -> None:
    """first ← middle ← last write one file of machine m. middle goes to machine n, where nobody is
    in its way: last, which waited for it alone, must now wait for first itself."""
    pool = Pool()
    pool.worker("w", slots=3, machine="m")
    pool.worker("v", machine="m")
    pool.lasts = {"first": 60 * S, "middle": S, "last": S}
    pool.submit(writes("first", "/f", limit_ms=60 * S), workers=("w",))
    pool.settle()
    pool.submit(writes("middle", "/f"), not_on=("w",))
    pool.submit(writes("last", "/f"), workers=("w",))
    assert [edge.before for edge in pool.task("last").edges] == [pool.task("middle").id]
    pool.worker("x", machine="n")
    pool.do(cmd.SetState("v", LeaseState.DRAINING, "ada"))
    assert violations(pool.view, pool.now) == []
    pool.run(10 * S)
    assert pool.outcome("middle") == "succeeded"
    assert pool.task("last").state is TaskState.WAITING
    pool.run(55 * S)
    assert pool.outcome("last") == "succeeded"
    assert overlaps(pool) == []


def test_a_newcomer_waits_for_who_stands_behind_a_writer_that_moved() -> None:
    """writer ← reader, one plan; the writer moves to another worker of the machine and ends no
    later, so the reader keeps its place. The writer is the last to get a place, and still the
    reader stands behind it: a second writer waits for the reader too."""
    pool = Pool()
    pool.worker("w", machine="m", windows=(WindowOffer(10 * S, 90 * S),))
    pool.worker("v", machine="m")
    pool.do(cmd.SetState("v", LeaseState.DRAINING, "ada"))
    pool.lasts = {"writer": 5 * S, "reader": 5 * S, "second": S}
    pool.submit(writes("writer", "/f"), task("reader", 5 * S, reads=("/f",)), name="one")
    place = pool.task("reader").reservation
    assert place == Reservation("w", T0 + 15 * S, T0 + 20 * S, 5 * S)
    pool.do(cmd.SetState("v", LeaseState.ACTIVE, "ada"))
    pool.do(cmd.ChangeLease("w", TermsChange(windows=(WindowOffer(15 * S, 90 * S),)), "ada"))
    assert pool.task("writer").reservation == Reservation("v", T0, T0 + 5 * S, 5 * S)
    assert pool.task("reader").reservation == place
    pool.submit(writes("second", "/f"), name="two", workers=("v",))
    assert {edge.before for edge in pool.task("second").edges} == set(pool.ids("writer", "reader"))
    pool.run(40 * S)
    assert pool.outcome("second") == "succeeded"
    assert overlaps(pool) == []


def test_who_touches_something_else_is_told_nothing() -> None:
    pool, told = two_plans(writes("a", "f"), writes("b", "g"))
    assert codes(told) == []
    assert pool.outcome("b") == "succeeded"
