"""The plan a person hands in: a file, or one command; paths made absolute on the way."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from leaseway.cli.faults import Refusal
from leaseway.cli.real_names import with_real_names
from leaseway.cli.tree_given import TreeGiven, in_tree, runs_in_place, tree_around
from leaseway.core.model.plan import PlanSpec
from leaseway.planfile.plan import read_plan
from leaseway.planfile.report import PlanFileError
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_infos
from leaseway.workspace.listing import Tree


def plan_of_file(path: Path, given: TreeGiven) -> tuple[PlanSpec, Tree | None]:
    """The plan in a file, and the tree that travels with it; None: it runs in place, as when it
    names a working directory that is absolute. Its working directory is the file's own unless it
    names another."""
    try:
        plan = read_plan(path, wall_ms=Clock.of_environment().wall_ms())
    except PlanFileError as error:
        raise file_refusal(error) from error
    placed = with_real_names(with_places(plan, path.resolve().parent))
    tree = None if runs_in_place(plan) else tree_around(Path(placed.workdir or "."), given)
    return (placed, None) if tree is None else (in_tree(placed, tree), tree)


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


def file_refusal(error: PlanFileError) -> Refusal:
    """Every mistake found in a file, with its place."""
    shown = len(error.findings)
    count = f"{error.total} mistake{'' if error.total == 1 else 's'}"
    more = f", the first {shown} of them" if error.total > shown else ""
    return Refusal(finding_infos(error.findings), f"{count} in the file{more}:", "Nothing ran.")
