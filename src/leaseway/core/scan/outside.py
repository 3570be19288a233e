"""Paths that lead out with `..`: of the tree that travels (LW209), or above where anything is."""

from __future__ import annotations

import posixpath

from leaseway.core.model.findings import Finding, Severity
from leaseway.core.model.paths import place, spelled
from leaseway.core.model.plan import PlanSpec, TaskSpec

TOLD = 100
"""So many paths above a root are told one by one."""


def outside(plan: PlanSpec) -> list[Finding]:
    """Of a plan that travels with its tree: paths and working directories that lead out of it,
    errors."""
    if plan.workspace is None:
        return []
    found = []
    for task in plan.tasks:
        base = task.workdir or plan.workdir or "."
        leading_out = [] if _is_inside(base) else [base]
        texts = (*(task.reads or ()), *(task.writes or ()), *task.outputs)
        leading_out += [
            text
            for text in dict.fromkeys(texts)
            if place(text).parts[0] == "." and not _is_inside(posixpath.join(base, text))
        ]
        found += [Finding("LW209", (task.name,), (), {"over": text}) for text in leading_out]
    return found


def above_roots(plan: PlanSpec) -> list[Finding]:
    """Paths with more `..` than there are folders above, warnings: `/` and a named space have
    nothing above them, and what is above `~` is not known here. The first `TOLD`, and a number."""
    climbing = [
        (task, text)
        for task in plan.tasks
        for texts in (task.reads, task.writes, task.outputs)
        for text in texts or ()
        if ".." in text and _climbs(text, task.workdir or plan.workdir or "")
    ]
    found = [_above(plan, task, text) for task, text in climbing[:TOLD]]
    if len(climbing) > TOLD:
        more: dict[str, int | str | list[str]] = {"count": len(climbing) - TOLD}
        found.append(Finding("LW209", (), (), more, "more", Severity.WARNING))
    return found


def _above(plan: PlanSpec, task: TaskSpec, text: str) -> Finding:
    root, *rest = spelled(text, task.workdir or plan.workdir or "")
    real = f"{root}{'' if root == '/' else '/'}{'/'.join(rest)}"
    numbers: dict[str, int | str | list[str]] = {"over": text, "real": real}
    return Finding("LW209", (task.name,), (), numbers, "above", Severity.WARNING)


def _climbs(text: str, base: str) -> bool:
    """Whether a path walks above its root; of one whose root is not known (`.`) nobody can say."""
    root = spelled(text, base)[0]
    if root == ".":
        return False
    whole = text if text[:1] in "/~" or root.endswith(":") else posixpath.join(base, text)
    depth = 0
    for step in whole.removeprefix(root).split("/"):
        depth += 0 if step in ("", ".") else -1 if step == ".." else 1
        if depth < 0:
            return True
    return False


def _is_inside(path: str) -> bool:
    """Whether a path counted from the tree's root stays below it."""
    steps = posixpath.normpath(path).split("/")
    return steps[0] not in ("..", "", "~")
