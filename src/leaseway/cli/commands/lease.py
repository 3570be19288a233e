"""`lease show|set|close`: the terms of a worker's lease."""

from __future__ import annotations

from typing import Any

import click

from leaseway.cli import kinds
from leaseway.cli.answer import Asked, answers
from leaseway.cli.terms_given import taken, terms_options


@click.group("lease")
def lease() -> None:
    """Show, change or close a lease."""


@lease.command("show")
@click.argument("worker", type=kinds.worker, required=False)
@answers
def show(asked: Asked, worker: str | None) -> None:
    """The terms of WORKER's lease, or of all: windows, longest task, capacity, guard, scope."""
    from leaseway.cli.workers_table import lease_lines

    with asked.pool() as pool:
        found = pool.workers().workers if worker is None else (pool.worker(worker),)

    def lines() -> list[str]:
        pages = [lease_lines(each, asked.paint) for each in found]
        return [line for page in pages for line in [*page, ""]][:-1] or ["No worker has joined."]

    asked.tell(found if worker is None else found[0], lines)


@lease.command("set")
@click.argument("worker", type=kinds.worker)
@terms_options
@answers
def change(asked: Asked, /, worker: str, **options: Any) -> None:
    """Change terms of WORKER's lease; what is not named stays. What runs is checked again, never
    fenced off: if it no longer fits, its stop time moves and it is told so.

    This wins over the worker's lease file and options until these change."""
    from leaseway.cli.workers_table import lease_lines
    from leaseway.client.leases import terms_of

    given = taken(options)
    if not given.is_said:
        raise click.UsageError("Say what to change, for example --for 2h.")
    with asked.pool() as pool:
        now = terms_of(pool.worker(worker).terms)
        found = pool.change_lease(worker, given.changed(now))
    asked.tell(found, lambda: lease_lines(found, asked.paint))


@lease.command("close")
@click.argument("worker", type=kinds.worker)
@click.option("--reason", default="", help="Shown to whoever asks why.")
@answers
def close(asked: Asked, worker: str, reason: str) -> None:
    """Close WORKER's lease for good: no new work, what runs may end; join again for a new one."""
    with asked.pool() as pool:
        found = pool.set_state(worker, "ended", reason)
    running = len(found.held)
    asked.tell(
        found,
        lambda: [
            f"The lease of {worker} is closed."
            + (f" {running} still run there." if running else "")
        ],
    )
