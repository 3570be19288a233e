"""Goal: what simulation found stays found. Method: the smallest story of each, by the real door."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from leaseway.core.decide import carry_out
from leaseway.core.model import commands as cmd
from leaseway.core.model.lease import TermsChange, WindowOffer
from leaseway.core.model.outcomes import Ending, EndKind, StopReason
from leaseway.core.model.plan import Repeat, TaskSpec
from leaseway.core.model.states import LeaseState, TaskState
from leaseway.core.model.sync import (
    AttemptRef,
    EndingReport,
    Held,
    Phase,
    SyncRequest,
)
from leaseway.core.presence import may_judge
from tests.core.house import T0, WHO, House, spec


@pytest.fixture
def house():
    return House()


def test_two_workers_do_not_get_one_token_in_one_round(house):
    """Its holder ends early, and two others could start on two workers at once."""
    for worker in ("w1", "w2"):
        house.register(worker, slots=2)
        house.tick()
        house.sync(worker, 1)
    for worker in ("w1", "w1", "w2"):
        house.submit(spec(holds=("t",)), workers=(worker,))
    done = EndingReport(AttemptRef("p-1/a", 1), Ending(EndKind.EXITED, exit_code=0))
    house.sync("w1", 2, endings=(done,))
    states = {house.task(name).state for name in ("p-2/a", "p-3/a")}
    assert states == {TaskState.GRANTED, TaskState.WAITING}


def test_a_grant_that_never_arrived_is_not_called_lost_after_a_restart(house):
    """The next daemon counts its syncs from one again; the grant was made after sync 40."""
    house.register("w1")
    house.tick()
    house.sync("w1", 40)
    house.submit(spec())
    assert house.task("p-1/a").state is TaskState.GRANTED
    house.register("w1", boot="boot-2")
    house.now += 3_000
    house.tick()
    house.sync("w1", 1)
    assert house.task("p-1/a").attempt.number == 2, "taken back and granted anew"


def test_a_grant_to_a_daemon_that_has_just_registered_counts_its_own_syncs(house):
    house.register("w1")
    house.tick()
    house.sync("w1", 40)
    house.register("w1", boot="boot-2")
    house.submit(spec())
    assert house.task("p-1/a").attempt.seq == 0


def test_an_index_made_anew_knows_kept_results_of_running_tasks(house):
    """A late result of attempt 1 is kept while attempt 2 runs."""
    for worker in ("w1", "w2"):
        house.register(worker)
        house.tick()
    house.sync("w1", 1)
    house.submit(spec(repeat=Repeat.SAFE))
    ref = AttemptRef("p-1/a", 1)
    house.sync("w1", 2, held=(Held(ref, Phase.RUNNING, 10),))
    while house.task("p-1/a").numbers == 1:
        house.now += 2_000
        house.tick()
        house.sync("w2", house.now)
    late = EndingReport(ref, Ending(EndKind.EXITED, exit_code=0))
    house.sync("w1", 3, endings=(late,))
    assert house.task("p-1/a").kept_numbers == (1,)


def test_a_late_grant_does_not_move_its_end_past_the_promise(house):
    """Its worker is heard a second after the start: it gets its rectangle as it lies, and what
    is too late even for that is placed anew, with the promise withdrawn."""
    house.register("w1")
    house.submit(spec("a"))
    house.submit(spec("b"))
    house.tick()
    promised = house.task("p-1/a").promise
    house.now += 1_000
    house.sync("w1", 1)
    granted = house.task("p-1/a")
    assert granted.state is TaskState.GRANTED
    assert granted.reservation.end == promised
    assert granted.attempt.start_by == T0 + 2_000


def test_a_sync_that_was_overtaken_says_nothing(house):
    """Sent before the grant and late on its way: it does not name what runs by now."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    house.submit(spec())
    ref = AttemptRef("p-1/a", 1)
    house.sync("w1", 3, held=(Held(ref, Phase.GRANTED),))
    house.now += 2_500
    assert house.sync("w1", 2).superseded
    assert house.task("p-1/a").attempt.number == 1


def test_a_rectangle_whose_start_has_passed_is_not_granted_ahead(house):
    """The coordinator slept through it, and a sync is what it hears first."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    house.submit(spec("a"), spec("b", needs=("a",)))
    done = EndingReport(AttemptRef("p-1/a", 1), Ending(EndKind.EXITED, exit_code=0))
    house.now += 60_000
    house.sync("w1", 2, endings=(done,))
    assert house.task("p-1/b").attempt is None
    house.tick()
    house.now += 500
    house.tick()
    house.sync("w1", 3)
    assert house.task("p-1/b").attempt.start_by >= house.now


def test_a_task_is_not_forgotten_while_its_ending_may_still_come(house):
    """Lost, seen and acknowledged; then its worker comes back with the result."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    house.submit(spec())
    while house.task("p-1/a").outcome is None:
        house.now += 4_000
        house.tick()
    house.said(cmd.Acknowledge((), WHO))
    for _ in range(3):
        house.now += 4_000
        house.tick()
    done = EndingReport(AttemptRef("p-1/a", 1), Ending(EndKind.EXITED, exit_code=0))
    reply = house.sync("w1", 2, endings=(done,))
    assert reply.settled == (AttemptRef("p-1/a", 1),)
    assert house.task("p-1/a").kept_numbers == (1,)
    house.sync("w1", 3)
    house.tick()
    house.tick()
    assert not house.view.facts.tasks


def test_a_worker_whose_clock_is_off_is_promised_nothing_any_more(house):
    """It drains in the middle of a sync; what waits for it is placed anew at once."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    house.submit(spec("a"), spec("b", needs=("a",)))
    house.now += 61_000
    house.view.presence.looked_at = house.now  # the coordinator itself did not sleep
    house.sync("w1", 2, boot_ms=50_000, held=(Held(AttemptRef("p-1/a", 1), Phase.RUNNING, 9),))
    assert house.view.facts.leases["w1"].state is LeaseState.DRAINING
    assert house.task("p-1/b").reservation is None


def test_a_daemon_fenced_by_its_own_double_can_tell(house):
    """Its registering was said twice and the later one came second: one spool has one daemon."""
    house.register("w1")
    house.register("w1")
    request = SyncRequest("w1", 1, 1, "w1-spool", "boot-1")
    refused = carry_out(house.view, cmd.Sync(request, T0), T0).refused
    assert refused is not None
    assert refused.findings[0].numbers["spool"] == "w1-spool"


def test_a_held_call_that_is_decided_again_is_not_a_new_word(house):
    """It was parked when the coordinator fell asleep; nothing was heard since."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    called_at = house.now
    house.now += 60_000
    house.tick()
    request = SyncRequest("w1", 1, 1, "w1-spool", "boot-1")
    house.said(cmd.Sync(request, called_at))
    assert not may_judge(house.view, "w1", house.now)


def test_a_worker_that_knows_its_orders_is_not_told_them_again(house):
    """Told again in every answer, it would have work at every call, and call at once."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    house.submit(TaskSpec("a", ("true",), limit_ms=60_000, estimate_ms=5_000))
    ref = AttemptRef("p-1/a", 1)
    house.sync("w1", 2, held=(Held(ref, Phase.RUNNING, 0),))
    house.now += 4_000
    house.tick()
    (moved,) = house.sync("w1", 3, held=(Held(ref, Phase.RUNNING, 4_000),)).stop_times
    knows = Held(ref, Phase.RUNNING, 4_000, stop_in_ms=moved.stop_in_ms - 20)
    assert house.sync("w1", 4, held=(knows,)).stop_times == ()
    older = Held(ref, Phase.RUNNING, 4_000, stop_in_ms=moved.stop_in_ms - 2_000)
    assert len(house.sync("w1", 5, held=(older,)).stop_times) == 1
    house.said(cmd.Cancel("p-1/a", "ann"))
    assert len(house.sync("w1", 6, held=(knows,)).stop) == 1
    stopping = Held(ref, Phase.STOPPING, 4_000)
    assert house.sync("w1", 7, held=(stopping,)).stop == ()


def test_who_did_not_hear_that_the_lease_shrank_may_run_on_until_it_would_have_stopped(house):
    """Nobody else begins the task before that: the worker keeps to what it was told."""
    for worker in ("w1", "w2"):
        house.register(worker)
        house.tick()
        house.sync(worker, 1)
    house.submit(TaskSpec("a", ("true",), limit_ms=60_000, repeat=Repeat.SAFE), workers=("w1",))
    house.sync("w1", 2, held=(Held(AttemptRef("p-1/a", 1), Phase.RUNNING, 0),))
    closes = TermsChange(windows=(WindowOffer(closes_in_ms=10_000),))
    house.said(cmd.ChangeLease("w1", closes, "owner"))
    while house.task("p-1/a").numbers == 1 and house.task("p-1/a").attempt is not None:
        house.now += 2_000
        house.tick()
        house.sync("w2", house.now)
    assert house.now > T0 + 60_000


def test_who_has_just_come_back_is_heard_before_its_tasks_are_forgotten(house):
    """Another machine went by its name meanwhile, and knew of nothing."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    house.submit(spec())
    house.register("w1", spool="other")
    while house.task("p-1/a").outcome is None:
        house.now += 4_000
        house.tick()
        house.sync("w1", house.now)
    house.said(cmd.Acknowledge((), WHO))
    house.register("w1")
    house.tick()
    house.tick()
    done = EndingReport(AttemptRef("p-1/a", 1), Ending(EndKind.EXITED, exit_code=0))
    house.sync("w1", 1, endings=(done,))
    assert house.task("p-1/a").kept_numbers == (1,)


def test_two_that_run_over_do_not_get_the_same_room(house):
    """Each fits beside what is promised, and both together do not."""
    house.register("w1", slots=2)
    house.tick()
    house.sync("w1", 1)
    over = [replace(spec(name), limit_ms=60_000, estimate_ms=5_000) for name in "ab"]
    house.submit(*over, spec("c", needs=("a",)))
    refs = [AttemptRef("p-1/a", 1), AttemptRef("p-1/b", 1)]
    house.sync("w1", 2, held=[Held(ref, Phase.RUNNING, 0) for ref in refs])
    for seq in range(3, 9):
        house.now += 600
        house.tick()
        house.sync("w1", seq, held=[Held(ref, Phase.RUNNING, 0) for ref in refs])
    promised = house.task("p-1/c").reservation
    past = [house.task(ref.task).reservation.end > promised.start for ref in refs]
    assert house.task("p-1/a").attempt.stop_moved
    assert sum(past) <= 1, "the slot of c is taken"


def test_a_sync_that_comes_twice_takes_nothing_back(house):
    """The grant was made after the sync before it, and went out in the answer to its first copy."""
    house.register("w1")
    house.tick()
    house.sync("w1", 1)
    house.submit(spec())
    assert len(house.sync("w1", 2).start) == 1
    house.now += 2_500
    house.sync("w1", 2)
    assert house.task("p-1/a").attempt.number == 1
    house.sync("w1", 3)
    assert house.task("p-1/a").attempt.number == 2, "it never got there"


def test_best_effort_elsewhere_gives_way_where_it_holds_what_is_asked_for(house):
    """It holds the only token, on another worker than the one that gets the promise."""
    house.register("w1")
    house.register("w2")
    house.tick()
    house.sync("w1", 1)
    house.sync("w2", 1)
    house.submit(replace(spec("a", holds=("t",)), limit_ms=None, promise="none"), workers=("w1",))
    closes = TermsChange(windows=(WindowOffer(closes_in_ms=40_000),))
    house.said(cmd.ChangeLease("w2", closes, "owner"))
    house.submit(spec("b", holds=("t",)), workers=("w2",))
    assert house.task("p-1/a").attempt.stop_reason is StopReason.GAVE_WAY
