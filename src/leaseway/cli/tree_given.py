"""Which tree travels with a plan: the git checkout around it, a folder that was named, or none."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from leaseway.cli import kinds
from leaseway.cli.faults import Refusal

if TYPE_CHECKING:
    from leaseway.core.model.findings import Finding
    from leaseway.core.model.plan import PlanSpec
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
    from leaseway.workspace.errors import NotATree, WorkspaceError
    from leaseway.workspace.listing import tree_here, tree_of

    try:
        return tree_of(given.tree.expanduser()) if given.tree else tree_here(folder)
    except NotATree as error:
        variant = "folder" if given.tree else ""
        numbers = {"file": str(given.tree or folder)}
        raise refused("LW904", variant, numbers) from error
    except (WorkspaceError, OSError) as error:
        raise refused("LW907", "", {"got": str(error)}) from error


def refused(code: str, variant: str, numbers: dict[str, Any]) -> Refusal:
    """One finding about a tree; nothing was handed in."""
    from leaseway.core.model.findings import Finding
    from leaseway.wire.findings import finding_infos

    found: Finding = Finding(code=code, numbers=numbers, variant=variant)
    return Refusal(finding_infos((found,)), "", "Nothing ran.")


def below(tree: Tree, folder: str) -> str:
    """A folder of this disk as a path below the tree's root; `..` leads out of it."""
    return Path(os.path.relpath(os.path.realpath(folder), tree.root)).as_posix()


def in_tree(plan: PlanSpec, tree: Tree) -> PlanSpec:
    """A plan whose working directories are absolute, with all of them counted from the root of the
    tree that travels. Other names of its paths count as far as they lie in it."""
    from msgspec.structs import replace

    base = plan.workdir or str(tree.root)
    tasks = []
    for task in plan.tasks:
        own = task.workdir or base
        real = {text: below(tree, path) for text, path in task.same_as.items()}
        start = below(tree, own)
        inside = {
            text: posixpath.relpath(path, start)
            for text, path in real.items()
            if not path.startswith("..")
        }
        workdir = None if task.workdir is None else start
        tasks.append(replace(task, workdir=workdir, same_as=inside))
    return replace(plan, workdir=below(tree, base), tasks=tuple(tasks))


def runs_in_place(plan: PlanSpec) -> bool:
    """Whether the plan names a path of the worker to run at: an absolute one, or one at home."""
    return plan.workdir is not None and plan.workdir.startswith(("/", "~"))
