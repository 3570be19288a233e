"""What the commands of a plan probably touch, put into the plan as data: the core reads no command.

Only of tasks that declare neither reads nor writes, and do not say that they know what they touch.
"""

from __future__ import annotations

import os
import posixpath

from msgspec.structs import replace

from leaseway.core.model.accesses import is_unknown
from leaseway.core.model.inferred import Inferred
from leaseway.core.model.plan import PlanSpec, TaskSpec

MOST_OF_A_PLAN = 20_000
"""So many accesses go along with one plan; tasks after that go without."""
_OF_A_FOLDER = ("git:", "make:", "docker:compose:")


def with_inferred(plan: PlanSpec) -> PlanSpec:
    """The same plan, each such task with what its command shows. Its working directories are
    absolute already, so that a checkout is named by where it lies."""
    if not any(is_unknown(task) for task in plan.tasks):
        return plan
    from leaseway.inference.command import read_command
    from leaseway.inference.reading import Reading

    known: dict[tuple[str | tuple[str, ...], tuple[tuple[str, str], ...]], Reading] = {}
    left = MOST_OF_A_PLAN
    tasks: list[TaskSpec] = []
    for task in plan.tasks:
        if is_unknown(task) and left > 0:
            key = (task.run, tuple(sorted(task.env.items())))
            if key not in known:
                known[key] = read_command(task.run, task.env)
            base = task.workdir or plan.workdir
            unread = (Inferred("", each.why, each.text) for each in known[key].unread[:1])
            found = tuple(_placed(each, base) for each in (*known[key].accesses, *unread))[:left]
            left -= len(found)
            task = replace(task, inferred=found) if found else task
        tasks.append(task)
    return replace(plan, tasks=tuple(tasks))


def _placed(said: Inferred, base: str | None) -> Inferred:
    """A thing that belongs to a folder, named by where that is; a checkout by its root."""
    space = next((space for space in _OF_A_FOLDER if said.what.startswith(space)), None)
    if space is None or base is None or not os.path.isabs(base):
        return said
    folder = os.path.expanduser(said.what[len(space) :])
    path = posixpath.normpath(posixpath.join(base, folder))
    return replace(said, what=f"{space}{_root(path) if space == 'git:' else path}")


def _root(path: str) -> str:
    """The checkout around a folder, as far as this machine shows one; else the folder."""
    at = path
    while True:
        try:
            if os.path.lexists(os.path.join(at, ".git")):
                return at
        except ValueError:  # no name that a disk could have
            return path
        above = posixpath.dirname(at)
        if above == at:
            return path
        at = above
