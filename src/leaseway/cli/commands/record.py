"""`record`: what became of promises."""

from __future__ import annotations

import click
from msgspec.structs import replace

from leaseway.cli.answer import Asked, answers
from leaseway.cli.record_page import record_lines


@click.command("record")
@click.option("--worker", metavar="NAME", help="Of this worker alone.")
@click.option("--agent", metavar="NAME", help="Of what this principal handed in alone.")
@click.option("--estimator", is_flag=True, help="By what the promises rested on alone.")
@answers
def record(asked: Asked, worker: str | None, agent: str | None, estimator: bool) -> None:
    """What became of promises: kept, withdrawn and how long before, broken, by cause; and core-time
    that went to nothing. Of a name that made none there is nothing to tell."""
    with asked.pool() as pool:
        found = pool.record()
    if worker is not None or agent is not None or estimator:
        found = replace(
            found,
            workers={name: of for name, of in found.workers.items() if name == worker},
            principals={name: of for name, of in found.principals.items() if name == agent},
            bases=found.bases if estimator else {},
        )
    asked.tell(found, lambda: record_lines(found, asked.paint))
