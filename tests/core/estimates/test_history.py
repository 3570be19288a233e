"""Goal: nothing is promised on no word, and what is promised follows from the runs. Method: a pool
in virtual time; the numbers are worked by hand."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from leaseway.core.estimates.learning import learn
from leaseway.core.evolve import replay
from leaseway.core.model.commands import Cancel
from leaseway.core.model.estimate import Estimate, Likeness
from leaseway.core.model.events import TaskSubmitted
from leaseway.core.model.findings import Severity
from leaseway.core.model.outcomes import Ending, EndKind
from leaseway.core.model.plan import TaskSpec
from leaseway.core.model.view import Facts, Settings, View
from leaseway.core.rebuilding import rebuild
from leaseway.ledger.encoding import canonical
from tests.core.pool import M, Pool, S, codes, events, task

LENGTHS = [10 * S, 20 * S] * 4 + [10 * S]


def ran(pool, name, lasts, **fields):
    """Submit one, let it run to its end, and say what was told."""
    pool.lasts[name] = lasts
    done = pool.submit(task(name, **fields))
    assert done.refused is None, done.refused
    pool.run(lasts + M)
    return done.reply


@pytest.fixture
def nine():
    pool = Pool()
    pool.worker()
    for at, lasts in enumerate(LENGTHS):
        ran(pool, f"t{at}", lasts)
    return pool


def only(reply):
    (promised,) = reply.tasks
    return promised


def test_nine_runs_without_a_promise_and_the_tenth_with_one():
    """Means of two are 15 s; the second run took twice the two that it is held against: 30 s."""
    nine = Pool()
    nine.worker()
    replies = [ran(nine, f"t{at}", lasts) for at, lasts in enumerate(LENGTHS)]
    assert [only(reply).promise for reply in replies] == [None] * 9
    told = [reply.findings for reply in replies]
    assert [codes(each) for each in told] == [["LW304"]] * 9
    assert [each[0].variant for each in told] == [""] + ["runs"] * 8
    assert [each[0].numbers for each in told[1:]] == [
        {"count": count, "most": 9} for count in range(1, 9)
    ]
    assert {each[0].severity for each in told} == {Severity.NOTE}
    start = nine.now
    tenth = nine.submit(task("t9")).reply
    assert tenth.findings == ()
    assert only(tenth).promise == start + 30 * S
    assert only(tenth).reservation.reserved_ms == 30 * S
    learned = nine.task("t9").spec.learned
    assert (learned.bound_ms, learned.runs, learned.likeness) == (30 * S, 9, Likeness.COMMAND)
    assert learned.achieved_ppm is None  # none was put to the test yet


def test_what_was_used_is_in_the_event(nine):
    nine.submit(task("t9"))
    assert events(nine, TaskSubmitted)[-1].spec.learned == nine.task("t9").spec.learned


def test_bounds_are_put_to_the_test(nine):
    for at, lasts in enumerate((20 * S, 10 * S, 30 * S)):
        ran(nine, f"u{at}", lasts)
    nine.submit(task("last"))
    learned = nine.task("last").spec.learned
    assert (learned.judged, learned.covered, learned.runs) == (3, 3, 12)
    assert learned.achieved_ppm == 1_000_000


def test_what_the_task_says_itself_counts(nine):
    start = nine.now
    own = nine.submit(task("own", estimate_ms=40 * S)).reply
    assert only(own).promise == start + 40 * S
    assert nine.task("own").spec.learned is None
    assert own.findings == ()


def test_a_limit_is_never_passed_and_the_bound_is_reserved_below_it(nine):
    start = nine.now
    below = nine.submit(task("below", 10 * M)).reply
    assert only(below).promise == start + 30 * S
    above = nine.submit(task("above", 25 * S)).reply
    assert only(above).reservation.reserved_ms == 25 * S


def test_no_promise_asked_for_none_given(nine):
    reply = nine.submit(task("free", promise="none")).reply
    assert only(reply).promise is None
    assert (reply.findings, nine.task("free").spec.learned) == ((), None)


def test_an_estimate_below_all_that_was_seen_is_told(nine):
    reply = nine.submit(task("short", estimate_ms=9 * S)).reply
    (finding,) = reply.findings
    assert (finding.code, finding.severity) == ("LW308", Severity.WARNING)
    assert finding.numbers == {"estimate_ms": 9 * S, "low_ms": 10 * S, "high_ms": 20 * S}
    assert only(reply).promise is not None
    assert nine.submit(task("as-seen", estimate_ms=10 * S)).reply.findings == ()


def test_what_a_plan_says_was_learned_is_dropped():
    pool = Pool()
    pool.worker()
    made_up = Estimate(S, 99, "0" * 12, Likeness.COMMAND)
    reply = pool.submit(task("t", learned=made_up)).reply
    assert only(reply).promise is None
    assert pool.task("t").spec.learned is None


def test_an_overrun_teaches(nine):
    """Stopped at 30 s because another was promised the room: at least so long. Of eleven with the
    next one two are left above, more than one in ten: nothing that holds can be said."""
    nine.lasts["t9"] = 5 * M
    nine.submit(task("t9"))
    nine.submit(TaskSpec("other", ("other",), limit_ms=2 * M, reads=(), writes=()))
    nine.run(4 * M)
    assert nine.outcome("t9") == "overran"
    again = nine.submit(task("t10"))
    assert again.refused is None
    assert only(again.reply).promise is None
    (told,) = again.reply.findings
    assert (told.code, told.variant, told.numbers["count"]) == ("LW304", "unsure", 9)
    bounded = nine.submit(task("t11", 10 * M)).reply
    assert only(bounded).reservation.reserved_ms == 10 * M


def test_unchanged_with_its_own_estimate_is_refused_after_an_overrun(nine):
    nine.lasts["t9"] = 5 * M
    nine.submit(task("t9", estimate_ms=15 * S))
    nine.submit(TaskSpec("other", ("other",), limit_ms=2 * M, reads=(), writes=()))
    nine.run(4 * M)
    assert nine.outcome("t9") == "overran"
    assert codes(nine.submit(task("t9", estimate_ms=15 * S)).refused.findings) == ["LW604"]


def test_what_failed_by_itself_says_nothing():
    pool = Pool()
    pool.worker()
    pool.exits["bad"] = 3
    ran(pool, "bad", 5 * S)
    assert pool.view.facts.histories == {}


def test_a_cancelled_run_is_kept_as_at_least_so_long_and_not_put_to_the_test(nine):
    nine.lasts["t9"] = 5 * M
    nine.submit(task("t9"))
    nine.run(4 * S)
    nine.do(Cancel(nine.task("t9").id, "ada"))
    nine.run(M)
    found = [past for past in nine.view.facts.histories.values() if past.command == "true"]
    assert {(past.runs[-1].ended, past.judged, len(past.runs)) for past in found} == {
        (False, 0, 10)
    }


def test_less_than_two_seconds_is_not_reserved_on_such_a_word():
    pool = Pool()
    pool.worker()
    for at in range(9):
        ran(pool, f"t{at}", 20)
    reply = pool.submit(task("t9")).reply
    assert pool.task("t9").spec.learned.bound_ms == 20
    assert only(reply).reservation.reserved_ms == 2 * S


def test_the_worst_class_of_workers_that_may_take_it_counts():
    pool = Pool()
    pool.worker("slow", labels=("slow",))
    for at in range(9):
        ran(pool, f"s{at}", 40 * S)
    pool.worker("fast", labels=("fast",))
    for at in range(9):
        pool.lasts[f"f{at}"] = 4 * S
        pool.submit(task(f"f{at}"), workers=("fast",))
        pool.run(M)
    assert only(pool.submit(task("any")).reply).reservation.reserved_ms == 40 * S
    on_fast = pool.submit(task("on-fast"), workers=("fast",)).reply
    assert only(on_fast).reservation.reserved_ms == 4 * S


def test_commands_like_it_stand_in(nine):
    pool = Pool()
    pool.worker()
    for at in range(9):
        pool.lasts[f"t{at}"] = 10 * S
        pool.submit(TaskSpec(f"t{at}", ("count", str(at)), reads=(), writes=()))
        pool.run(M)
    pool.worker("other", labels=("gpu",))
    found = []
    for at, (run, workers) in enumerate(
        ((("count", "9"), ("w",)), (("count", "77"), ("w",)), (("count", "77"), ("other",)))
    ):
        pool.submit(TaskSpec(f"new{at}", run, reads=(), writes=()), workers=workers)
        found.append(pool.task(f"new{at}").spec.learned)
    assert [(each.likeness, each.bound_ms, each.runs) for each in found] == [
        (Likeness.SHAPE, 10 * S, 9),
        (Likeness.TEMPLATE, 10 * S, 9),
        (Likeness.ANYWHERE, 10 * S, 9),
    ]


def test_a_row_that_makes_no_sense_promises_nothing_and_is_told(nine):
    """The very command's row is spoilt: the same command on any worker stands in. Both: told."""
    near, far = sorted(
        (past for past in nine.view.facts.histories.values() if past.command == "true"),
        key=lambda past: past.likeness is Likeness.ANYWHERE,
    )
    near.bound_ms = -5
    nine.submit(task("t9"))
    assert nine.task("t9").spec.learned.likeness is Likeness.ANYWHERE
    far.runs = (replace(far.runs[0], ran_ms=2**62), *far.runs[1:])
    reply = nine.submit(task("t10")).reply
    assert (only(reply).promise, codes(reply.findings)) == (None, ["LW304"])
    assert (reply.findings[0].variant, reply.findings[0].numbers) == ("broken", {"broken": 2})
    nine.run(M)
    assert {len(past.runs) for past in nine.view.facts.histories.values()} == {2}  # begun anew


def test_a_time_below_nothing_is_no_run():
    pool = Pool()
    pool.worker()
    pool.submit(task("t"))
    found = pool.task("t")
    learn(pool.view, found, "w", Ending(EndKind.EXITED, exit_code=0, ran_ms=-1), pool.now)
    assert pool.view.facts.histories == {}


def test_memory_is_bounded_and_the_oldest_go_first():
    pool = Pool(Settings(histories_kept=8))
    pool.worker()
    for at in range(30):
        pool.submit(TaskSpec(f"t{at}", (f"cmd-{chr(97 + at)}x",), reads=(), writes=()))
        pool.run(2 * S)
    kept = {past.command for past in pool.view.facts.histories.values()}
    assert len(pool.view.facts.histories) == 8
    assert kept == {f"cmd-{chr(97 + at)}x" for at in range(26, 30)}
    for at in range(110):
        ran(pool, f"u{at}", 1)
    assert max(len(past.runs) for past in pool.view.facts.histories.values()) == 100


def test_a_replay_gives_the_same_bytes(nine):
    nine.submit(task("t9"))
    nine.run(M)
    again = replay(View(nine.view.settings), nine.history)
    assert canonical(again.facts) == canonical(nine.view.facts)


def test_going_on_from_a_snapshot_forgets_the_same():
    """A snapshot keeps names in another order: what is forgotten must not depend on it. Four
    commands have two histories each; the first runs again, so the second is the oldest."""
    pool = Pool(Settings(histories_kept=8))
    pool.worker()
    for at, name in enumerate(("first", "second", "third", "fourth", "first", "fifth")):
        if at == 5:
            early = len(pool.history)
            later = View(pool.view.settings)
            later.facts = msgspec.json.decode(canonical(pool.view.facts), type=Facts)
        pool.submit(TaskSpec(f"t{at}", (name,), reads=(), writes=()))
        pool.run(2 * S)
    kept = {past.command for past in pool.view.facts.histories.values()}
    assert kept == {"first", "third", "fourth", "fifth"}
    rebuild(later, later.facts.last_at)
    replay(later, pool.history[early:])
    assert canonical(later.facts) == canonical(pool.view.facts)
