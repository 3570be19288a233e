"""`inbox`: outcomes that were not acknowledged."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.outcomes import outcome_lines
from leaseway.cli.paint import Paint
from leaseway.wire.tasks import InboxInfo


@click.command("inbox")
@click.option("--of", "principal", metavar="NAME", help="Of this principal, not your own.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    help="At most so many.",
)
@answers
def inbox(asked: Asked, principal: str | None, limit: int) -> None:
    """Outcomes that you have not acknowledged. They stay until you do: leaseway ack."""
    with asked.pool() as pool:
        found = pool.inbox(principal, limit)
    asked.tell(found, lambda: inbox_lines(found, asked.paint))


def inbox_lines(found: InboxInfo, paint: Paint) -> list[str]:
    """The table, and how to say seen."""
    if not found.tasks:
        return [f"Nothing new for {found.principal}."]
    lines = outcome_lines(found.tasks, paint, full_ids=True)
    if found.more:
        lines.append("There are more; --limit shows them.")
    return [*lines, "Seen? leaseway ack --all"]
