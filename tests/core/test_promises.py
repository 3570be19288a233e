"""Goal: no promise is broken by later arrivals or early ends. Method: random plans, real agents."""

from __future__ import annotations

from hypothesis import given, note, settings
from hypothesis import strategies as st

from leaseway.core.model import events as ev
from leaseway.core.model.capacity import Uses
from leaseway.core.model.lease import Guard
from tests.core.pool import Pool, S, alone, events, task

GUARD = Guard(stop_grace_ms=1_000, kill_ms=500, delivery_ms=2_000, clock_error_ms=500)
WORKERS = st.sampled_from([(2,), (3,), (2, 1), (2, 2), (3, 1, 2)])


@st.composite
def arrivals(draw, tokens=True, parallel=True):
    """Submits as (gap before it, max_parallel, tasks as (reserved, lasts, slots, token, needs))."""
    made = []
    for _ in range(draw(st.integers(1, 5))):
        gap = draw(st.integers(0, 40)) * S // 2
        most = draw(st.sampled_from([None, None, 1, 2])) if parallel else None
        tasks = []
        for at in range(draw(st.integers(1, 4))):
            reserved = draw(st.integers(1, 30))
            lasts = draw(st.integers(0, reserved))
            slots = draw(st.sampled_from([1, 1, 2]))
            token = draw(st.sampled_from(["", "", "t"])) if tokens else ""
            needs = draw(st.sets(st.integers(0, at - 1), max_size=2)) if at else set()
            tasks.append((reserved * S, lasts * S, slots, token, frozenset(needs)))
        made.append((gap, most, tuple(tasks)))
    return tuple(made)


def hand_in(pool, most, tasks, first):
    """Submit one plan; what each accepted task was told."""
    specs = []
    for at, (reserved, lasts, slots, token, needs) in enumerate(tasks):
        name = f"t{first + at}"
        pool.lasts[name] = lasts
        specs.append(
            task(
                name,
                reserved,
                uses=Uses(cpus_milli=1000 * slots, slots=slots),
                holds=(token,) if token else (),
                run=alone(name),
                needs=tuple(f"t{first + need}" for need in sorted(needs)),
            )
        )
    carried = pool.submit(*specs, max_parallel=most)
    assert carried.refused is None, carried.refused
    return {promised.task: promised.promise for promised in carried.reply.tasks}


def play(slots, submits):
    """All submits in turn, then time until all is over; every promise as told."""
    pool = Pool()
    for at, count in enumerate(slots):
        pool.worker(f"w{at}", slots=count, guard=GUARD, tokens=("t",))
    told: dict[str, int] = {}
    for gap, most, tasks in submits:
        pool.run(gap)
        told |= hand_in(pool, most, tasks, len(told))
    pool.run(max(told.values()) - pool.now + 5 * S)
    return pool, told


def check_kept(pool, told):
    for name, promise in told.items():
        done = pool.view.facts.tasks[name]
        note(f"{name}: promised {promise - 1_000_000}, {done.past} {done.outcome}")
    for name, promise in told.items():
        done = pool.view.facts.tasks[name]
        assert done.outcome is not None, f"{name} has not ended"
        assert done.outcome.kind == "succeeded", name
        assert done.past[-1].ended_at <= promise, name
    assert not events(pool, ev.PromiseWithdrawn)


@settings(max_examples=150)
@given(WORKERS, arrivals(False, False))
def test_every_task_ends_by_its_promise(slots, submits):
    check_kept(*play(slots, submits))


@settings(max_examples=150)
@given(WORKERS, arrivals())
def test_every_task_ends_by_its_promise_with_tokens_and_lanes(slots, submits):
    check_kept(*play(slots, submits))
