"""`tasks`: where every task is, of one plan or of all."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.outcomes import waste_text
from leaseway.cli.standing import standing_lines, standing_of


@click.command("tasks")
@click.argument("plan", required=False)
@click.option(
    "--only",
    "state",
    type=click.Choice(["waiting", "granted", "running", "ended"]),
    help="Only tasks in this state.",
)
@click.option("--open", "is_open", is_flag=True, help="Only tasks that have not ended.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="At most so many, the newest.",
)
@answers
def tasks(asked: Asked, plan: str | None, state: str | None, is_open: bool, limit: int) -> None:
    """Tasks and where they are: of PLAN, or of all plans."""
    from leaseway.client.calls import TaskFilter

    wanted = TaskFilter(plan=plan, state=state, ended=False if is_open else None, limit=limit)
    with asked.pool() as pool:
        # An unknown name is answered with the nearest ones.
        wasted = waste_text(pool.plan(plan).wasted) if plan else ""
        found = sorted(pool.tasks(wanted).tasks, key=lambda task: task.seq)
    standings = [standing_of(task, task.now, full_id=not plan) for task in found]
    below = ["", f"Wasted core-minutes of the whole plan: {wasted}."] if wasted else []
    asked.tell(
        found,
        lambda: [*standing_lines(standings, asked.paint), *below] if found else ["No such tasks."],
    )
