"""Where each task of a plan file stands."""

from __future__ import annotations

from pathlib import Path

from leaseway.planfile.report import KeyPath, Place, PlanFileError, Report
from leaseway.planfile.source import source_of_file


def task_places(path: Path) -> dict[str, Place]:
    """Line and column (from 1) of each task in a plan file, by its name; of a file that cannot be
    read, nothing."""
    try:
        source = source_of_file(path, Report(str(path)))
    except PlanFileError:
        return {}
    paths = _key_paths(source.value)
    if source.locate is None:
        return {}
    found = source.locate(frozenset(paths.values()))
    return {name: found[where] for name, where in paths.items() if where in found}


def _key_paths(value: object) -> dict[str, KeyPath]:
    """The key path of each task that has a name; of a name given twice, the first."""
    found: dict[str, KeyPath] = {}
    if not isinstance(value, dict):
        return found
    mapped, listed = value.get("task"), value.get("tasks")
    for name in mapped if isinstance(mapped, dict) else ():
        found[str(name)] = ("task", str(name))
    for at, task in enumerate(listed if isinstance(listed, list) else ()):
        name = task.get("id") if isinstance(task, dict) else None
        if isinstance(name, str):
            found.setdefault(name, ("tasks", at))
    return found
