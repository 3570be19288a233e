"""The SQL that reads and writes rows, built from the fields of their records."""

from __future__ import annotations

from typing import Any

from leaseway.ledger.rows import (
    PlanQuery,
    PlanRow,
    Row,
    TaskQuery,
    TaskRow,
    WorkerRow,
    checked_limit,
)

Bindings = tuple[Any, ...]
TABLES: dict[type[Row], str] = {TaskRow: "tasks", PlanRow: "plans", WorkerRow: "workers"}


def _columns(kind: type[Row]) -> str:
    return ", ".join(kind.__struct_fields__)


def _upsert(kind: type[Row]) -> str:
    """A row that is there keeps its place in the order of first appearance."""
    key, *others = kind.__struct_fields__
    marks = ", ".join("?" * (len(others) + 1))
    changed = ", ".join(f"{column} = excluded.{column}" for column in others)
    return (
        f"INSERT INTO {TABLES[kind]} ({_columns(kind)}) VALUES ({marks})"
        f" ON CONFLICT ({key}) DO UPDATE SET {changed}"
    )


def _select(kind: type[Row]) -> str:
    return f"SELECT {_columns(kind)} FROM {TABLES[kind]}"


UPSERT: dict[type[Row], str] = {kind: _upsert(kind) for kind in TABLES}
TASK = _select(TaskRow) + " WHERE id = ?"
PLAN = _select(PlanRow) + " WHERE id = ?"
WORKER = _select(WorkerRow) + " WHERE name = ?"
WORKERS = _select(WorkerRow) + " ORDER BY name"


def list_tasks(query: TaskQuery) -> tuple[str, Bindings]:
    """Flags are literals, for a partial index is used only where its condition is spelled out."""
    terms = _equal({"plan": query.plan, "state": query.state, "principal": query.principal})
    if query.acknowledged is not None:
        terms.append((f"acknowledged = {int(query.acknowledged)}", ()))
    return _newest_first(TaskRow, [*terms, *_ended(query.ended)], query.before, query.limit)


def list_plans(query: PlanQuery) -> tuple[str, Bindings]:
    """Like `list_tasks`."""
    terms = _equal({"principal": query.principal, "key": query.key})
    return _newest_first(PlanRow, [*terms, *_ended(query.ended)], query.before, query.limit)


Term = tuple[str, Bindings]


def _equal(wanted: dict[str, str | None]) -> list[Term]:
    return [(f"{name} = ?", (value,)) for name, value in wanted.items() if value is not None]


def _ended(ended: bool | None) -> list[Term]:
    if ended is None:
        return []
    return [("ended_at IS NOT NULL" if ended else "ended_at IS NULL", ())]


def _newest_first(
    kind: type[Row], terms: list[Term], before: str | None, limit: int
) -> tuple[str, Bindings]:
    if before is not None:
        terms = [*terms, (f"n < (SELECT n FROM {TABLES[kind]} WHERE id = ?)", (before,))]
    where = " WHERE " + " AND ".join(sql for sql, _ in terms) if terms else ""
    bindings = tuple(value for _, values in terms for value in values)
    return f"{_select(kind)}{where} ORDER BY n DESC LIMIT ?", (*bindings, checked_limit(limit))
