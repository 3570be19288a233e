"""`checkpoint`, `left`: what a task asks from inside. Usually answered before this is imported
(`leaseway.task.command`); here they are listed, and explain themselves."""

from __future__ import annotations

import sys

import click

from leaseway.task.command import run


@click.command("checkpoint")
@click.argument("step", required=False)
@click.option("--progress", metavar="SHARE", help="How much is done: 0.3, 30% or 3/10.")
@click.option("--next", "following", metavar="TIME", help="The longest the next step takes: 8m.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def checkpoint(
    step: str | None, progress: str | None, following: str | None, as_json: bool
) -> None:
    """Inside a task: say how far it is, and ask whether it may go on. STEP is what was just done,
    such as "step 3/10".

    Exit code 0: go on. 10: hurry, projected to end too late. 11: save what there is and end now.
    2: this is no task, or nothing could be understood."""
    said = ["checkpoint", *([step] if step else [])]
    said += ["--progress", progress] if progress else []
    said += ["--next", following] if following else []
    sys.exit(run([*said, "--json"] if as_json else said))


@click.command("left")
@click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout.")
def left(as_json: bool) -> None:
    """Inside a task: whole seconds until it is told to stop. Exit code 2: this is no task."""
    sys.exit(run(["left", "--json"] if as_json else ["left"]))
