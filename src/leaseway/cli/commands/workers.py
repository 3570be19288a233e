"""`workers`: who offers time, how much is left, when each was last heard."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.workers_table import worker_lines


@click.command("workers")
@answers
def workers(asked: Asked) -> None:
    """Workers: time left, longest task, what is free, when last heard."""
    with asked.pool() as pool:
        found = pool.workers().workers
    asked.tell(
        found,
        lambda: (
            worker_lines(found, asked.paint)
            if found
            else ["No worker has joined yet. Offer this machine: leaseway worker join --for 1h"]
        ),
    )
