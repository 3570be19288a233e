"""`drain` and `undrain`: whether a worker takes new work."""

from __future__ import annotations

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers


@click.command("drain")
@click.argument("worker", type=kinds.worker)
@click.option("--reason", default="", help="Shown to whoever asks why.")
@answers
def drain(asked: Asked, worker: str, reason: str) -> None:
    """No new work for WORKER; what runs there may end."""
    with asked.pool() as pool:
        found = pool.set_state(worker, "draining", reason)
    running = len(found.held)
    asked.tell(
        found,
        lambda: [
            f"{worker} takes no new work."
            + (f" {running} running there may end." if running else " Nothing runs there.")
        ],
    )


@click.command("undrain")
@click.argument("worker", type=kinds.worker)
@answers
def undrain(asked: Asked, worker: str) -> None:
    """New work for WORKER again, also after a quarantine."""
    with asked.pool() as pool:
        found = pool.set_state(worker, "active")
    asked.tell(found, lambda: [f"{worker} takes new work again."])
