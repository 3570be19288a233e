"""`ack`: say of outcomes that they were seen."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.wire.plans import Changed


@click.command("ack")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--all", "everything", is_flag=True, help="Every outcome in your inbox.")
@answers
def ack(asked: Asked, ids: tuple[str, ...], everything: bool) -> None:
    """Acknowledge outcomes: of the tasks or whole plans named, or of all."""
    if ids and everything:
        raise click.UsageError("Either names, or --all: --all is every outcome in your inbox.")
    if not ids and not everything:
        raise click.UsageError("Name tasks or plans, or say --all.")
    from leaseway.cli.names import to_acknowledge

    with asked.pool() as pool:
        named = to_acknowledge(pool, ids)
        changed = pool.acknowledge(named) if named or everything else Changed()
    count = len(changed.tasks)
    asked.tell(changed, lambda: [f"{count} outcome{'' if count == 1 else 's'} acknowledged."])
