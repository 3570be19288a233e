"""What packing, unpacking and bringing back may raise; the message is meant for people.

WorkspaceError
├── NotATree      there is no tree where one was looked for
├── TooLarge      more bytes or files than the limits allow
├── Unsteady      files change while they are read
├── BadArchive    damaged, not what its digest says, or made to do harm
└── NotWritten    the disk did not take it (`errno` says why); nothing of it was left behind
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

from leaseway.core.model.units import show_bytes
from leaseway.workspace.naming import shown

NAMED = 5


class WorkspaceError(Exception):
    """A tree could not be listed, packed, unpacked or brought back."""


class NotATree(WorkspaceError):
    """No git checkout, or no folder, where a tree was looked for."""


class TooLarge(WorkspaceError):
    """A tree is over the limits; `largest` holds its five largest files, name and bytes."""

    def __init__(self, said: str, sizes: Iterable[tuple[str, int]] = ()) -> None:
        self.largest = tuple(sorted(sizes, key=lambda pair: (-pair[1], pair[0]))[:NAMED])
        told = ", ".join(f"{shown(name)} ({show_bytes(size)})" for name, size in self.largest)
        mend = "Leave out what is not needed (an ignore file names it), or raise the limit."
        super().__init__(f"{said}.{f' Largest: {told}.' if told else ''} {mend}")


class Unsteady(WorkspaceError):
    """Files went on changing while they were read; `paths` names them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.paths = tuple(paths)
        told = ", ".join(shown(path) for path in self.paths[:NAMED])
        more = f" and {len(self.paths) - NAMED} more" if len(self.paths) > NAMED else ""
        super().__init__(
            f"These change while they are read: {told}{more}. Nothing was taken from a moment"
            " that never was; wait until whatever writes them is done, or ignore them."
        )


class BadArchive(WorkspaceError):
    """An archive that is not unpacked. `member` is the name in it that gave offence, if one did."""

    def __init__(self, said: str, member: str | None = None) -> None:
        self.member = member
        at = f"{shown(member)} in the archive" if member is not None else "the archive"
        super().__init__(f"{at} {said}; nothing of it was unpacked")


class NotWritten(WorkspaceError):
    """The disk did not take it. `errno` is the system's; nothing half written was left."""

    def __init__(self, path: Path | str, cause: OSError) -> None:
        self.errno = cause.errno
        self.path = str(path)
        reason = os.strerror(cause.errno) if cause.errno else str(cause)
        super().__init__(
            f"{shown(self.path)} could not be written: {reason}. Nothing half written was left."
        )


@contextmanager
def written(path: Path | str) -> Generator[None]:
    """Turns what the system says of a failed write into `NotWritten`."""
    try:
        yield
    except OSError as cause:
        raise NotWritten(path, cause) from cause
