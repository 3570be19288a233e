"""`task ID`: one task in full."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.task_page import task_lines


@click.command("task")
@click.argument("id", metavar="TASK")
@answers
def task(asked: Asked, id: str) -> None:
    """One task: its promise, stop time, order, attempts, outcome, and what was wasted."""
    from leaseway.cli.names import the_task

    with asked.pool() as pool:
        found = pool.task(the_task(pool, id))
    asked.tell(found, lambda: task_lines(found, asked.paint))
