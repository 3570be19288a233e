"""Declared outputs at the end of an attempt: which are missing, which may be half written."""

from __future__ import annotations

import os

from msgspec.structs import replace

from leaseway.core.model.outcomes import Ending, EndKind


def is_there(pattern: str, folder: str) -> bool:
    """Whether a declared output, a path or a glob, names something."""
    if os.path.lexists(os.path.join(folder, pattern)):
        return True
    import glob  # no keeper carries it that has nothing to look for

    found = glob.iglob(pattern, root_dir=folder, recursive=True, include_hidden=True)
    return next(iter(found), None) is not None


def checked(ending: Ending, outputs: tuple[str, ...], folder: str) -> Ending:
    """The ending with its outputs looked at: `missing` after exit 0, `partial` after any other
    end, since a command that was stopped may have been in the middle of writing one."""
    if not outputs:
        return ending
    there = tuple(pattern for pattern in outputs if is_there(pattern, folder))
    is_well = (
        ending.kind is EndKind.EXITED
        and ending.exit_code == 0
        and ending.reason is None
        and not ending.left_pids
    )
    if not is_well:
        return replace(ending, partial=there)
    return replace(ending, missing=tuple(pattern for pattern in outputs if pattern not in there))
