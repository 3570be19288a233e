"""`doctor`: check this machine and the way to the pool, line by line."""

from __future__ import annotations

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import Exit


@click.command("doctor")
@answers
def doctor(asked: Asked) -> int:
    """Check this machine, coordinator or worker, and the way to the pool.

    0 nothing to mend (notes are to be known), 1 something is bad; what mends it stands below it.
    """
    from leaseway.cli.doctor.check import lines_of
    from leaseway.cli.doctor.rounds import all_checks

    checks = list(all_checks(asked))
    asked.tell(checks, lambda: [line for each in checks for line in lines_of(each, asked.paint)])
    return Exit.FAILED if any(each.verdict == "bad" for each in checks) else Exit.CLEAN
