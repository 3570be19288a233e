"""Goal: every way to end has its outcome and cause. Method: the whole table written by hand."""

from __future__ import annotations

from itertools import product

import pytest

from leaseway.core.decisions.outcome import judge, late_by, may_repeat
from leaseway.core.model.outcomes import Ending, EndKind, OutcomeKind, StopReason
from leaseway.core.model.plan import Repeat
from leaseway.core.model.sync import Phase
from leaseway.core.model.view import Attempt, Settings, Task
from tests.core.pool import S, task

# Of a task that reserved 2 s with a limit of 10 s: ran 1 s, or 6 s, when it was told to stop.
TOLD = """
reason           ran 1s           ran 6s           ran 10s
reserved-time    overran LW702    overran LW702    overran LW702
window-end       stopped LW703    overran LW702    overran LW702
cut-off          stopped LW703    overran LW702    overran LW702
cancel           cancelled LW712  cancelled LW712  cancelled LW712
revoke           stopped LW703    stopped LW703    stopped LW703
slept            stopped LW703    stopped LW703    stopped LW703
gave-way         stopped LW710    stopped LW710    stopped LW710
shutdown         stopped LW703    stopped LW703    stopped LW703
"""
# Of one without any bound of its own.
UNBOUNDED = """
reason           ran 1s           ran 6s
reserved-time    stopped LW710    stopped LW710
window-end       stopped LW703    stopped LW703
cut-off          stopped LW703    stopped LW703
cancel           cancelled LW712  cancelled LW712
revoke           stopped LW703    stopped LW703
slept            stopped LW703    stopped LW703
gave-way         stopped LW710    stopped LW710
shutdown         stopped LW703    stopped LW703
"""


def rows(table):
    head, *lines = table.strip().split("\n")
    columns = [int(each.split()[1].rstrip("s")) for each in head.split("  ")[1:] if each.strip()]
    for line in lines:
        reason, *cells = line.split()
        pairs = zip(cells[::2], cells[1::2], strict=True)
        for ran, (kind, cause) in zip(columns, pairs, strict=True):
            yield StopReason(reason), ran * S, kind, cause


def task_of(spec):
    return Task("p-1/a", "p-1", spec, 1, 0, 0)


def attempt_of(**fields):
    fields = {"reserved_ms": 2 * S, "stopped_by": "ada", **fields}
    return Attempt(1, "w", 1, Phase.RUNNING, 0, 0, 1, **fields)


def judged(spec, ending, **fields):
    kind, cause = judge(task_of(spec), attempt_of(**fields), ending)
    return kind.value, cause.code, cause


BOUND = task("a", 10 * S, estimate_ms=2 * S)


@pytest.mark.parametrize("kind", [EndKind.EXITED, EndKind.SIGNALED])
@pytest.mark.parametrize(("reason", "ran", "outcome", "cause"), list(rows(TOLD)))
def test_told_to_stop(kind, reason, ran, outcome, cause):
    ending = Ending(kind, exit_code=0, reason=reason, ran_ms=ran)
    found, code, finding = judged(BOUND, ending)
    assert (found, code) == (outcome, cause)
    assert finding.numbers["ran_ms"] == ran
    assert finding.numbers["reserved_ms"] == 2 * S
    assert finding.numbers["limit_ms"] == 10 * S


@pytest.mark.parametrize(("reason", "ran", "outcome", "cause"), list(rows(UNBOUNDED)))
def test_told_to_stop_without_a_bound(reason, ran, outcome, cause):
    ending = Ending(EndKind.SIGNALED, signal=15, reason=reason, ran_ms=ran)
    assert judged(task("a"), ending)[:2] == (outcome, cause)


def test_the_table_has_every_reason():
    assert {row[0] for row in rows(TOLD)} == set(StopReason)
    assert {row[0] for row in rows(UNBOUNDED)} == set(StopReason)


def test_best_effort_at_its_limit_overran():
    ending = Ending(EndKind.SIGNALED, signal=15, reason=StopReason.RESERVED, ran_ms=10 * S)
    spec = task("a", 10 * S, promise="none")
    assert judged(spec, ending)[:2] == ("overran", "LW702")


@pytest.mark.parametrize(
    ("ending", "outcome", "cause"),
    [
        (Ending(EndKind.EXITED, 0), "succeeded", "LW701"),
        (Ending(EndKind.EXITED, 3), "failed", "LW701"),
        (Ending(EndKind.EXITED, -1), "failed", "LW701"),
        (Ending(EndKind.EXITED), "lost", "LW711"),
        (Ending(EndKind.SIGNALED, signal=9), "failed", "LW701"),
        (Ending(EndKind.EXITED, 0, missing=("x",)), "incomplete", "LW706"),
        (Ending(EndKind.EXITED, 1, missing=("x",)), "failed", "LW701"),
        (Ending(EndKind.EXITED, 0, left_pids=(7,)), "succeeded", "LW701"),
        (Ending(EndKind.SPAWN_FAILED, detail="no such file"), "failed", "LW701"),
        (Ending(EndKind.NOT_STARTED), "stopped", "LW703"),
        (Ending(EndKind.KEEPER_DIED), "lost", "LW711"),
        (Ending(EndKind.KEEPER_DIED, 0), "succeeded", "LW701"),
        (Ending(EndKind.KEEPER_DIED, signal=9), "failed", "LW701"),
        (Ending(EndKind.RESTARTED, ran_ms=5), "stopped", "LW709"),
        (Ending(EndKind.UNKNOWN), "lost", "LW704"),
    ],
)
def test_ended_by_itself(ending, outcome, cause):
    assert judged(BOUND, ending)[:2] == (outcome, cause)


def test_fault_11_a_signal_is_never_exit_0():
    kind, _, cause = judged(BOUND, Ending(EndKind.SIGNALED, signal=9))
    assert kind == "failed"
    assert cause.numbers["signal"] == 9
    assert "exit_code" not in cause.numbers


def test_no_exit_status_is_not_minus_one():
    assert judged(BOUND, Ending(EndKind.EXITED))[0] == "lost"
    assert judged(BOUND, Ending(EndKind.EXITED, -1))[2].numbers["exit_code"] == -1


def test_every_cause_names_task_and_worker():
    for kind, reason in product(EndKind, [None, *StopReason]):
        _, _, cause = judged(BOUND, Ending(kind, exit_code=0, reason=reason))
        assert cause.tasks[0] == "p-1/a"
        assert cause.workers == ("w",)
        assert cause.severity == "cause"


@pytest.mark.parametrize("repeat", list(Repeat))
@pytest.mark.parametrize("kind", list(OutcomeKind))
def test_only_lost_and_stopped_are_repeated_and_only_if_safe(repeat, kind):
    one = task_of(task("a", repeat=repeat))
    expected = repeat is Repeat.SAFE and kind in (OutcomeKind.LOST, OutcomeKind.STOPPED)
    ending = Ending(EndKind.SIGNALED, signal=15, reason=StopReason.WINDOW)
    assert may_repeat(one, attempt_of(), kind, ending, Settings()) is expected


@pytest.mark.parametrize("reason", [StopReason.CANCEL, StopReason.REVOKE])
def test_what_somebody_stopped_is_not_begun_again(reason):
    """Neither if the worker saw it stop for that, nor if it was told to and is not heard of."""
    one = task_of(task("a", repeat=Repeat.SAFE))
    seen = Ending(EndKind.SIGNALED, signal=15, reason=reason)
    assert not may_repeat(one, attempt_of(), OutcomeKind.STOPPED, seen, Settings())
    unheard, told = Ending(EndKind.UNKNOWN), attempt_of(stop_reason=reason)
    assert not may_repeat(one, told, OutcomeKind.LOST, unheard, Settings())


def test_repeats_have_an_end():
    one = task_of(task("a", repeat=Repeat.SAFE))
    ending = Ending(EndKind.UNKNOWN)
    for numbers in range(1, 7):
        one.numbers = numbers
        again = may_repeat(one, attempt_of(), OutcomeKind.LOST, ending, Settings(attempts_most=5))
        assert again is (numbers < 5)


def test_late_by_counts_from_stop_time_and_guard():
    one = attempt_of(stop_at=1_000)
    assert late_by(one, 500, 1_500) == 0
    assert late_by(one, 500, 1_501) == 1
    assert late_by(attempt_of(), 500, 9_999) == 0
