"""Which tree travels with a plan, and its way to the coordinator: found, packed, handed in unless
it is there, and named in the plan. Says nothing to anybody; what stands against it is raised.
"""

from __future__ import annotations

import os
import posixpath
import socket
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from leaseway.client import archives
from leaseway.client.archives import Moved
from leaseway.client.blocking import Client
from leaseway.core.model.findings import Finding
from leaseway.core.model.plan import Archive, PlanSpec, Workspace
from leaseway.core.model.units import show_bytes
from leaseway.workspace.errors import NotATree, NotWritten, TooLarge, Unsteady, WorkspaceError
from leaseway.workspace.limits import DEFAULT_LIMITS, Limits
from leaseway.workspace.listing import Tree, tree_here, tree_of
from leaseway.workspace.manifest import Manifest
from leaseway.workspace.naming import shown
from leaseway.workspace.packing import Packed, pack


class TreeRefused(Exception):
    """No tree, or one that cannot be sent: LW902, LW904, LW905, LW907. Nothing was handed in."""

    def __init__(self, code: str, variant: str, numbers: dict[str, int | str | list[str]]) -> None:
        super().__init__(code)
        self.finding = Finding(code=code, numbers=numbers, variant=variant)


@dataclass(frozen=True)
class Sent:
    """What was sent, and where from: for bringing results back."""

    root: Path
    manifest: Manifest


def tree_for(folder: Path, named: Path | None = None) -> Tree:
    """The folder that was named, else the git checkout around `folder`. TreeRefused LW904: there is
    none."""
    try:
        return tree_of(named.expanduser()) if named else tree_here(folder)
    except NotATree as error:
        variant = "folder" if named else ""
        raise TreeRefused("LW904", variant, {"file": str(named or folder)}) from error
    except (WorkspaceError, OSError) as error:
        raise TreeRefused("LW907", "", {"got": str(error)}) from error


def with_places(plan: PlanSpec, folder: Path) -> PlanSpec:
    """The same plan, every working directory absolute: a worker knows nothing of ours."""
    workdir = os.path.normpath(folder / Path(plan.workdir or ".").expanduser())
    tasks = tuple(
        replace(task, workdir=os.path.normpath(Path(workdir) / Path(task.workdir).expanduser()))
        if task.workdir is not None
        else task
        for task in plan.tasks
    )
    return replace(plan, workdir=workdir, tasks=tasks)


def below(tree: Tree, folder: str) -> str:
    """A folder of this disk as a path below the tree's root; `..` leads out of it."""
    return Path(os.path.relpath(os.path.realpath(folder), tree.root)).as_posix()


def in_tree(plan: PlanSpec, tree: Tree) -> PlanSpec:
    """A plan whose working directories are absolute, with all of them counted from the root of the
    tree that travels. Other names of its paths count as far as they lie in it."""
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


def expected(plan: PlanSpec, tree: Tree | None) -> PlanSpec:
    """The plan as if its tree had been sent: for a check that hands nothing in. The archive is
    taken to be as large as all that is in it."""
    if tree is None:
        return plan
    size = 0
    for name in tree.files:
        path = tree.root / name
        size += path.lstat().st_size if path.is_file() and not path.is_symlink() else 0
    archive = Archive("sha256:" + "0" * 64, size, len(tree.files))
    return replace(plan, workspace=Workspace(archive, origin_of(tree)))


def origin_of(tree: Tree) -> str:
    """Whose tree it is: this host, and the checkout or folder."""
    return f"{socket.gethostname()}:{shown(tree.identity)}"


def hand_in(
    pool: Client,
    plan: PlanSpec,
    tree: Tree,
    limit: int | None = None,
    watched: Callable[[int], Moved] | None = None,
) -> tuple[PlanSpec, Sent]:
    """Pack the tree, hand it in unless the coordinator has it, and name it in the plan. `watched`:
    given the bytes that are to be sent, whom to tell of those that are. TreeRefused: too large,
    changing while it is read, or no room here; nothing was handed in."""
    limits = DEFAULT_LIMITS if limit is None else Limits(limit, DEFAULT_LIMITS.files)
    with _passing_folder() as folder:
        path = Path(folder) / "tree.tar.gz"
        packed = _packed(tree, path, limits)
        if not archives.has(pool, packed.digest):
            told = [watched(packed.archive_bytes)] if watched else []
            archives.send(pool, path, packed.digest, *told)
    archive = Archive(packed.digest, packed.archive_bytes, packed.files)
    workspace = Workspace(archive, origin_of(tree))
    return replace(plan, workspace=workspace), Sent(tree.root, packed.manifest)


def _passing_folder() -> tempfile.TemporaryDirectory[str]:
    try:
        return tempfile.TemporaryDirectory(prefix="leaseway-tree-")
    except OSError as error:  # none of the usual places takes anything
        raise TreeRefused("LW907", "", {"got": str(error)}) from error


def _packed(tree: Tree, path: Path, limits: Limits) -> Packed:
    try:
        return pack(tree, path, limits)
    except TooLarge as error:
        paths = [f"{shown(name)} ({show_bytes(size)})" for name, size in error.largest]
        got = str(error).partition(". ")[0]
        raise TreeRefused("LW902", "tree", {"got": got, "paths": paths}) from error
    except Unsteady as error:
        raise TreeRefused("LW905", "", {"paths": [shown(path) for path in error.paths]}) from error
    except NotWritten as error:
        raise TreeRefused("LW907", "", {"got": str(error).partition(". ")[0]}) from error
