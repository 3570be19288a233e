"""Which tree travels with a plan: the git checkout around it, a folder that was named, or none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leaseway.cli import kinds
from leaseway.cli.faults import Refusal

if TYPE_CHECKING:
    from leaseway.client.trees import TreeRefused
    from leaseway.workspace.listing import Tree

F = TypeVar("F", bound=Callable[..., Any])
IN_PLACE_VARIABLE = "LEASEWAY_IN_PLACE"


@dataclass(frozen=True)
class TreeGiven:
    """`--tree`, `--in-place`, `--tree-limit` (bytes); None where nothing was said."""

    tree: Path | None = None
    in_place: bool = False
    tree_limit: int | None = None


def tree_options(command: F) -> F:
    """Add the options of `TreeGiven`."""
    options = (
        click.option(
            "--tree",
            type=click.Path(path_type=Path),
            metavar="DIR",
            help="Send this folder.  [default: the git checkout around it]",
        ),
        click.option(
            "--in-place",
            is_flag=True,
            envvar=IN_PLACE_VARIABLE,
            help="Send nothing: run at this path of the worker.",
        ),
        click.option("--tree-limit", type=kinds.size, help="Largest tree sent.  [default: 512MiB]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


def tree_given(options: dict[str, Any]) -> TreeGiven:
    """The options of `TreeGiven`, taken out of all that were given."""
    given = {name: options.pop(name) for name in ("tree", "in_place", "tree_limit")}
    if given["tree"] is not None:
        given["in_place"] = False  # typed beside a variable of the environment
    return TreeGiven(**given)


def tree_around(folder: Path, given: TreeGiven) -> Tree | None:
    """What travels with what runs in `folder`; None: it runs in place. Refusal LW904: there is no
    checkout, nothing was named."""
    if given.in_place:
        return None
    from leaseway.client.trees import TreeRefused, tree_for

    try:
        return tree_for(folder, given.tree)
    except TreeRefused as error:
        raise refused(error) from error


def refused(error: TreeRefused) -> Refusal:
    """One finding about a tree; nothing was handed in."""
    from leaseway.wire.findings import finding_infos

    return Refusal(finding_infos((error.finding,)), "", "Nothing ran.")
