"""A ledger file brought to the tables of today, step by step, each step in one transaction."""

from __future__ import annotations

from functools import cache
from importlib import resources

import apsw

from leaseway.ledger.connection import transaction
from leaseway.ledger.errors import LedgerUnreadable

APPLICATION_ID = 0x4C656173  # "Leas": what `file` and we know a ledger by


@cache
def migrations() -> tuple[str, ...]:
    """The SQL of every step in order. ValueError where the numbers have a gap."""
    files = sorted(
        (
            file
            for file in resources.files("leaseway.ledger.schema").iterdir()
            if file.name.endswith(".sql")
        ),
        key=lambda file: file.name,
    )
    numbers = [int(file.name.split("_")[0]) for file in files]
    if numbers != list(range(1, len(files) + 1)):
        raise ValueError(f"migrations are not numbered 1, 2, 3 …: {numbers}")
    return tuple(file.read_text(encoding="utf-8") for file in files)


def migrate(writer: apsw.Connection, name: str) -> None:
    """Apply what is missing. LedgerUnreadable: `name` is another program's database, or was
    written by a newer version; it is left as it is."""
    known = len(migrations())
    with transaction(writer):
        found = _version(writer, name)
        if found > known:
            raise LedgerUnreadable(
                f"{name} has tables of version {found} and this version of Leaseway knows up to"
                f" {known}; a newer one wrote it"
            )
        for number, sql in enumerate(migrations()[found:], start=found + 1):
            writer.execute(sql)
            writer.execute(f"PRAGMA user_version = {number}")
        writer.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _version(writer: apsw.Connection, name: str) -> int:
    """The version of the tables; 0 for an empty file."""
    owner = writer.pragma("application_id")
    if owner == APPLICATION_ID:
        return int(writer.pragma("user_version"))
    if owner or list(writer.execute("SELECT 1 FROM sqlite_schema LIMIT 1")):
        raise LedgerUnreadable(f"{name} is a database of another program, not a ledger")
    return 0
