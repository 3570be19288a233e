"""A ledger in memory: the model that the others are compared with, and the simulator's disk.

What must outlive a crash is in `Disk`; a `MemoryLedger` is one handle on it, like one process.
Events are kept encoded, so that nothing kept here is shared with whoever appended it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from threading import Lock
from typing import TypeVar

from leaseway.core.model.units import Instant
from leaseway.ledger.encoding import SNAPSHOT_SCHEMA, Encoded, decode, encode
from leaseway.ledger.errors import LedgerUnavailable, TermLost
from leaseway.ledger.port import SNAPSHOTS_KEPT, Batch, Snapshot, Stored
from leaseway.ledger.rows import (
    PlanQuery,
    PlanRow,
    Row,
    TaskQuery,
    TaskRow,
    WorkerRow,
    checked_limit,
)
from leaseway.runtime import Anchor

Kept = TypeVar("Kept", TaskRow, PlanRow)


@dataclass
class Disk:
    """What is durable. While `broken` says why, every write is turned away."""

    events: list[tuple[Instant, Encoded]] = field(default_factory=list)
    tasks: dict[str, TaskRow] = field(default_factory=dict)
    plans: dict[str, PlanRow] = field(default_factory=dict)
    workers: dict[str, WorkerRow] = field(default_factory=dict)
    snapshots: dict[int, Snapshot] = field(default_factory=dict)
    anchor: Anchor | None = None
    term: int = 0
    holder: str = ""
    broken: str = ""
    lock: Lock = field(default_factory=Lock)


class MemoryLedger:
    """One handle on a disk in memory."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk
        self._term = 0
        self._closed = False

    def take_term(self, holder: str) -> int:
        disk = self._opened()
        with disk.lock:
            self._check_writable()
            disk.term += 1
            disk.holder = holder
            self._term = disk.term
        return self._term

    def append(self, batch: Batch) -> int:
        disk = self._opened()
        encoded = [(stamped.at, encode(stamped.event)) for stamped in batch.stamped]
        with disk.lock:
            self._check_term()
            self._check_writable()
            disk.events.extend(encoded)
            for row in batch.rows:
                self._put(row)
            disk.anchor = batch.anchor
            return len(disk.events)

    def save_snapshot(self, position: int, data: bytes) -> None:
        disk = self._opened()
        with disk.lock:
            self._check_term()
            if not 0 <= position <= len(disk.events):
                raise ValueError(f"no snapshot at {position}: the head is {len(disk.events)}")
            self._check_writable()
            disk.snapshots[position] = Snapshot(position, SNAPSHOT_SCHEMA, data)
            for old in sorted(disk.snapshots)[:-SNAPSHOTS_KEPT]:
                del disk.snapshots[old]

    def close(self) -> None:
        self._closed = True

    def head(self) -> int:
        return len(self._opened().events)

    def anchor(self) -> Anchor | None:
        return self._opened().anchor

    def read(self, after: int, limit: int) -> list[Stored]:
        first = max(after, 0)
        past = first + checked_limit(limit)
        disk = self._opened()
        with disk.lock:
            chosen = disk.events[first:past]
        return [
            Stored(position, at, decode(encoded))
            for position, (at, encoded) in enumerate(chosen, start=first + 1)
        ]

    def latest_snapshot(self) -> Snapshot | None:
        disk = self._opened()
        with disk.lock:
            return disk.snapshots[max(disk.snapshots)] if disk.snapshots else None

    def task(self, id: str) -> TaskRow | None:
        return self._opened().tasks.get(id)

    def tasks(self, query: TaskQuery) -> list[TaskRow]:
        limit = checked_limit(query.limit)
        disk = self._opened()
        with disk.lock:
            older = _newest_first(disk.tasks, query.before)
            return list(islice((row for row in older if _task_fits(row, query)), limit))

    def plan(self, id: str) -> PlanRow | None:
        return self._opened().plans.get(id)

    def plans(self, query: PlanQuery) -> list[PlanRow]:
        limit = checked_limit(query.limit)
        disk = self._opened()
        with disk.lock:
            older = _newest_first(disk.plans, query.before)
            return list(islice((row for row in older if _plan_fits(row, query)), limit))

    def worker(self, name: str) -> WorkerRow | None:
        return self._opened().workers.get(name)

    def workers(self) -> list[WorkerRow]:
        disk = self._opened()
        with disk.lock:
            return [row for _, row in sorted(disk.workers.items())]

    def _opened(self) -> Disk:
        if self._closed:
            raise LedgerUnavailable("the ledger is closed")
        return self._disk

    def _check_writable(self) -> None:
        if self._disk.broken:
            raise LedgerUnavailable(f"nothing was written: {self._disk.broken}")

    def _check_term(self) -> None:
        if self._term == 0 or self._term != self._disk.term:
            raise TermLost(self._term, self._disk.term, self._disk.holder)

    def _put(self, row: Row) -> None:
        match row:
            case TaskRow():
                self._disk.tasks[row.id] = row
            case PlanRow():
                self._disk.plans[row.id] = row
            case WorkerRow():
                self._disk.workers[row.name] = row


def _newest_first(rows: dict[str, Kept], before: str | None) -> Iterator[Kept]:
    """Rows from the newest, or from below `before`; a key that is not there has none below it."""
    newest: Iterable[str] = reversed(rows)
    if before is not None:
        walk = iter(newest)
        for key in walk:
            if key == before:
                break
        newest = walk
    return (rows[key] for key in newest)


def _asks(wanted: object, there: object) -> bool:
    return wanted is None or wanted == there


def _task_fits(row: TaskRow, query: TaskQuery) -> bool:
    return (
        _asks(query.plan, row.plan)
        and _asks(query.state, row.state)
        and _asks(query.principal, row.principal)
        and _asks(query.acknowledged, row.acknowledged)
        and _asks(query.ended, row.ended_at is not None)
    )


def _plan_fits(row: PlanRow, query: PlanQuery) -> bool:
    return (
        _asks(query.principal, row.principal)
        and _asks(query.key, row.key)
        and _asks(query.ended, row.ended_at is not None)
    )
