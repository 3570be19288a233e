"""Goal: later submits move no earlier promise, nor take its room. Method: random submits."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.model import events as ev
from leaseway.core.model.capacity import Uses
from leaseway.core.model.states import TaskState
from tests.core.pool import T0, Pool, S, events, offer, task


def pool_of(window_ms, **fields):
    pool = Pool()
    pool.register("w", offer(window_ms, **fields))
    return pool


submits = st.lists(
    st.lists(
        st.tuples(st.integers(1, 30), st.integers(1, 2), st.booleans(), st.booleans()),
        min_size=1,
        max_size=4,
    ),
    min_size=2,
    max_size=6,
)


@given(submits, st.sampled_from([1, 2, None]))
def test_earlier_promises_never_move_by_later_submits(given_submits, most):
    pool = pool_of(200 * S, slots=2, tokens=("t",))
    told: dict[str, Any] = {}
    for at, tasks in enumerate(given_submits):
        specs = [
            task(
                f"t{at}-{number}",
                length * S,
                uses=Uses(cpus_milli=1000 * slots, slots=slots),
                holds=("t",) if token else (),
                needs=(f"t{at}-{number - 1}",) if needs and number else (),
            )
            for number, (length, slots, token, needs) in enumerate(tasks)
        ]
        pool.now += S // 2
        pool.submit(*specs, partial=True, max_parallel=most)
        for name, kept in told.items():
            one = pool.view.facts.tasks[name]
            assert (one.promise, one.reservation) == kept
        told = {
            name: (one.promise, one.reservation)
            for name, one in pool.view.facts.tasks.items()
            if one.state is TaskState.WAITING
        }
    for reserved in events(pool, ev.TaskReserved):
        assert reserved.promise == reserved.reservation.end <= T0 + 200 * S
    check_room(pool, 2)


def check_room(pool, slots):
    """No more at once than there is, of slots and of the token, at every start."""
    rooms = [(one.reservation, one.spec) for one in pool.view.facts.tasks.values()]
    rooms = [(room, spec) for room, spec in rooms if room is not None]
    for room, _ in rooms:
        here = [spec for other, spec in rooms if other.start <= room.start < other.end]
        assert sum(spec.uses.slots for spec in here) <= slots
        assert sum(len(spec.holds) for spec in here) <= 1
