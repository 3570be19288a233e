"""Short ways to say what a test appends."""

from __future__ import annotations

from leaseway.core.model.events import Event, Fact, Stamped, WorkerSlept
from leaseway.ledger.port import Batch
from leaseway.ledger.rows import PlanRow, Row, TaskRow, WorkerRow
from leaseway.runtime import Anchor


def anchor(at: int) -> Anchor:
    return Anchor(at, at + 1, at + 2, "boot-1")


def slept(*lengths: int, worker: str = "anna") -> tuple[Fact, ...]:
    """Small events that tell each other apart."""
    return tuple(WorkerSlept(worker, length) for length in lengths)


def batch(*events: Event, rows: tuple[Row, ...] = (), at: int = 1_000) -> Batch:
    return Batch(tuple(Stamped(at, event) for event in events), rows, anchor(at))


def task(
    id: str,
    plan: str = "p1",
    state: str = "waiting",
    *,
    principal: str = "kim",
    acknowledged: bool = False,
    ended_at: int | None = None,
    doc: bytes = b"{}",
) -> TaskRow:
    return TaskRow(id, plan, f"name of {id}", state, principal, acknowledged, ended_at, doc)


def plan(id: str, principal: str = "kim", key: str = "", *, ended_at: int | None = None) -> PlanRow:
    return PlanRow(id, principal, key, 1_000, ended_at, b"{}")


def worker(name: str, state: str = "active") -> WorkerRow:
    return WorkerRow(name, state, b"{}")
