"""The plan a person hands in: a file, or one command; paths made absolute on the way."""

from __future__ import annotations

from pathlib import Path

from leaseway.cli.faults import Refusal
from leaseway.cli.tree_given import TreeGiven, tree_around
from leaseway.client.inferred import with_inferred
from leaseway.client.real_names import with_real_names
from leaseway.client.trees import in_tree, runs_in_place, with_places
from leaseway.core.model.plan import PlanSpec
from leaseway.planfile.plan import plan_from_text, read_plan
from leaseway.planfile.report import PlanFileError
from leaseway.planfile.source import SUFFIXES
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
    return _placed(plan, path, given)


def plan_of_text(text: str, path: Path, given: TreeGiven) -> tuple[PlanSpec, Tree | None]:
    """The same of a text that is to stand in this file."""
    format, wall_ms = SUFFIXES.get(path.suffix.lower(), ""), Clock.of_environment().wall_ms()
    try:
        plan = plan_from_text(text, format, str(path), wall_ms=wall_ms)
    except PlanFileError as error:
        raise file_refusal(error) from error
    return _placed(plan, path, given)


def _placed(plan: PlanSpec, path: Path, given: TreeGiven) -> tuple[PlanSpec, Tree | None]:
    placed = with_inferred(with_real_names(with_places(plan, path.resolve().parent)))
    tree = None if runs_in_place(plan) else tree_around(Path(placed.workdir or "."), given)
    return (placed, None) if tree is None else (in_tree(placed, tree), tree)


def file_refusal(error: PlanFileError) -> Refusal:
    """Every mistake found in a file, with its place."""
    shown = len(error.findings)
    count = f"{error.total} mistake{'' if error.total == 1 else 's'}"
    more = f", the first {shown} of them" if error.total > shown else ""
    return Refusal(finding_infos(error.findings), f"{count} in the file{more}:", "Nothing ran.")
