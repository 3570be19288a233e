"""Goal: the record says what became of every promise. Method: a story told in virtual time, whose
numbers are known beforehand; a replay; and names without end."""

from __future__ import annotations

from leaseway.core.evolve import replay
from leaseway.core.model import commands as cmd
from leaseway.core.model.capacity import Uses
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.outcomes import Waste
from leaseway.core.model.record import Tally
from leaseway.core.model.states import LeaseState
from leaseway.core.model.view import View
from leaseway.core.record.keeping import NAMES_KEPT, _tally
from leaseway.ledger.encoding import canonical
from tests.core.pool import AGENT, M, Pool, S, task


def story():
    """`kept` runs 2 of its 3 minutes; `over` is stopped after its 3, for another was promised the
    room; `gone` is cancelled while it waits; `cut` waits for `first`, promised in 8 minutes."""
    pool = Pool()
    pool.worker("box", window_ms=60 * M)
    pool.lasts = {"kept": 2 * M, "over": 9 * M, "next": M, "cut": 5 * M}
    pool.submit(task("kept", 3 * M))
    pool.run(2 * M)
    pool.submit(task("over", 3 * M, uses=Uses(cpus_milli=500)), who=AGENT)
    pool.settle()
    pool.submit(task("next", 3 * M), task("gone", 3 * M, needs=("next",)))
    pool.run(3 * M + 30 * S)
    pool.do(cmd.Cancel(pool.task("gone").id, "ada"))
    pool.run(M)
    pool.submit(task("first", 3 * M), task("cut", 5 * M, needs=("first",)))
    pool.lasts["first"] = 10 * M
    pool.settle()
    return pool


def test_a_story_of_promises():
    pool = story()
    assert [pool.outcome(name) for name in ("kept", "over", "next", "gone")] == [
        "succeeded",
        "overran",
        "succeeded",
        "cancelled",
    ]
    change = TermsChange(windows=(WindowOffer(0, 4 * M),))
    pool.do(cmd.ChangeLease("box", change, "ada"))
    record = pool.view.facts.record
    box = record.workers["box"]
    assert (box.made, box.kept, box.overran, box.dropped, box.withdrawn) == (6, 2, 1, 1, 1)
    assert (box.broken, box.moved, box.open) == (0, 0, 1)  # `first` runs
    assert (box.ahead_ms, box.ahead_least_ms) == (8 * M, 8 * M)
    assert box.causes == {"LW605": 1}
    assert box.wasted == (Waste("LW702", 90 * S, 1),)  # half a core for 3 minutes
    assert record.principals["bot"].wasted == box.wasted
    assert record.principals["ada"].wasted == ()
    assert (record.principals["bot"].made, record.principals["bot"].overran) == (1, 1)
    assert record.principals["ada"].made == 5
    assert set(record.bases) == {"limit"}
    assert record.bases["limit"].made == 6


def test_a_window_that_ends_what_runs_breaks_its_promise():
    pool = story()
    pool.do(cmd.Revoke("box", "ada"))
    pool.run(M)
    assert pool.outcome("first") == "stopped"
    box = pool.view.facts.record.workers["box"]
    assert (box.broken, box.withdrawn, box.open) == (1, 1, 0)
    assert sum(box.causes.values()) == 2


def test_a_promise_that_moves_in_silence_counts_for_who_holds_it():
    pool = Pool()
    pool.worker("one", window_ms=60 * M)
    pool.submit(task("a", 3 * M), task("b", 3 * M, needs=("a",)))
    pool.lasts = {"a": 2 * M, "b": M}
    pool.settle()
    pool.worker("two", window_ms=60 * M)
    pool.do(cmd.SetState("one", LeaseState.DRAINING, "ada"))
    pool.run(10 * M)
    record = pool.view.facts.record
    assert pool.task("b").past[-1].worker == "two"
    one, two = record.workers["one"], record.workers["two"]
    assert (one.made, one.kept, one.moved, one.withdrawn) == (2, 1, 1, 0)
    assert (two.made, two.kept, two.open) == (1, 1, 0)
    assert (record.principals["ada"].made, record.principals["ada"].kept) == (2, 2)


def test_a_replay_gives_the_same_record():
    pool = story()
    again = replay(View(pool.view.settings), pool.history)
    assert canonical(again.facts) == canonical(pool.view.facts)


def test_names_are_bounded_and_the_oldest_go_first():
    view, tallies = View(), dict[str, Tally]()
    for at in range(NAMES_KEPT + 3):
        view.facts.position = at
        _tally(view, tallies, f"n{at}").made += 1
    assert len(tallies) == NAMES_KEPT
    assert "n2" not in tallies
    assert "n3" in tallies
