"""`cancel`: end tasks, or every task of a plan, on request."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.standing import plural
from leaseway.client.blocking import Client
from leaseway.core.model.units import show_ms


@click.command("cancel")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@answers
def cancel(asked: Asked, ids: tuple[str, ...]) -> None:
    """Cancel tasks, or every task of a plan. What runs is sent TERM, then KILL."""
    from leaseway.cli.names import task_or_plan

    with asked.pool() as pool:
        targets = [task_or_plan(pool, id) for id in ids]
        concerned = [task for target in targets for task in pool.cancel(target).tasks]
        unheard = out_of_hearing(pool, concerned)
    asked.tell({"cancelled": concerned}, lambda: [*cancelled_lines(len(concerned)), *unheard])


def cancelled_lines(count: int) -> list[str]:
    """How many were asked to end."""
    if not count:
        return ["Nothing to cancel: it has ended already."]
    return [f"{plural(count, 'task is', 'tasks are')} cancelled, or will be when stopped."]


def out_of_hearing(pool: Client, concerned: list[str]) -> list[str]:
    """Workers that have to stop something and cannot be told now."""
    if not concerned:
        return []
    named = set(concerned)
    return [
        f"{each.name} was not heard of for {show_ms(each.heard_ago_ms or 0)}: it will be told when"
        " it is back; by itself it stops what runs there at its stop time."
        for each in pool.workers().workers
        if not each.present and any(held.task in named for held in each.held)
    ]
