"""`history [KEY|TASK]`: how long commands took before, and what the next run is given."""

from __future__ import annotations

import re

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.history_page import history_lines, one_lines

_KEY = re.compile(r"[0-9a-f]{12}")


@click.command("history")
@click.argument("which", required=False, metavar="[KEY|TASK]")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=40,
    show_default=True,
    help="At most so many, the last added to first.",
)
@answers
def history(asked: Asked, which: str | None, limit: int) -> None:
    """How long commands took before, and the bound that the next run is given. KEY as listed, or a
    TASK for the runs of its command, shown as bars."""
    from leaseway.cli.names import the_task

    with asked.pool() as pool:
        if which is None:
            found = pool.history(limit=limit)
        elif _KEY.fullmatch(which):
            found = pool.history(key=which)
        else:
            found = pool.history(task=the_task(pool, which))
    if which is None:
        asked.tell(found, lambda: history_lines(found, asked.paint))
        return
    asked.tell(
        found,
        lambda: (
            one_lines(found.histories[0], asked.paint)
            if found.histories
            else [f"No run of {which} has ended by itself yet: no estimate."]
        ),
    )
