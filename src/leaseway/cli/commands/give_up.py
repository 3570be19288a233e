"""`give-up`: an outcome now, instead of at the task's give-up time."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.findings import cause_text
from leaseway.cli.paint import Tone
from leaseway.cli.table import paragraph


@click.command("give-up")
@click.argument("id")
@answers
def give_up(asked: Asked, id: str) -> None:
    """End a task that cannot be waited for: as lost where it may be running out of hearing, as
    refused where it never started."""
    with asked.pool() as pool:
        pool.give_up(id)
        task = pool.task(id)

    def lines() -> list[str]:
        if task.outcome is None:
            return [f"{task.id} has not ended yet."]
        head = f"{task.id}  {asked.paint(task.outcome.kind, Tone.UNSURE)}"
        return [head, *paragraph(cause_text(task.outcome.cause), asked.paint, indent="  ")]

    asked.tell(task, lines)
