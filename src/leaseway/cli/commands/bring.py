"""`bring`: what tasks changed, fetched to where their tree came from, or into a folder."""

from __future__ import annotations

from pathlib import Path

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import Exit


@click.command("bring")
@click.argument("name", metavar="PLAN|TASK")
@click.option(
    "--into",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Put it there.  [default: the tree that was sent from here]",
)
@click.option("--whole", is_flag=True, help="Everything it changed, not its outputs alone.")
@answers
def bring(asked: Asked, /, name: str, into: Path | None, whole: bool) -> int:
    """Bring back what tasks changed: outputs of those that succeeded, or everything with --whole.

    `run` does this by itself. What was changed here meanwhile is never overwritten: the other is
    put beside it. 0 all of it came, 1 something did not.
    """
    from leaseway.cli.faults import Fault
    from leaseway.cli.tree_home import bring_home, remembered
    from leaseway.cli.trip import home_lines
    from leaseway.client.trees import Sent
    from leaseway.workspace.manifest import Manifest

    with asked.pool() as pool:
        plan = pool.plan(name.partition("/")[0])
        wanted = [name] if "/" in name else list(plan.tasks)
        if into is not None:
            into.mkdir(parents=True, exist_ok=True)
            sent: Sent | None = Sent(into.resolve(), Manifest())
        else:
            sent = remembered(plan.id)
        if sent is None:
            said = f"{plan.id} was not sent from here, so where its results belong is not known."
            raise Fault(said, "Name a folder: --into DIR.")
        tasks = [pool.task(each) for each in wanted]
        home = bring_home(pool, tasks, sent, plan.workdir, whole=whole)
    lines = home_lines(home, asked.paint)[1:] or ["There is nothing to bring back."]
    asked.tell(home.document, lambda: lines)
    return Exit.FAILED if home.failed else Exit.CLEAN
