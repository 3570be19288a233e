"""Where declared paths lead on this machine: the core sees text only, what links hide is told it.

Of a glob the part before its first wildcard is followed. What is not here, such as the working
directory of another machine, stays as it is written.
"""

from __future__ import annotations

import os
import stat

from msgspec.structs import replace

from leaseway.core.model.paths import head_of, in_space, place
from leaseway.core.model.plan import PlanSpec, TaskSpec


def with_real_names(plan: PlanSpec) -> PlanSpec:
    """The same plan, each task with the real paths of what it declares where they differ from what
    is written. Its working directories are absolute already."""
    found = RealNames()
    tasks = tuple(_with_real_names(task, plan.workdir, found) for task in plan.tasks)
    return replace(plan, tasks=tasks)


class RealNames:
    """Looks each name up once. Two hard links to one file get the name that was seen first."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], str | None] = {}
        self._linked: dict[tuple[int, int], str] = {}

    def of(self, text: str, base: str) -> str | None:
        """The real path of `text` seen from `base`; None: it is what is written, or not here."""
        key = (base, text)
        if key not in self._known:
            self._known[key] = self._look(text, base)
        return self._known[key]

    def _look(self, text: str, base: str) -> str | None:
        if in_space(text):
            return None
        head, rest = head_of(text)
        try:
            if not os.path.isdir(base):
                return None
            start = os.path.expanduser(head) if head else ("/" if text.startswith("/") else "")
            real = self._first_name(os.path.realpath(os.path.join(base, start)))
        except (OSError, ValueError):  # no name that a disk could have
            return None
        real = os.path.join(real, rest) if rest else real
        return None if place(real) == place(text, base) else real

    def _first_name(self, real: str) -> str:
        try:
            seen = os.stat(real)
        except OSError:
            return real
        if not stat.S_ISREG(seen.st_mode) or seen.st_nlink < 2:
            return real
        return self._linked.setdefault((seen.st_dev, seen.st_ino), real)


def _with_real_names(task: TaskSpec, workdir: str | None, found: RealNames) -> TaskSpec:
    base = task.workdir or workdir or "."
    texts = dict.fromkeys((".", *(task.reads or ()), *(task.writes or ()), *task.outputs))
    same_as = {text: real for text in texts if (real := found.of(text, base)) is not None}
    return replace(task, same_as=same_as) if same_as else task
