"""Goal: every invariant speaks when it is broken, and only then. Method: a view made by the real
door, then one thing in it bent by hand; and histories with one event too many."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from leaseway.core.decide import carry_out
from leaseway.core.history import History
from leaseway.core.invariants import index_differences, violations
from leaseway.core.model import commands as cmd
from leaseway.core.model import events as ev
from leaseway.core.model.capacity import Capacity
from leaseway.core.model.findings import Finding
from leaseway.core.model.lease import TermsOffer, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind, Freed, Outcome, OutcomeKind
from leaseway.core.model.plan import PlanSpec, TaskSpec
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import AttemptRef, EndingReport, Phase, RegisterRequest, SyncRequest
from leaseway.core.model.view import View

WHO = cmd.Principal("ann", cmd.Role.OWNER)
NOW = 1_000
RUNS, WAITS, FOLLOWS = "p-1/runs", "p-1/waits", "p-1/follows"


def register(name: str) -> cmd.Register:
    offer = TermsOffer(
        windows=(WindowOffer(closes_in_ms=200_000),),
        capacity=Capacity(cpus_milli=1_000, slots=1),
        tokens=("room",),
    )
    return cmd.Register(RegisterRequest(name, f"{name}-machine", f"{name}-spool", "boot", offer))


def plan() -> PlanSpec:
    return PlanSpec(
        "p",
        (
            TaskSpec("runs", ("true",), limit_ms=10_000, holds=("room",)),
            TaskSpec("waits", ("true",), limit_ms=10_000),
            TaskSpec("follows", ("true",), limit_ms=10_000, needs=("runs",), holds=("room",)),
        ),
    )


@pytest.fixture
def view() -> View:
    """One worker with one slot, one task granted there, one behind it, one that follows."""
    view = View()
    for command in (
        cmd.Open("ledger-1"),
        register("w1"),
        cmd.Sync(SyncRequest("w1", 1, 1, "w1-spool", "boot"), NOW),
        cmd.Submit(plan(), WHO),
    ):
        assert carry_out(view, command, NOW).refused is None
    assert view.facts.tasks[RUNS].state is TaskState.GRANTED
    return view


def test_an_honest_view_breaks_nothing(view):
    assert violations(view, NOW) == []
    assert index_differences(view, NOW) == []


def end(view: View, name: str, kind: OutcomeKind) -> None:
    """Say so, without more."""
    task = view.facts.tasks[name]
    task.state, task.outcome = TaskState.ENDED, Outcome(kind, Finding("LW701"), NOW)


def without_outcome(view: View) -> None:
    view.facts.tasks[WAITS].state = TaskState.ENDED


def with_outcome_too_soon(view: View) -> None:
    view.facts.tasks[WAITS].outcome = Outcome(OutcomeKind.FAILED, Finding("LW701"), NOW)


def runs_without_attempt(view: View) -> None:
    view.facts.tasks[RUNS].attempt = None


def phase_of_another_state(view: View) -> None:
    attempt = view.facts.tasks[RUNS].attempt
    assert attempt is not None
    attempt.phase = Phase.STOPPING


def number_twice(view: View) -> None:
    task = view.facts.tasks[RUNS]
    assert task.attempt is not None
    task.past = (task.attempt,)


def number_not_counted(view: View) -> None:
    view.facts.tasks[RUNS].numbers = 7


def follower_runs(view: View) -> None:
    task = view.facts.tasks[FOLLOWS]
    task.state, task.attempt = TaskState.GRANTED, view.facts.tasks[RUNS].attempt


def held_twice(view: View) -> None:
    view.index.attempts["w2"] = {RUNS: None}


def stops_after_the_window(view: View) -> None:
    attempt = view.facts.tasks[RUNS].attempt
    assert attempt is not None
    attempt.stop_at = NOW + 199_999


def promised_outside_the_window(view: View) -> None:
    lease = view.facts.leases["w1"]
    window = replace(lease.terms.windows[0], closes_at=NOW + 19_000)
    lease.terms = replace(lease.terms, windows=(window,))


def promised_on_a_draining_worker(view: View) -> None:
    view.facts.leases["w1"].state = LeaseState.DRAINING


def set_aside_past_the_promise(view: View) -> None:
    view.facts.tasks[WAITS].promise = NOW


def more_than_there_is(view: View) -> None:
    lease = view.facts.leases["w1"]
    lease.terms = replace(lease.terms, capacity=Capacity(cpus_milli=500))


def token_held_twice(view: View) -> None:
    task = view.facts.tasks[WAITS]
    task.spec = replace(task.spec, holds=("room",))
    task.attempt = view.facts.tasks[RUNS].attempt


def token_set_aside_twice(view: View) -> None:
    view.index.token_profiles["room"].add(NOW, NOW + 50_000, (1,))


def token_forgotten(view: View) -> None:
    view.index.tokens.clear()


def task_gone(view: View) -> None:
    del view.facts.tasks[WAITS]


def task_of_no_plan(view: View) -> None:
    view.facts.tasks[WAITS].plan = "p-9"


@pytest.mark.parametrize(
    ("bend", "speaks"),
    [
        (without_outcome, "1 one outcome"),
        (with_outcome_too_soon, "1 one outcome"),
        (runs_without_attempt, "states"),
        (phase_of_another_state, "states"),
        (number_twice, "4 numbers"),
        (number_not_counted, "4 numbers"),
        (held_twice, "5 exclusive"),
        (stops_after_the_window, "8 nesting"),
        (promised_outside_the_window, "8 nesting"),
        (promised_on_a_draining_worker, "8 nesting"),
        (set_aside_past_the_promise, "10 promise"),
        (more_than_there_is, "13 capacity"),
        (token_held_twice, "15 tokens"),
        (token_set_aside_twice, "15 tokens"),
        (token_forgotten, "15 tokens"),
        (follower_runs, "16 order"),
        (task_gone, "24 conservation"),
        (task_of_no_plan, "24 conservation"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_each_invariant_speaks(view: View, bend: Callable[[View], None], speaks: str):
    bend(view)
    assert any(sentence.startswith(speaks) for sentence in violations(view, NOW))


@pytest.mark.parametrize("kind", [OutcomeKind.FAILED, OutcomeKind.SKIPPED])
def test_a_bad_end_does_not_release_who_needs_a_good_one(view, kind):
    follower_runs(view)
    end(view, RUNS, kind)
    assert any("ended badly" in sentence for sentence in violations(view, NOW))


@pytest.mark.parametrize("kept", ["profiles", "outstanding", "pending", "attempts", "give_ups"])
def test_an_index_that_lost_something_is_found(view, kept):
    getattr(view.index, kept).clear()
    assert [s.split()[1] for s in index_differences(view, NOW)] == [kept]


def test_an_index_after_bad_ends_is_the_one_made_from_facts(view):
    """Followers of what ended badly are skipped once, and not again after a restart."""
    ending = Ending(EndKind.EXITED, exit_code=1)
    request = SyncRequest("w1", 1, 2, "w1-spool", "boot")
    report = EndingReport(AttemptRef(RUNS, 1), ending, 10, 0)
    done = carry_out(view, cmd.Sync(replace(request, endings=(report,)), NOW), NOW)
    assert done.refused is None
    assert view.facts.tasks[FOLLOWS].outcome.kind is OutcomeKind.SKIPPED
    assert index_differences(view, NOW) == []


# Between events -----------------------------------------------------------------------------------

ROOM = ev.Reservation("w1", 0, 20_000, 10_000)
OUTCOME = Outcome(OutcomeKind.SUCCEEDED, Finding("LW701"), 50, 1)
OFFER = register("w1").request.offer
BEGIN = (
    ev.WorkerRegistered("w1", "m", 1, "s", "b", 1, OFFER.at(0), OFFER),
    ev.TaskSubmitted("t", "p", plan().tasks[0], 1, 90_000),
    ev.TaskReserved("t", ROOM, 20_000),
    ev.AttemptGranted("t", 1, "w1", 1, ROOM, 2_000, 1),
)
STARTED = ev.AttemptMoved("t", 1, Phase.RUNNING, 10, 10_010)
EXITED = ev.AttemptEnded("t", 1, "w1", Ending(EndKind.EXITED, exit_code=0), 40)
ENDED = ev.TaskEnded("t", OUTCOME)
LOST = ev.AttemptEnded("t", 1, "w1", Ending(EndKind.UNKNOWN), 40, until=20_500)
"""Start-by 2 s, reserved 10 s, guard 8.5 s: nothing of it runs from 20.5 s on."""
CAUSE = Finding("LW605")


def told(*events: ev.Event) -> list[str]:
    """What a history says of these events after the beginning."""
    history = History()
    found = []
    for at, event in enumerate((*BEGIN, *events)):
        found += history.feed(at, event)
    return found


def test_an_honest_history_breaks_nothing():
    assert told(STARTED, EXITED, ENDED, ev.TasksAcknowledged(("t",), "ann")) == []


@pytest.mark.parametrize(
    ("events", "speaks"),
    [
        ((EXITED, ENDED, ENDED), "1 one outcome"),
        ((EXITED, ENDED, ev.AttemptGranted("t", 2, "w1", 1, ROOM, 9, 1)), "2 outcome"),
        ((ev.TasksAcknowledged(("t",), "ann"),), "2 outcome"),
        ((ev.AttemptEnded("t", 2, "w1", EXITED.ending, 40),), "3 fence"),
        ((STARTED, ev.AttemptReturned("t", 1)), "3 fence"),
        ((ENDED,), "3 fence"),
        ((ev.ResultKept("t", 1, "w1", EXITED.ending, CAUSE),), "3 fence"),
        ((ev.AttemptReturned("t", 1), ev.AttemptGranted("t", 3, "w1", 1, ROOM, 9, 1)), "4 numbers"),
        ((ev.AttemptGranted("t", 2, "w1", 1, ROOM, 9, 1),), "5 exclusive"),
        ((ev.TaskReserved("t", ROOM, 20_001),), "10 promise"),
        ((ev.PromiseWithdrawn("t", CAUSE, 19_000),), "10 promise"),
        ((ev.TaskEnded("x", OUTCOME),), "23 invention"),
        ((BEGIN[1],), "23 invention"),
        ((replace(LOST, until=20_499),), "29 unconfirmed"),
        ((LOST, ENDED, ev.RoomFreed("t", 1, "w1", Freed.STOP_TIME)), "29 unconfirmed"),
        ((EXITED, ENDED, ev.RoomFreed("t", 1, "w1", Freed.ENDED)), "29 unconfirmed"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_action_invariant_speaks(events, speaks):
    assert any(sentence.startswith(speaks) for sentence in told(*events))


def test_more_than_a_worker_offered_may_not_start():
    other = ev.TaskSubmitted("u", "p", plan().tasks[1], 2, 90_000)
    grant = ev.AttemptGranted("u", 1, "w1", 1, ROOM, 2_000, 2)
    start = ev.AttemptMoved("u", 1, Phase.RUNNING, 10, 10_010)
    assert any("13 capacity" in sentence for sentence in told(other, grant, STARTED, start))


def test_a_lease_that_shrinks_leaves_alone_what_runs():
    smaller = replace(OFFER, capacity=Capacity(cpus_milli=500)).at(0)
    assert told(ev.LeaseChanged("w1", 2, smaller, "owner"), STARTED) == []


def test_a_late_result_is_kept_once():
    late = ev.ResultKept("t", 1, "w1", EXITED.ending, CAUSE)
    assert told(LOST, ENDED, late) == []
    assert any("27 idempotent" in sentence for sentence in told(LOST, ENDED, late, late))


def test_time_does_not_go_back():
    history = History()
    history.feed(5, BEGIN[0])
    assert history.feed(4, BEGIN[1])[0].startswith("time")
