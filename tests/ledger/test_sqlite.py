"""Goal: the SQLite ledger behaves as every ledger does, and its file keeps what it says.
Method: the common suite, then looks at the file itself."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import apsw
import pytest

from leaseway.core.model.events import LedgerForked
from leaseway.ledger import statements
from leaseway.ledger.errors import LedgerUnavailable, LedgerUnreadable, UnknownEvent
from leaseway.ledger.rows import TaskQuery, inbox_of
from leaseway.ledger.sqlite import FILE_NAME, SqliteLedger
from tests.ledger.batches import batch, slept, task
from tests.ledger.conformance import EventConformance, contents, ledger
from tests.ledger.conformance_rows import RowConformance
from tests.ledger.faulty_disk import faulty_disk
from tests.ledger.sqlite_store import SqliteStore

__all__ = ["ledger"]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with faulty_disk() as disk:
        opened = SqliteStore(tmp_path, disk)
        yield opened
        opened.close()


class TestEvents(EventConformance):
    pass


class TestRows(RowConformance):
    pass


def beside(store: SqliteStore, sql: str) -> list:
    """What another program finds, or does to the file."""
    other = apsw.Connection(str(store.path))
    try:
        return other.execute(sql).fetchall()
    finally:
        other.close()


def test_the_file_is_its_owners_alone(store, ledger):
    ledger.append(batch(*slept(1)))
    files = list(store.path.parent.iterdir())
    assert {file.name for file in files} >= {FILE_NAME, f"{FILE_NAME}-wal"}
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_events_are_readable_without_leaseway(store, ledger):
    ledger.append(batch(*slept(5), at=9))
    found = beside(store, "SELECT position, at, tag, schema, CAST(payload AS TEXT) FROM events")
    assert found == [
        (1, 9, "WorkerSlept", 1, '{"type":"WorkerSlept","worker":"anna","slept_ms":5}')
    ]


def test_only_two_snapshots_are_on_disk(store, ledger):
    ledger.append(batch(*slept(1, 2, 3)))
    for position in (1, 2, 3):
        ledger.save_snapshot(position, b"x")
    assert beside(store, "SELECT position FROM snapshots") == [(2,), (3,)]


@pytest.mark.parametrize(
    "change", ["SET tag = 'TaskAbducted'", "SET schema = 99"], ids=["kind", "schema"]
)
def test_what_a_newer_version_wrote_is_not_passed_over(store, ledger, change):
    ledger.append(batch(*slept(1, 2)))
    beside(store, f"UPDATE events {change} WHERE position = 2")
    assert len(ledger.read(0, 1)) == 1
    with pytest.raises(UnknownEvent):
        ledger.read(0, 2)


def test_a_damaged_file_is_an_error(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"not a database " * 1_000)
    with pytest.raises(LedgerUnreadable):
        SqliteLedger.open(tmp_path)


def test_a_file_that_cannot_be_opened_is_an_error(tmp_path):
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(LedgerUnavailable, match="cannot be opened"):
        SqliteLedger.open(tmp_path)


@pytest.mark.parametrize("name", [FILE_NAME, f"{FILE_NAME}-wal"])
@pytest.mark.parametrize("again", [False, True], ids=["removed", "replaced"])
def test_a_file_that_lost_its_name_takes_nothing_more(store, ledger, name, again):
    """It would go on, and all of it be gone with the process."""
    ledger.append(batch(*slept(1)))
    file = store.path.with_name(name)
    kept = file.read_bytes()
    file.unlink()
    if again:
        file.write_bytes(kept)
    with pytest.raises(LedgerUnreadable, match=f"{name} was removed or replaced"):
        ledger.append(batch(*slept(1)))
    file.write_bytes(kept)


def test_a_writer_that_waits_too_long_is_an_error(store, ledger):
    """Another program holds the file's write lock for longer than we wait."""
    other = apsw.Connection(str(store.path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerUnavailable, match="locked"):
        ledger.append(batch(*slept(1)))
    other.execute("ROLLBACK")
    other.close()
    assert ledger.append(batch(*slept(2))) == 1


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (inbox_of("kim"), "tasks_inbox"),
        (TaskQuery(plan="p1"), "tasks_of_plan"),
        (TaskQuery(state="running", ended=False), "tasks_open"),
    ],
)
def test_lists_do_not_read_the_whole_table(store, ledger, query, index):
    sql, bindings = statements.list_tasks(query)
    other = apsw.Connection(str(store.path))
    plan = other.execute(f"EXPLAIN QUERY PLAN {sql}", bindings).fetchall()
    other.close()
    steps = [str(step[3]) for step in plan]
    assert index in steps[0]
    assert not any("TEMP B-TREE" in step for step in steps)


def test_fault_38_yesterdays_backup_opens_lower_and_continues(tmp_path):
    """The copy knows less than workers have seen; it says so by its head and takes a new id."""
    yesterday, today = tmp_path / "yesterday", tmp_path / "today"
    with_rows = batch(*slept(1, 2), rows=(task("t1"),))
    first = SqliteLedger.open(today)
    first.take_term("today")
    first.append(with_rows)
    before = contents(first)
    first.close()
    shutil.copytree(today, yesterday)
    again = SqliteLedger.open(today)
    again.take_term("today")
    assert again.append(batch(*slept(3), rows=(task("t1", state="ended", ended_at=1),))) == 3
    again.close()

    restored = SqliteLedger.open(yesterday)
    assert contents(restored) == before
    restored.take_term("restored")
    assert restored.append(batch(LedgerForked("ledger-2", "ledger-1", 3, "anna"))) == 3
    restored.close()


def test_a_handle_that_fails_to_open_lets_go(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"not a database " * 1_000)
    let_go: list[str] = []
    held = ExitStack()
    held.callback(let_go.append, "held")
    with pytest.raises(LedgerUnreadable):
        SqliteLedger(tmp_path / FILE_NAME, held)
    assert let_go == ["held"]
    (tmp_path / FILE_NAME).unlink()
    SqliteLedger.open(tmp_path).close()
