"""`cancel`: end tasks, or every task of a plan, on request."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers


@click.command("cancel")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@answers
def cancel(asked: Asked, ids: tuple[str, ...]) -> None:
    """Cancel tasks, or every task of a plan. What runs is sent TERM, then KILL."""
    from leaseway.cli.names import task_or_plan

    with asked.pool() as pool:
        targets = [task_or_plan(pool, id) for id in ids]
        concerned = [task for target in targets for task in pool.cancel(target).tasks]
    count = len(concerned)
    asked.tell(
        {"cancelled": concerned},
        lambda: [
            f"{count} task{' is' if count == 1 else 's are'} cancelled, or will be when stopped."
            if count
            else "Nothing to cancel: it has ended already."
        ],
    )
