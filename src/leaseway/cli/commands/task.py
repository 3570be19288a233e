"""`task ID`: one task in full."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.task_page import task_lines


@click.command("task")
@click.argument("id")
@answers
def task(asked: Asked, id: str) -> None:
    """One task: its promise, stop time, order, attempts, outcome, and what was wasted."""
    with asked.pool() as pool:
        found = pool.task(id)
    asked.tell(found, lambda: task_lines(found, asked.paint))
