"""Where a symbolic link leads, read as text: nothing is followed on a disk."""

from __future__ import annotations

import os
from collections.abc import Callable

MOST_HOPS = 40  # as the kernel; more is a loop

Target = Callable[[str], str | None]


def leads_out(name: str, target: str, target_of: Target) -> bool:
    """Whether the link `name` may lead out of its tree: its target is absolute, or climbs over
    the top, other links on the way included. `target_of` says what a name in the tree links to,
    None for what is no link. A loop leads nowhere, so it does not lead out."""
    if target.startswith("/"):
        return True
    here = name.split("/")[:-1]
    steps = _reversed_steps(target)
    hops = 0
    while steps:
        step = steps.pop()
        if step == "..":
            if not here:
                return True
            here.pop()
            continue
        here.append(step)
        onward = target_of("/".join(here))
        if onward is None:
            continue
        hops += 1
        if onward.startswith("/"):
            return True
        if hops > MOST_HOPS:
            return False
        here.pop()
        steps.extend(_reversed_steps(onward))
    return False


def target_on_disk(root: str) -> Target:
    """What names below `root` link to."""

    def target_of(name: str) -> str | None:
        try:
            return os.readlink(f"{root}/{name}")
        except (OSError, ValueError):
            return None

    return target_of


def _reversed_steps(target: str) -> list[str]:
    return [step for step in reversed(target.split("/")) if step not in ("", ".")]
