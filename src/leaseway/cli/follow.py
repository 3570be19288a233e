"""Follow a plan until every task has its outcome: ask again, and say what is new each time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from time import sleep

from leaseway.cli.names import PAGE, every_task
from leaseway.client.blocking import Client
from leaseway.client.calls import TaskFilter
from leaseway.client.errors import Unavailable, Unreachable
from leaseway.runtime import Clock
from leaseway.wire.tasks import TaskInfo

PATIENCE_MS = 60_000
"""A coordinator that is being restarted may be silent for so long before we give up."""


@dataclass
class Followed:
    """What is known of a plan's tasks, in the order of the plan."""

    pool: Client
    plan: str
    order: Sequence[str]
    known: dict[str, TaskInfo] = field(default_factory=dict)
    silent_since: int | None = None
    clock: Clock = field(default_factory=Clock.of_environment)

    @property
    def tasks(self) -> list[TaskInfo]:
        """In the order of the plan."""
        return [self.known[id] for id in self.order if id in self.known]

    @property
    def now(self) -> int:
        """Ledger time of the newest answer."""
        return max((task.now for task in self.known.values()), default=0)

    @property
    def ended(self) -> bool:
        """Whether every task has its outcome."""
        return len(self.known) == len(self.order) and all(
            task.ended for task in self.known.values()
        )

    def watch(self, every_ms: int) -> Iterator[list[TaskInfo]]:
        """The tasks that changed, again and again until all have ended. A list may be empty.
        Unreachable when nobody answered for a minute."""
        while True:
            began = self.clock.boot_ms()
            try:
                changed = self.ask()
                self.silent_since = None
            except (Unreachable, Unavailable):
                changed = []
                self.silent_since = self.silent_since or began
                if began - self.silent_since > PATIENCE_MS:
                    raise
            yield changed
            if self.ended:
                return
            took = self.clock.boot_ms() - began
            self.wait(max(every_ms, 5 * took))  # a large plan is not asked for all the time

    def ask(self) -> list[TaskInfo]:
        """Look at every task that has not ended as far as we know."""
        open_ids = [id for id in self.order if id not in self.known or not self.known[id].ended]
        if len(open_ids) == 1:
            found = [self.pool.task(open_ids[0])]
        elif len(open_ids) * 2 > len(self.order):
            found = list(every_task(self.pool, TaskFilter(plan=self.plan, limit=PAGE)))
        else:
            found = self._still_open(open_ids)
        changed = [task for task in found if _told(task) != _told(self.known.get(task.id))]
        self.known.update((task.id, task) for task in found)
        changed.sort(key=lambda task: task.seq)
        return changed

    def wait(self, length_ms: int) -> None:
        """Until something may be new: a running task ends, or the time is over."""
        if self.silent_since is not None:
            sleep(1.0)
            return
        open_tasks = [task for task in self.known.values() if not task.ended]
        running = [task for task in open_tasks if task.state == "running"] or open_tasks
        try:
            self.pool.task(running[0].id, wait_ms=min(length_ms, 20_000))
        except (Unreachable, Unavailable):
            self.silent_since = self.clock.boot_ms()

    def _still_open(self, open_ids: list[str]) -> list[TaskInfo]:
        """The open ones in pages; those that are missing there have just ended."""
        wanted = TaskFilter(plan=self.plan, ended=False, limit=PAGE)
        found = {task.id: task for task in every_task(self.pool, wanted)}
        ended = [self.pool.task(id) for id in open_ids if id not in found]
        return [*found.values(), *ended]


def _told(task: TaskInfo | None) -> tuple[object, ...]:
    """What a person would notice of a change."""
    if task is None:
        return ()
    attempt = task.attempt
    return (
        task.state,
        task.promise,
        attempt and (attempt.number, attempt.phase, attempt.stop_reason),
        task.outcome and task.outcome.kind,
        task.moved and task.moved.sentence,
    )
