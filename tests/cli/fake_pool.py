"""A client without a coordinator: answers from tables, remembers what it was asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Self

from leaseway.client.calls import TaskFilter
from leaseway.client.errors import NotFound, error_of
from leaseway.client.options import ClientOptions
from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.lease import TermsChange
from leaseway.wire.findings import finding_infos
from leaseway.wire.history import HistoryInfo, HistoryList, RecordInfo
from leaseway.wire.plans import Changed, PlanInfo, PlanList, SubmitReply, SubmitRequest
from leaseway.wire.problems import Kind, problem, refusal
from leaseway.wire.streams import AboutInfo, EventInfo, EventList, ExplainInfo, LogChunk
from leaseway.wire.tasks import InboxInfo, TaskInfo, TaskList
from leaseway.wire.workers import WorkerInfo, WorkerList
from tests.cli.samples import NOON

Step = TaskInfo | BaseException


@dataclass
class FakePool:
    """`steps`: what a task shows, one after the other, the last for ever; exceptions are raised."""

    steps: dict[str, list[Step]] = field(default_factory=dict)
    reply: SubmitReply | None = None
    refused: tuple[Finding, ...] = ()
    declined: str = ""
    workers_there: tuple[WorkerInfo, ...] = ()
    plans_there: tuple[PlanInfo, ...] = ()
    explained: ExplainInfo | None = None
    happened: tuple[EventInfo, ...] = ()
    histories: tuple[HistoryInfo, ...] = ()
    recorded: RecordInfo = field(default_factory=lambda: RecordInfo({}, {}, {}, NOON))
    written: dict[str, bytes] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    options: ClientOptions = field(default_factory=lambda: ClientOptions("http://127.0.0.1:7000"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        return None

    def named(self, verb: str) -> list[tuple[Any, ...]]:
        """The calls of one verb, without its name."""
        return [call[1:] for call in self.calls if call[0] == verb]

    def submit(self, request: SubmitRequest) -> SubmitReply:
        self.calls.append(("submit", request))
        if self.refused:
            raise error_of(refusal("refused", self.refused, self.declined))
        assert self.reply is not None
        return self.reply

    def scan(self, plan: Any) -> SubmitReply:
        return self.submit(SubmitRequest(plan, dry=True))

    def _next(self, id: str) -> TaskInfo:
        steps = self.steps.get(id)
        if steps is None:
            raise unknown("task", id, list(self.steps))
        step = steps.pop(0) if len(steps) > 1 else steps[0]
        if isinstance(step, BaseException):
            raise step
        return step

    def task(self, id: str, wait_ms: int = 0) -> TaskInfo:
        if wait_ms:  # waiting shows nothing new by itself
            self.calls.append(("wait", id))
            steps = self.steps[id]
            if isinstance(steps[0], KeyboardInterrupt):
                raise steps.pop(0)  # type: ignore[misc]
            if isinstance(steps[0], BaseException):
                raise steps[0]
            return steps[0]
        return self._next(id)

    def tasks(self, wanted: TaskFilter) -> TaskList:
        self.calls.append(("tasks", wanted))
        found = list(self._matching(wanted))
        return TaskList(tuple(sorted(found, key=lambda task: -task.seq)), NOON)

    def _matching(self, wanted: TaskFilter) -> Iterator[TaskInfo]:
        for id in self.steps:
            if wanted.plan is not None and not id.startswith(f"{wanted.plan}/"):
                continue
            task = self._next(id)
            if wanted.ended is None or task.ended == wanted.ended:
                yield task

    def plan(self, id: str) -> PlanInfo:
        for plan in self.plans_there:
            if plan.id == id:
                return plan
        raise unknown("plan", id, [plan.id for plan in self.plans_there])

    def plans(self, before: str | None = None, limit: int = 100) -> PlanList:
        return PlanList(self.plans_there[:limit], NOON)

    def explain(self, id: str) -> ExplainInfo:
        assert self.explained is not None
        return self.explained

    def workers(self) -> WorkerList:
        return WorkerList(self.workers_there, NOON)

    def worker(self, name: str) -> WorkerInfo:
        for worker in self.workers_there:
            if worker.name == name:
                return worker
        raise unknown("worker", name, [worker.name for worker in self.workers_there])

    def change_lease(self, name: str, change: TermsChange) -> WorkerInfo:
        self.calls.append(("change_lease", name, change))
        return self.worker(name)

    def set_state(self, name: str, state: str, reason: str = "") -> WorkerInfo:
        self.calls.append(("set_state", name, state, reason))
        return self.worker(name)

    def revoke(self, name: str, reason: str = "") -> WorkerInfo:
        self.calls.append(("revoke", name, reason))
        return self.worker(name)

    def cancel(self, target: str) -> Changed:
        self.calls.append(("cancel", target))
        return Changed(tuple(id for id in self.steps if id.startswith(target)), NOON)

    def give_up(self, task: str) -> Changed:
        self.calls.append(("give_up", task))
        return Changed((task,), NOON)

    def acknowledge(self, tasks: Any = ()) -> Changed:
        self.calls.append(("acknowledge", tuple(tasks)))
        return Changed(tuple(tasks) or tuple(self.steps), NOON)

    def history(
        self, key: str | None = None, task: str | None = None, limit: int = 100
    ) -> HistoryList:
        self.calls.append(("history", key, task, limit))
        asked = key or task
        found = [each for each in self.histories if asked is None or each.key in (key, task)]
        return HistoryList(tuple(found[:limit]), len(self.histories), NOON)

    def record(self) -> RecordInfo:
        return self.recorded

    def inbox(self, principal: str | None = None, limit: int = 100) -> InboxInfo:
        ended = tuple(self._next(id) for id in self.steps)
        return InboxInfo(principal or "owner", ended, NOON)

    def about(self) -> AboutInfo:
        return AboutInfo("0.1.0", (1,), (1,), "ledger-1", 7, 1, "ana", "owner", NOON, 15_000, 1)

    def log(
        self,
        task: str,
        attempt: int | None = None,
        stream: str = "stdout",
        offset: int = 0,
        wait_ms: int = 0,
    ) -> LogChunk:
        data = self.written.get(stream, b"")[offset : offset + 7]
        after, cut = offset + len(data), self.left_out.get(stream, 0)
        whole = after == len(self.written.get(stream, b""))
        return LogChunk(data, after, True, whole, attempt=1, left_out_bytes=cut)

    def events(self, after: int = 0, wait_ms: int = 0, limit: int = 500) -> EventList:
        if wait_ms:
            raise KeyboardInterrupt
        found = tuple(each for each in self.happened if each.position > after)[:limit]
        head = self.happened[-1].position if self.happened else 0
        return EventList(found, found[-1].position if found else after, head, NOON)


def unknown(kind: str, name: str, known: list[str]) -> NotFound:
    """What a coordinator says of a name that it does not know."""
    finding = Finding(
        "LW404", numbers={"name": name, "nearest": known}, variant=kind, severity=Severity.ERROR
    )
    error = error_of(problem(Kind.UNKNOWN, "unknown", finding_infos((finding,))))
    assert isinstance(error, NotFound)
    return error
