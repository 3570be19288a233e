"""Goal: the spawner starts what fits, in order, and can finish. Method: books by hand."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from leaseway.core.book import may_start
from leaseway.core.model.capacity import Uses
from leaseway.core.model.sync import AttemptRef
from leaseway.core.model.worker import Book, LocalGrant, Verdict, WorkerNow
from tests.core.pool import M, S

FAR = 10**9
NOW = WorkerNow(100 * S, 90 * S)


def grant(name, slots=1, reserved=S, **fields):
    fields = {
        "not_before_boot": 0,
        "start_by_boot": FAR,
        "stop_latest_boot": FAR,
        "uses": Uses(cpus_milli=1000 * slots, slots=slots),
        **fields,
    }
    return LocalGrant(AttemptRef(name, 1), ("true",), reserved, **fields)


def ask(*queue, slots=2, running=(), accepting=True):
    runs = tuple((AttemptRef(f"r{at}", 1), grant("r", used).uses.vector()) for at, used in running)
    capacity = (1000 * slots, FAR, 0, FAR, FAR, slots)
    return may_start(Book(capacity, runs, queue, accepting), NOW)


def names(refs):
    return [ref.task for ref in refs]


def test_in_order_while_there_is_room():
    assert names(ask(grant("a"), grant("b"), grant("c")).start) == ["a", "b"]
    assert names(ask(grant("a"), grant("b"), running=[(0, 1)]).start) == ["a"]
    assert names(ask(grant("a"), running=[(0, 1), (1, 1)]).start) == []


def test_nothing_overtakes_what_stands_before_it_and_needs_the_room():
    """One of two slots is taken: the wide head waits, and the small one behind it with it."""
    assert names(ask(grant("wide", 2), grant("small"), running=[(0, 1)]).start) == []


def test_what_takes_no_room_from_those_before_it_may_start():
    wide, small = grant("wide", 2, not_before_boot=NOW.boot_ms + S), grant("small")
    assert names(ask(wide, small, slots=3).start) == ["small"]
    assert names(ask(wide, small, slots=2).start) == []


def test_not_before_its_time():
    verdict = ask(grant("a", not_before_boot=NOW.boot_ms + 700))
    assert verdict == Verdict(again_ms=700)
    assert names(ask(grant("a", not_before_boot=NOW.boot_ms)).start) == ["a"]


def test_past_its_start_by_it_is_handed_back():
    assert names(ask(grant("a", start_by_boot=NOW.boot_ms - 1)).back) == ["a"]
    assert names(ask(grant("a", start_by_boot=NOW.boot_ms)).start) == ["a"]


def test_look_again_just_after_its_start_by():
    verdict = ask(grant("a", start_by_boot=NOW.boot_ms + 40), running=[(0, 2)])
    assert verdict == Verdict(again_ms=41)


def test_what_cannot_finish_is_handed_back():
    """Two thousandths of 60 s may be the clocks' error: 59.880 s are enough, less is not."""
    enough = NOW.boot_ms + 59_880
    assert names(ask(grant("a", reserved=M, stop_latest_boot=enough)).start) == ["a"]
    assert names(ask(grant("a", reserved=M, stop_latest_boot=enough - 1)).back) == ["a"]


def test_what_is_handed_back_takes_no_room():
    late = grant("late", 2, start_by_boot=0)
    verdict = ask(late, grant("b"))
    assert (names(verdict.back), names(verdict.start)) == (["late"], ["b"])


def test_a_daemon_that_is_gone_starts_nothing_and_hands_back_all_the_same():
    verdict = ask(grant("a"), grant("late", start_by_boot=0), accepting=False)
    assert (names(verdict.start), names(verdict.back)) == ([], ["late"])


def test_an_empty_queue_asks_for_nothing():
    assert ask() == Verdict()


@given(
    st.integers(1, 4),
    st.lists(st.integers(1, 4), max_size=3),
    st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=6),
)
def test_never_more_than_there_is_and_never_past_the_first_that_waits(slots, running, queue):
    book = [
        grant(f"g{at}", need, not_before_boot=FAR if later else 0)
        for at, (need, later) in enumerate(queue)
    ]
    started = names(ask(*book, slots=slots, running=list(enumerate(running))).start)
    free = slots - sum(running)
    taken = sum(need for at, (need, _) in enumerate(queue) if f"g{at}" in started)
    assert taken <= max(0, free)
    for at, (need, later) in enumerate(queue):
        before = sum(other for other, _ in queue[:at])
        fits = need + before <= free
        assert (f"g{at}" in started) is (fits and not later)
