"""`bring`: what tasks changed, fetched to where their tree came from, or into a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import Exit

if TYPE_CHECKING:
    from leaseway.wire.tasks import TaskInfo

NAME_A_FOLDER = "Name a folder: --into DIR."
NAMED = 5


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
    put beside it. 0 all of it came, 1 something did not, or has not ended.
    """
    from leaseway.cli.faults import Fault
    from leaseway.cli.tree_home import bring_home, remembered
    from leaseway.cli.trip import home_lines
    from leaseway.client.trees import Sent
    from leaseway.workspace.manifest import Manifest
    from leaseway.workspace.naming import shown

    if not name.partition("/")[0].strip():
        raise Fault("An empty name was given.", "Name a plan or a task, as leaseway tasks does.")
    with asked.pool() as pool:
        plan = pool.plan(name.partition("/")[0])
        wanted = [name] if "/" in name else list(plan.tasks)
        sent = remembered(plan.id) if into is None else Sent(_made(into), Manifest())
        if sent is None:
            said = f"{plan.id} was not sent from here, so where its results belong is not known."
            raise Fault(said, NAME_A_FOLDER)
        if not sent.root.is_dir():
            raise Fault(f"{shown(str(sent.root))}, from where it was sent, is gone.", NAME_A_FOLDER)
        tasks = [pool.task(each) for each in wanted]
        home = bring_home(pool, tasks, sent, plan.workdir, whole=whole)
    lines = home_lines(home, asked.paint)[1:] or ["There is nothing to bring back."]
    lines += _still_to_come(tasks, whole=whole)
    open_tasks = [task.id for task in tasks if task.outcome is None]
    asked.tell({**home.document, "not_ended": open_tasks}, lambda: lines)
    return Exit.FAILED if home.failed or open_tasks else Exit.CLEAN


def _made(folder: Path) -> Path:
    from leaseway.cli.faults import Fault
    from leaseway.workspace.naming import shown

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        said = f"{shown(str(folder))} cannot be made a folder: {error.strerror}."
        raise Fault(f"{said} Nothing was brought.", NAME_A_FOLDER) from error
    return folder.resolve()


def _still_to_come(tasks: Sequence[TaskInfo], *, whole: bool) -> list[str]:
    """Of which tasks nothing could come yet, and of which nothing was asked for."""
    lines = []
    not_ended = [task.id for task in tasks if task.outcome is None]
    if not_ended:
        lines.append(f"Not ended yet: {_some(not_ended)}. Do it again when they are.")
    others = [task for task in tasks if task.outcome is not None and not _succeeded(task)]
    kept = [task.id for task in others if _keeps(task)]
    if kept and not whole:
        lines.append(f"Not succeeded, and kept: {_some(kept)}. To have that: --whole.")
    return lines


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _succeeded(task: TaskInfo) -> bool:
    return task.outcome is not None and task.outcome.kind == "succeeded"


def _keeps(task: TaskInfo) -> bool:
    from leaseway.cli.tree_home import ending_of

    ending = ending_of(task)
    return ending is not None and (ending.results is not None or ending.extra is not None)
