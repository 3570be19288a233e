"""A ledger in one SQLite file: a connection that writes and one that reads beside it.

One append is one transaction and one sync of the write-ahead log. Where that sync fails, the batch
is not there for anyone; what of it lies in the log behind the last commit is cut off at once, for a
recovery after a crash would else find it whole. Only a crash before the disk obeys again can still
bring it back, and then all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, Self

import apsw
from msgspec.structs import astuple

from leaseway.ledger import statements
from leaseway.ledger.connection import (
    BUSY_MS,
    make_durable,
    open_reader,
    open_writer,
    transaction,
    translated,
)
from leaseway.ledger.encoding import SNAPSHOT_SCHEMA, Encoded, decode, encode
from leaseway.ledger.errors import LedgerUnreadable, TermLost
from leaseway.ledger.lock import folder_held
from leaseway.ledger.migrations import migrate
from leaseway.ledger.named import Named
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

FILE_NAME = "ledger.db"

_LEAD = "UPDATE coordinator SET term = term + 1, holder = ? RETURNING term, head"
_LEADS = "SELECT count(*) FROM coordinator WHERE term = ? AND term > 0"
_ADVANCE = (
    "UPDATE coordinator SET head = ?, at = ?, boot_ms = ?, wall_ms = ?, boot_id = ?"
    " WHERE term = ? AND term > 0"
)
_APPEND = "INSERT INTO events (position, at, tag, schema, payload) VALUES (?, ?, ?, ?, ?)"
_READ = (
    "SELECT position, at, tag, schema, payload FROM events"
    " WHERE position > ? ORDER BY position LIMIT ?"
)
_SAVE = "INSERT OR REPLACE INTO snapshots (position, schema, data) VALUES (?, ?, ?)"
_LATEST = "SELECT position, schema, data FROM snapshots ORDER BY position DESC LIMIT 1"
_DROP_OLD = (
    "DELETE FROM snapshots WHERE position NOT IN"
    f" (SELECT position FROM snapshots ORDER BY position DESC LIMIT {SNAPSHOTS_KEPT})"
)


class SqliteLedger:
    """One handle on a ledger file. Safe to use from several threads."""

    def __init__(self, path: Path, held: ExitStack) -> None:
        """Open or create the file. `held` is let go of when the ledger closes."""
        self._term = 0
        self._head = 0
        self._write_lock, self._read_lock = Lock(), Lock()
        with held, translated(f"opening {path}"):
            self._writer = open_writer(path)
            held.callback(self._writer.close)
            self._writer.set_busy_timeout(BUSY_MS)
            migrate(self._writer, str(path))
            make_durable(self._writer)
            self._reader = open_reader(path)
            held.callback(self._reader.close)
            self._files = Named(path, path.with_name(f"{path.name}-wal"))
            self._closing = held.pop_all()

    @classmethod
    def open(cls, folder: Path) -> Self:
        """The ledger of a folder, alone: LedgerInUse if another process holds it."""
        held = ExitStack()
        held.enter_context(folder_held(folder))
        return cls(folder / FILE_NAME, held)

    def close(self) -> None:
        with self._write_lock, self._read_lock, translated("closing"):
            self._closing.close()

    def take_term(self, holder: str) -> int:
        with self._write_lock:
            with self._writing("taking a term") as writer:
                term, head = _first(writer, _LEAD, (holder,))
            self._term, self._head = int(term), int(head)
            return self._term

    def append(self, batch: Batch) -> int:
        events = [(stamped.at, *astuple(encode(stamped.event))) for stamped in batch.stamped]
        with self._write_lock:
            with self._writing("appending") as writer:
                self._check_files()
                head = self._head + len(events)
                self._advance(writer, head, batch.anchor)
                numbered = enumerate(events, start=self._head + 1)
                writer.executemany(_APPEND, ((number, *event) for number, event in numbered))
                for kind, rows in _by_kind(batch.rows).items():
                    writer.executemany(statements.UPSERT[kind], map(astuple, rows))
            self._head = head
            return head

    def save_snapshot(self, position: int, data: bytes) -> None:
        with self._write_lock, self._writing("saving a snapshot") as writer:
            if not _first(writer, _LEADS, (self._term,))[0]:
                raise self._deposed(writer)
            if not 0 <= position <= self._head:
                raise ValueError(f"no snapshot at {position}: the head is {self._head}")
            writer.execute(_SAVE, (position, SNAPSHOT_SCHEMA, data))
            writer.execute(_DROP_OLD)

    def head(self) -> int:
        return int(self._select("SELECT head FROM coordinator")[0][0])

    def anchor(self) -> Anchor | None:
        stored = self._select("SELECT at, boot_ms, wall_ms, boot_id FROM coordinator")[0]
        return None if stored[0] is None else Anchor(*stored)

    def read(self, after: int, limit: int) -> list[Stored]:
        return [
            Stored(position, at, decode(Encoded(tag, schema, payload)))
            for position, at, tag, schema, payload in self._select(
                _READ, (after, checked_limit(limit))
            )
        ]

    def latest_snapshot(self) -> Snapshot | None:
        return next((Snapshot(*found) for found in self._select(_LATEST)), None)

    def task(self, id: str) -> TaskRow | None:
        return next((_task_row(found) for found in self._select(statements.TASK, (id,))), None)

    def tasks(self, query: TaskQuery) -> list[TaskRow]:
        return [_task_row(found) for found in self._select(*statements.list_tasks(query))]

    def plan(self, id: str) -> PlanRow | None:
        return next((PlanRow(*found) for found in self._select(statements.PLAN, (id,))), None)

    def plans(self, query: PlanQuery) -> list[PlanRow]:
        return [PlanRow(*found) for found in self._select(*statements.list_plans(query))]

    def worker(self, name: str) -> WorkerRow | None:
        found = self._select(statements.WORKER, (name,))
        return next((WorkerRow(*row) for row in found), None)

    def workers(self) -> list[WorkerRow]:
        return [WorkerRow(*found) for found in self._select(statements.WORKERS)]

    @contextmanager
    def _writing(self, doing: str) -> Iterator[apsw.Connection]:
        with translated(doing):
            try:
                with transaction(self._writer):
                    yield self._writer
            except (apsw.FullError, apsw.IOError):
                self._cut_off_tail()
                raise

    def _check_files(self) -> None:
        """LedgerUnreadable: what is written now would be gone with the end of this process."""
        if missing := self._files.missing():
            raise LedgerUnreadable(f"{missing} was removed or replaced while it was open")

    def _cut_off_tail(self) -> None:
        """Empty the log into the file, and with it whatever lies behind the last commit. The disk
        may refuse that too; then the next append overwrites it."""
        with suppress(apsw.Error):
            self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def _advance(self, writer: apsw.Connection, head: int, anchor: Anchor) -> None:
        """Move the head, if the term is still ours: one statement, so nothing comes between."""
        clock = (anchor.at, anchor.boot_ms, anchor.wall_ms, anchor.boot_id)
        writer.execute(_ADVANCE, (head, *clock, self._term))
        if not writer.changes():
            raise self._deposed(writer)

    def _deposed(self, writer: apsw.Connection) -> TermLost:
        term, holder = _first(writer, "SELECT term, holder FROM coordinator", ())
        return TermLost(self._term, term, holder)

    def _select(self, sql: str, bindings: statements.Bindings = ()) -> list[tuple[Any, ...]]:
        with self._read_lock, translated("reading"):
            return self._reader.execute(sql, bindings).fetchall()


def _first(writer: apsw.Connection, sql: str, bindings: statements.Bindings) -> tuple[Any, ...]:
    return tuple(writer.execute(sql, bindings).fetchall()[0])


def _by_kind(rows: tuple[Row, ...]) -> dict[type[Row], list[Row]]:
    grouped: dict[type[Row], list[Row]] = {}
    for row in rows:
        grouped.setdefault(type(row), []).append(row)
    return grouped


def _task_row(found: tuple[Any, ...]) -> TaskRow:
    id, plan, name, state, principal, acknowledged, ended_at, doc = found
    return TaskRow(id, plan, name, state, principal, bool(acknowledged), ended_at, doc)
