"""The port of every ledger: what the coordinator may ask of one, whatever keeps it.

One handle writes at a time: it takes a *term*, and whoever takes a newer one deposes it. Reading
needs no term and may happen in any thread while another one appends; it sees whole batches only.

A replay reads in chunks:

    snapshot = ledger.latest_snapshot()
    after = snapshot.position if snapshot else 0
    while chunk := ledger.read(after, 1_000):
        ...
        after = chunk[-1].position
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from leaseway.core.model.events import Fact, Stamped
from leaseway.core.model.units import Instant
from leaseway.ledger.rows import PlanQuery, PlanRow, Row, TaskQuery, TaskRow, WorkerRow
from leaseway.runtime import Anchor

SNAPSHOTS_KEPT = 2


class Batch(Struct, frozen=True):
    """What is written as one: events in order, the rows that changed, the clock as it stood.
    Of two rows with the same key the later counts. Marks are not facts: ValueError."""

    stamped: tuple[Stamped, ...]
    rows: tuple[Row, ...]
    anchor: Anchor


class Stored(Struct, frozen=True, gc=False):
    """An event with its position (1, 2, 3 …) and the ledger time at which it happened."""

    position: int
    at: Instant
    event: Fact


class Snapshot(Struct, frozen=True, gc=False):
    """Everything folded from the events up to `position`. `schema` numbers the layout of `data`:
    one that is not `encoding.SNAPSHOT_SCHEMA` is passed over and the events are read instead."""

    position: int
    schema: int
    data: bytes


class Reader(Protocol):
    """What may be read. Each call may raise LedgerUnavailable or LedgerUnreadable."""

    def head(self) -> int:
        """Position of the last event; 0 in an empty ledger."""
        ...

    def anchor(self) -> Anchor | None:
        """The clock as the last batch found it; None before the first."""
        ...

    def read(self, after: int, limit: int) -> list[Stored]:
        """Up to `limit` events with a position above `after`, in order."""
        ...

    def latest_snapshot(self) -> Snapshot | None:
        """The newest snapshot, or None."""
        ...

    def task(self, id: str) -> TaskRow | None:
        """The row of one task."""
        ...

    def tasks(self, query: TaskQuery) -> list[TaskRow]:
        """Rows of tasks, newest first."""
        ...

    def plan(self, id: str) -> PlanRow | None:
        """The row of one plan."""
        ...

    def plans(self, query: PlanQuery) -> list[PlanRow]:
        """Rows of plans, newest first."""
        ...

    def worker(self, name: str) -> WorkerRow | None:
        """The row of one worker."""
        ...

    def workers(self) -> list[WorkerRow]:
        """Rows of all workers by name."""
        ...


class Ledger(Reader, Protocol):
    """What the one writer may do besides."""

    def take_term(self, holder: str) -> int:
        """Begin a newer term for this handle and return its number; deposes every other handle.
        LedgerUnavailable: no term was taken."""
        ...

    def append(self, batch: Batch) -> int:
        """Write the batch durably, whole or not at all, and return the new head.

        TermLost: a newer term was taken, or none by this handle. LedgerUnavailable: nothing of
        the batch is there; the next append works as soon as the disk does."""
        ...

    def save_snapshot(self, position: int, data: bytes) -> None:
        """Keep a snapshot of everything up to `position`, which is at most the head (ValueError).
        The two newest are kept. Raises like `append`."""
        ...

    def close(self) -> None:
        """Let go of files and locks; twice does no harm. Every later call but a second close
        raises LedgerUnavailable."""
        ...
