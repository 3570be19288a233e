"""Goal: a task is placed at the earliest room there is. Method: brute force, and cases by hand."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.admission.place import any_open
from leaseway.core.admission.place import place as placed
from leaseway.core.admission.room import Room, Wanted
from leaseway.core.model.capacity import Capacity, Uses
from leaseway.core.model.events import Reservation
from leaseway.core.model.lease import Guard, WindowOffer
from leaseway.core.model.plan import Boundaries
from leaseway.core.model.states import LeaseState
from tests.core.pool import T0, Pool, codes, offer, task

GUARD = Guard(stop_grace_ms=2, kill_ms=1, delivery_ms=1, clock_error_ms=1)
OVERHEAD = 4
# Of so many ms left a worker counts this many less: divided by 1.001, less 0.1 %, rounded down.
DRIFTS = [left - int(int(left / Fraction("1.001")) * Fraction("0.999")) for left in range(200)]
HORIZON = 200

jobs = st.lists(
    st.tuples(
        st.integers(1, 12),  # reserved
        st.integers(1, 3),  # slots
        st.integers(0, 20),  # ready
        st.sets(st.sampled_from("tu"), max_size=2),  # tokens
    ),
    min_size=1,
    max_size=8,
)
leases = st.lists(
    st.tuples(
        st.integers(3, 4),  # slots
        st.lists(st.tuples(st.integers(0, 40), st.integers(8, 60)), min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=2,
)


def place(room, wanted):
    """The rectangle, or why there is none."""
    found = placed(room, wanted)
    return found if isinstance(found, list) else found.rectangle


def pool_of(given):
    pool = Pool()
    for at, (slots, windows) in enumerate(given):
        opened = tuple(WindowOffer(start, start + length) for start, length in windows)
        terms = offer(slots=slots, guard=GUARD, windows=opened, tokens=("t", "u"))
        pool.register(f"w{at}", terms)
    return pool


def fits(given, taken, worker, start, job):
    """Whether a rectangle from `start`, and the clock's error after it, lies in what is open and
    breaks nothing, moment by moment. Windows that overlap or adjoin are open throughout."""
    reserved, slots, _, tokens = job
    most, windows = given[worker]
    end = start + reserved + OVERHEAD
    opened = {moment for low, length in windows for moment in range(low, low + length)}
    if start not in opened:
        return False
    opens, closes = start, start
    while closes in opened:
        closes += 1
    while opens - 1 in opened:
        opens -= 1
    if end + max(GUARD.clock_error_ms, DRIFTS[closes - opens]) > closes:
        return False
    for moment in range(start, end):
        here = [one for one in taken if one[1] <= moment < one[2]]
        if sum(one[3] for one in here if one[0] == worker) + slots > most:
            return False
        if any(tokens & one[4] for one in here):
            return False
    return True


def best_end(given, taken, job):
    """The earliest end of any rectangle of any worker, by trying them all."""
    length = job[0] + OVERHEAD
    ends = [
        start + length
        for worker in range(len(given))
        for start in range(job[2], HORIZON)
        if fits(given, taken, worker, start, job)
    ]
    return min(ends, default=None)


@given(leases, jobs)
def test_earliest_fit_is_that_of_brute_force(given, asked):
    room = Room(pool_of(given).view, T0)
    taken: list[tuple[int, int, int, int, set[str]]] = []
    for at, job in enumerate(asked):
        reserved, slots, ready, tokens = job
        uses = Uses(cpus_milli=1000 * slots, slots=slots)
        wanted = Wanted(task(f"j{at}", reserved, uses=uses, holds=tuple(tokens)), T0 + ready)
        found = place(room, wanted)
        expected = best_end(given, taken, job)
        if expected is None:
            assert isinstance(found, list)
            assert set(codes(found)) <= {"LW302", "LW303", "LW309"}
            continue
        assert isinstance(found, Reservation), found
        start, worker = found.start - T0, int(found.worker[1:])
        assert found.end - T0 == expected
        assert found.end - found.start == reserved + OVERHEAD
        assert fits(given, taken, worker, start, job)
        room.add(wanted, found)
        taken.append((worker, start, found.end - T0, slots, tokens))


def put(room, wanted):
    """Its rectangle."""
    found = place(room, wanted)
    assert isinstance(found, Reservation), found
    return found


def refused(room, wanted):
    """Why there is no place."""
    found = place(room, wanted)
    assert isinstance(found, list), found
    return found


def two():
    """A quick worker that is taken until 50, and a slow one that opens at 20."""
    pool = Pool()
    pool.register("a", offer())
    pool.register("b", offer(windows=(WindowOffer(20, None),)))
    room = Room(pool.view, T0)
    room.add(Wanted(task("x", 50), T0), Reservation("a", T0, T0 + 50, 50))
    return pool, room


def test_windows_to_come_count():
    _, room = two()
    assert put(room, Wanted(task("j", 10), T0)) == Reservation("b", T0 + 20, T0 + 30, 10)


def test_only_on_the_workers_named():
    _, room = two()
    only = Wanted(task("j", 10), T0, Boundaries(workers=("a",)))
    assert put(room, only) == Reservation("a", T0 + 50, T0 + 60, 10)
    never = Wanted(task("j", 10), T0, Boundaries(not_on=("b",)))
    assert put(room, never) == Reservation("a", T0 + 50, T0 + 60, 10)
    avoiding = Wanted(task("j", 10), T0, avoid=("b",))
    assert put(room, avoiding) == Reservation("a", T0 + 50, T0 + 60, 10)


def test_too_late_for_the_requester():
    _, room = two()
    in_time = Wanted(task("j", 10), T0, Boundaries(by=T0 + 30))
    assert put(room, in_time) == Reservation("b", T0 + 20, T0 + 30, 10)
    found = refused(room, Wanted(task("j", 11), T0, Boundaries(by=T0 + 30)))
    assert codes(found) == ["LW303"]
    assert found[0].variant == "by"
    assert found[0].numbers == {"promise_at": T0 + 31, "by_at": T0 + 30, "short_ms": 1}


def test_lanes_of_a_plan():
    """Two at once of one plan, on workers that could take four."""
    pool = Pool()
    pool.register("a", offer(slots=2))
    pool.register("b", offer(slots=2))
    room = Room(pool.view, T0)
    ends = []
    for length in (10, 20, 5, 30):
        wanted = Wanted(task("j", length), T0, Boundaries(max_parallel=2), plan="p-1")
        found = put(room, wanted)
        room.add(wanted, found)
        ends.append((found.start - T0, found.end - T0))
    assert ends == [(0, 10), (0, 20), (10, 15), (15, 45)]


def test_only_active_leases_are_asked():
    pool, room = two()
    pool.view.facts.leases["b"].state = LeaseState.DRAINING
    assert put(room, Wanted(task("j", 10), T0)) == Reservation("a", T0 + 50, T0 + 60, 10)
    pool.view.facts.leases["a"].state = LeaseState.QUARANTINED
    found = refused(Room(pool.view, T0), Wanted(task("j", 10), T0))
    assert (found[0].code, found[0].variant) == ("LW402", "no-worker")
    assert found[0].numbers["states"] == ["a is quarantined", "b is draining"]


def test_behind_what_is_promised_with_both_numbers():
    """Ten minutes, nine of them taken: three are asked, one is left."""
    pool = Pool()
    pool.register("w", offer(600_000))
    room = Room(pool.view, T0)
    room.add(Wanted(task("x", 1), T0), Reservation("w", T0, T0 + 540_000, 540_000))
    found = refused(room, Wanted(task("j", 180_000), T0))
    assert codes(found) == ["LW303"]
    numbers = found[0].numbers
    assert numbers["need_ms"] == 180_000
    assert numbers["have_ms"] == 60_000
    assert numbers["short_ms"] == 120_000
    assert (numbers["free_at"], numbers["close_at"]) == (T0 + 540_000, T0 + 600_000)


def test_the_nearest_miss_speaks_for_all():
    pool = Pool()
    for name, cap in (("a", 3), (("b"), 5), ("c", 4)):
        pool.register(name, offer(max_run_ms=cap))
    found = refused(Room(pool.view, T0), Wanted(task("j", 7), T0))
    assert codes(found) == ["LW301"]
    assert found[0].workers == ("b", "c", "a")
    assert found[0].numbers["cap_ms"] == 5
    assert found[0].numbers["cap_ms@a"] == 3


def test_any_open_asks_the_gates_only():
    pool, room = two()
    assert any_open(room, Wanted(task("j"), T0)) == []
    pool.register("c", offer(capacity=Capacity(gpus=1)))
    room = Room(pool.view, T0)
    assert any_open(room, Wanted(task("j", uses=Uses(gpus=1)), T0)) == []
    assert codes(any_open(room, Wanted(task("j", uses=Uses(gpus=2)), T0))) == ["LW401"]
