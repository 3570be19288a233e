"""The plan that an agent gives, as an object or as bare commands, placed as `leaseway run` does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leaseway.client.inferred import with_inferred
from leaseway.client.real_names import with_real_names
from leaseway.client.trees import in_tree, runs_in_place, tree_for, with_places
from leaseway.core.model.plan import PlanSpec
from leaseway.mcp.asked import Given, Mistaken
from leaseway.mcp.way import Way
from leaseway.planfile.plan import plan_from_object
from leaseway.planfile.report import PlanFileError
from leaseway.runtime import Clock
from leaseway.wire.findings import finding_infos
from leaseway.workspace.listing import Tree

_NOT_IN_NAMES = re.compile(r"[^\w.-]+", re.ASCII)
_WORD = 24


@dataclass(frozen=True)
class ToRun:
    """A plan that was read. `shown`: the object that gives it again; `bare`: it was a list of
    commands, so nothing is known of them. `place`: arguments that say where. `tree`: what travels;
    None: it runs in place."""

    plan: PlanSpec
    shown: dict[str, Any]
    bare: bool
    place: dict[str, Any]
    tree: Tree | None


def to_run(given: Given, way: Way) -> ToRun:
    """What was given. Mistaken: it cannot be read. TreeRefused: nothing can be sent from there."""
    if bool(given.plan) == bool(given.commands):
        both = "both were given" if given.plan else "neither was given"
        raise Mistaken(f"Expected a plan, or commands: {both}.")
    shown = given.plan or plan_of_commands(given.commands)
    return placed(shown, given, way)


def placed(shown: dict[str, Any], given: Given, way: Way) -> ToRun:
    """The plan of an object, in the folder and with the tree that were asked for."""
    plan = _read(shown)
    folder = _folder(given.folder)
    there = with_inferred(with_real_names(with_places(plan, folder)))
    place: dict[str, Any] = {"folder": given.folder} if given.folder else {}
    place |= {"in_place": True} if given.in_place else {}
    if given.in_place or way.in_place or runs_in_place(plan):
        return ToRun(there, shown, bool(given.commands), place, None)
    tree = tree_for(Path(there.workdir or folder))
    return ToRun(in_tree(there, tree), shown, bool(given.commands), place, tree)


def plan_of_commands(commands: list[str | list[str]]) -> dict[str, Any]:
    """Bare commands as a plan that says no more than they do."""
    tasks = [
        {"id": f"{number}-{_word(command)}", "run": command}
        for number, command in enumerate(commands, 1)
    ]
    return {"name": "commands", "tasks": tasks}


def _read(shown: dict[str, Any]) -> PlanSpec:
    wall_ms = Clock.of_environment().wall_ms()
    try:
        return plan_from_object(shown, "plan", wall_ms=wall_ms)
    except PlanFileError as error:
        count = f"{error.total} mistake{'' if error.total == 1 else 's'}"
        raise Mistaken(f"{count} in the plan.", finding_infos(error.findings)) from error


def _folder(named: str) -> Path:
    try:
        folder = Path(named or ".").expanduser().resolve()
        if folder.is_dir():
            return folder
    except (OSError, ValueError, RuntimeError):
        pass
    raise Mistaken(f"There is no folder {named[:200]!r} on this machine.")


def _word(command: str | list[str]) -> str:
    """What a command may be called by: its first word."""
    words = command.split() if isinstance(command, str) else command
    name = Path(words[0]).name if words else ""
    return _NOT_IN_NAMES.sub("-", name)[:_WORD].strip("-.") or "command"
