"""Goal: a file is brought to today's tables or left as it is. Method: files of every origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from leaseway.ledger import migrations
from leaseway.ledger.errors import LedgerUnreadable
from leaseway.ledger.migrations import APPLICATION_ID, migrate
from leaseway.ledger.sqlite import FILE_NAME, SqliteLedger

Open = Callable[[], apsw.Connection]


@pytest.fixture
def connect(tmp_path: Path) -> Iterator[Open]:
    opened: list[apsw.Connection] = []

    def connection() -> apsw.Connection:
        opened.append(apsw.Connection(str(tmp_path / FILE_NAME)))
        return opened[-1]

    yield connection
    for one in opened:
        one.close()


def tables(connection: apsw.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}


def test_an_empty_file_gets_all_tables(connect):
    connection = connect()
    migrate(connection, "ledger.db")
    assert tables(connection) >= {"coordinator", "events", "snapshots", "tasks", "plans", "workers"}
    assert connection.pragma("user_version") == len(migrations.migrations())
    assert connection.pragma("application_id") == APPLICATION_ID


def test_a_second_time_changes_nothing(connect):
    migrate(connect(), "ledger.db")
    connection = connect()
    before = connection.execute("SELECT sql FROM sqlite_schema").fetchall()
    migrate(connection, "ledger.db")
    assert connection.execute("SELECT sql FROM sqlite_schema").fetchall() == before


def test_what_is_missing_is_added(connect, monkeypatch):
    migrate(connect(), "ledger.db")
    today = migrations.migrations()
    later = (*today, "CREATE TABLE sites (id TEXT); CREATE INDEX sites_by_id ON sites (id);")
    monkeypatch.setattr(migrations, "migrations", lambda: later)
    connection = connect()
    migrate(connection, "ledger.db")
    assert "sites_by_id" in tables(connection)
    assert connection.pragma("user_version") == len(today) + 1


def test_a_step_that_fails_leaves_the_file_as_it_was(connect, monkeypatch):
    migrate(connect(), "ledger.db")
    today = migrations.migrations()
    wrong = (*today, "CREATE TABLE sites (id TEXT); CREATE TABLE sites (id TEXT);")
    monkeypatch.setattr(migrations, "migrations", lambda: wrong)
    connection = connect()
    with pytest.raises(apsw.SQLError):
        migrate(connection, "ledger.db")
    assert "sites" not in tables(connection)
    assert connection.pragma("user_version") == len(today)


def test_a_newer_file_is_left_alone(connect, tmp_path):
    connection = connect()
    migrate(connection, "ledger.db")
    connection.pragma("user_version", 99)
    with pytest.raises(LedgerUnreadable, match="version 99"):
        SqliteLedger.open(tmp_path)
    assert connection.pragma("user_version") == 99


@pytest.mark.parametrize(
    "sql", ["CREATE TABLE songs (title TEXT)", "PRAGMA application_id = 252006673"]
)
def test_another_programs_database_is_left_alone(connect, tmp_path, sql):
    connection = connect()
    connection.execute(sql)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(LedgerUnreadable, match="another program"):
        SqliteLedger.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes() == before
    assert connection.pragma("journal_mode") == "delete"
