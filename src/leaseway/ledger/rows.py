"""Current rows: the projection that lists and look-ups read, so that they need no replay.

A row is found by its key and lists come newest first: in the opposite order of first appearance.
`doc` is the whole thing as its owner encoded it; the other columns are there to be asked for.
"""

from __future__ import annotations

from msgspec import Struct

from leaseway.core.model.units import Instant


class TaskRow(Struct, frozen=True, gc=False):
    """One task. `ended_at` None: not ended."""

    id: str
    plan: str
    name: str
    state: str
    principal: str
    acknowledged: bool
    ended_at: Instant | None
    doc: bytes


class PlanRow(Struct, frozen=True, gc=False):
    """One plan. `key` is the idempotency key of its submit, empty if there was none."""

    id: str
    principal: str
    key: str
    submitted_at: Instant
    ended_at: Instant | None
    doc: bytes


class WorkerRow(Struct, frozen=True, gc=False):
    """One worker; `state` is that of its lease."""

    name: str
    state: str
    doc: bytes


Row = TaskRow | PlanRow | WorkerRow


class TaskQuery(Struct, frozen=True, kw_only=True):
    """Which tasks to list. None asks for nothing; `before` is the last id of the page before."""

    plan: str | None = None
    state: str | None = None
    principal: str | None = None
    acknowledged: bool | None = None
    ended: bool | None = None
    before: str | None = None
    limit: int = 100


class PlanQuery(Struct, frozen=True, kw_only=True):
    """Which plans to list. None asks for nothing; `before` is the last id of the page before."""

    principal: str | None = None
    key: str | None = None
    ended: bool | None = None
    before: str | None = None
    limit: int = 100


def checked_limit(limit: int) -> int:
    """The limit itself. ValueError if it is negative, which SQL takes for none at all."""
    if limit < 0:
        raise ValueError(f"a limit is not negative: {limit}")
    return limit


def inbox_of(principal: str, limit: int = 100) -> TaskQuery:
    """What has ended and was not acknowledged by the principal who asked for it."""
    return TaskQuery(principal=principal, acknowledged=False, ended=True, limit=limit)
