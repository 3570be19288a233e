"""`revoke`: the owner takes a worker's grants back."""

from __future__ import annotations

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers


@click.command("revoke")
@click.argument("worker", type=kinds.worker)
@click.option("--reason", default="", help="Shown to everyone concerned.")
@answers
def revoke(asked: Asked, worker: str, reason: str) -> None:
    """Take the grants of WORKER back: what runs there is stopped, late results do not count."""
    with asked.pool() as pool:
        found = pool.revoke(worker, reason)
    concerned = ", ".join(held.task for held in found.held)
    asked.tell(
        found,
        lambda: [
            f"The grants of {worker} are taken back."
            + (f" Being stopped: {concerned}." if concerned else " Nothing ran there.")
        ],
    )
