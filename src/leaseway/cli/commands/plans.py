"""`plans`: what was handed in, newest first."""

from __future__ import annotations

from collections.abc import Sequence

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.outcomes import waste_text
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.table import Cell, Column, Row, table_lines
from leaseway.runtime import local_clock, since_epoch_iso
from leaseway.wire.plans import PlanInfo

COLUMNS = (
    Column("plan"),
    Column("name"),
    Column("by", most=16),
    Column("handed in"),
    Column("tasks", right=True),
    Column("open", right=True),
    Column("ended"),
    Column("wasted core-minutes", wraps=True),
)


@click.command("plans")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=20,
    show_default=True,
    help="At most so many.",
)
@answers
def plans(asked: Asked, limit: int) -> None:
    """Plans that were handed in, newest first."""
    with asked.pool() as pool:
        found = pool.plans(limit=limit).plans
    asked.tell(found, lambda: plan_lines(found, asked.paint))


def plan_lines(found: Sequence[PlanInfo], paint: Paint) -> list[str]:
    """The table."""
    if not found:
        return ["No plan was handed in yet. Hand one in with: leaseway run plan.toml"]
    return table_lines(COLUMNS, [_row(plan) for plan in found], paint)


def _row(plan: PlanInfo) -> Row:
    return [
        plan.id,
        plan.name if plan.name != plan.id.rpartition("-")[0] else "",
        plan.principal,
        since_epoch_iso(plan.submitted_at),
        str(len(plan.tasks)),
        Cell(str(plan.open_tasks), Tone.BUSY) if plan.open_tasks else "0",
        local_clock(plan.ended_at) if plan.ended_at is not None else "",
        waste_text(plan.wasted),
    ]
