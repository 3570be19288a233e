"""Goal: what travels to clients may grow, what travels to the coordinator is strict, and nothing of
the model is lost on the way. Method: fields added, fields compared."""

from __future__ import annotations

import msgspec
import pytest

from leaseway.core.model.capacity import Capacity
from leaseway.core.model.events import Reservation
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import Guard, Terms, Window
from leaseway.core.model.outcomes import Ending, EndKind, Outcome, OutcomeKind, StopReason
from leaseway.core.model.plan import Edge, EdgeKind, TaskSpec
from leaseway.core.model.states import TaskState
from leaseway.core.model.sync import Phase
from leaseway.core.model.view import Attempt, Plan, Task
from leaseway.wire import plans, streams, tasks, workers
from leaseway.wire.plans import plan_info
from leaseway.wire.tasks import task_info
from leaseway.wire.workers import amounts, terms_info

CAUSE = Finding("LW701", ("p/a",), ("box",), {"ran_ms": 5, "exit_code": 0}, "", Severity.CAUSE)

TASK = Task(
    id="p-1/a",
    plan="p-1",
    spec=TaskSpec(name="a", run=("true",), reads=(), limit_ms=5_000, holds=("gpu-room",)),
    seq=3,
    submitted_at=1,
    give_up_at=9,
    edges=(Edge("p-1/b", EdgeKind.READ_AFTER_WRITE, "out.txt"),),
    state=TaskState.ENDED,
    reservation=Reservation("box", 1, 9, 5),
    promise=9,
    past=(
        Attempt(
            number=1,
            worker="box",
            incarnation=1,
            phase=Phase.ENDED,
            granted_at=1,
            start_by=2,
            order=1,
            stop_reason=StopReason.CANCEL,
            ending=Ending(EndKind.SIGNALED, signal=9, reason=StopReason.CANCEL, ran_ms=5),
            cause=CAUSE,
        ),
    ),
    outcome=Outcome(OutcomeKind.CANCELLED, CAUSE, 8, 1),
    evidence=(Ending(EndKind.EXITED, exit_code=0),),
)


def test_a_task_as_it_is_shown():
    shown = task_info(TASK, "owner", 10)
    assert (shown.id, shown.name, shown.principal, shown.state) == ("p-1/a", "a", "owner", "ended")
    assert shown.reservation == tasks.ReservationInfo("box", 1, 9, 5)
    assert shown.edges == (tasks.EdgeInfo("p-1/b", "read-after-write", "out.txt"),)
    (attempt,) = shown.past
    assert attempt.ending is not None
    assert (attempt.ending.kind, attempt.ending.signal, attempt.ending.reason) == (
        "signaled",
        9,
        "cancel",
    )
    assert shown.outcome is not None
    assert (shown.outcome.kind, shown.outcome.cause.code) == ("cancelled", "LW701")
    assert [each.exit_code for each in shown.kept] == [0]
    assert shown.uses == {
        "cpus_milli": 1_000,
        "memory_bytes": 0,
        "gpus": 0,
        "disk_bytes": 0,
        "processes": 0,
        "slots": 1,
    }


def test_nothing_that_a_worker_saw_is_left_out():
    elsewhere = {"checkpoint"}  # with the attempt: AttemptInfo.checkpoint
    assert set(tasks.EndingInfo.__struct_fields__) == set(Ending.__struct_fields__) - elsewhere
    assert elsewhere <= set(tasks.AttemptInfo.__struct_fields__)


def test_a_plan_as_it_is_shown():
    plan = Plan("p-1", "p", "owner", "owner", ("p-1/a",), 1, open_tasks=1)
    shown = plan_info(plan, 5, {"waiting": 1})
    assert (shown.tasks, shown.counts, shown.now) == (("p-1/a",), {"waiting": 1}, 5)


def test_zero_and_unlimited_are_two_things():
    capacity = Capacity(gpus=0, memory_bytes=None)
    assert amounts(capacity.vector())["gpus"] == 0
    assert amounts(capacity.vector())["memory_bytes"] is None
    shown = terms_info(Terms(windows=(Window(1, None),), guard=Guard(kill_ms=7)))
    assert shown.windows == (workers.WindowInfo(1, None),)
    assert shown.guard_ms == sum(shown.guard.values())


OPEN = [
    tasks.TaskInfo,
    tasks.TaskList,
    tasks.InboxInfo,
    plans.PlanInfo,
    plans.SubmitReply,
    plans.Changed,
    workers.WorkerInfo,
    streams.AboutInfo,
    streams.EventList,
    streams.ExplainInfo,
]
STRICT = [
    plans.SubmitRequest,
    plans.CancelRequest,
    plans.GiveUpRequest,
    plans.AcknowledgeRequest,
    workers.LeaseChange,
    workers.StateChange,
    workers.RevokeRequest,
]


def kinds_within(kind: type[msgspec.Struct]) -> set[type[msgspec.Struct]]:
    """The message and every message in it."""
    seen: set[type[msgspec.Struct]] = set()

    def walk(node: object) -> None:
        if isinstance(node, msgspec.inspect.StructType):
            if node.cls in seen:
                return
            seen.add(node.cls)
            for field in node.fields:
                walk(field.type)
        for name in ("types", "item_types"):
            for each in getattr(node, name, ()):
                walk(each)
        for name in ("item_type", "value_type"):
            if hasattr(node, name):
                walk(getattr(node, name))

    walk(msgspec.inspect.type_info(kind))
    return seen


@pytest.mark.parametrize("kind", OPEN)
def test_fields_of_a_newer_coordinator_are_passed_over(kind):
    for each in kinds_within(kind):
        assert not each.__struct_config__.forbid_unknown_fields, each.__name__


@pytest.mark.parametrize("kind", STRICT)
def test_requests_are_strict(kind):
    with pytest.raises(msgspec.ValidationError, match=r"unknown field|missing required"):
        msgspec.json.decode(b'{"surprise": 1}', type=kind)
    assert kind.__struct_config__.forbid_unknown_fields


def test_a_task_survives_the_way_and_more_than_the_way():
    sent = msgspec.json.decode(msgspec.json.encode(task_info(TASK, "owner", 10)))
    sent["mood"] = {"of": ["a", "newer", "version"]}
    sent["outcome"]["mood"] = 1
    sent["past"][0]["ending"]["mood"] = 1
    back = msgspec.json.decode(msgspec.json.encode(sent), type=tasks.TaskInfo)
    assert back == task_info(TASK, "owner", 10)
