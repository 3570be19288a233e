"""`give-up`: an outcome now, instead of at the task's give-up time."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.findings import cause_text
from leaseway.cli.paint import Tone
from leaseway.cli.table import paragraph


@click.command("give-up")
@click.argument("id", metavar="TASK")
@answers
def give_up(asked: Asked, id: str) -> None:
    """End a task that cannot be waited for: as lost where it may be running out of hearing, as
    refused where it never started."""
    from leaseway.cli.names import the_task

    with asked.pool() as pool:
        before = pool.task(the_task(pool, id))
        if not before.ended:
            pool.give_up(before.id)
        task = pool.task(before.id)

    def lines() -> list[str]:
        if before.outcome is not None:
            said = f"Nothing to give up: {task.id} had ended already, {before.outcome.kind}."
            return paragraph(said, asked.paint)
        if task.outcome is None:
            return [f"{task.id} has not ended yet."]
        head = f"{task.id}  {asked.paint(task.outcome.kind, Tone.UNSURE)}"
        return [head, *paragraph(cause_text(task.outcome.cause), asked.paint, indent="  ")]

    asked.tell(task, lines)
