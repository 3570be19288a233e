"""The few questions that are asked of git, by its command."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from leaseway.workspace.errors import NotATree
from leaseway.workspace.naming import shown

# What a hook's environment would point elsewhere.
_SET_BY_GIT = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
)


def top_and_common(start: Path) -> tuple[Path, Path]:
    """The top folder of the checkout around `start` and the repository it belongs to (of all
    worktrees the same), both as real paths. NotATree if there is none."""
    asked = ("rev-parse", "--path-format=absolute")
    top, common = (_git(start, *asked, what) for what in ("--show-toplevel", "--git-common-dir"))
    return _real(top), _real(common)


def names(folder: Path) -> list[str]:
    """Tracked and untracked names below a checkout's top, ignored ones left out. A repository in
    it is one name, without the final `/`; a tracked name need not exist any more."""
    asked = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    listed = _git(folder, *asked).split(b"\0")
    return [os.fsdecode(name.rstrip(b"/")) for name in listed if name]


def ignored(folder: Path, asked: Iterable[str]) -> set[str]:
    """Which of these names below a checkout's folder git ignores; none where there is no git."""
    given = b"\0".join(os.fsencode(name) for name in asked)
    try:
        done = _run(folder, ("check-ignore", "-z", "--stdin"), given)
    except FileNotFoundError:
        return set()
    return {os.fsdecode(name) for name in done.stdout.split(b"\0") if name}


def _real(line: bytes) -> Path:
    return Path(os.path.realpath(os.fsdecode(line.removesuffix(b"\n"))))


def _git(folder: Path, *asked: str) -> bytes:
    where = shown(str(folder))
    try:
        done = _run(folder, asked)
    except FileNotFoundError as cause:
        raise NotATree(
            f"{where} cannot be read as a git checkout: git is not installed. Install it, or name"
            " the folder to send."
        ) from cause
    if done.returncode:
        said = done.stderr.decode("utf-8", "backslashreplace").strip().removeprefix("fatal: ")
        raise NotATree(
            f"{where} is in no git checkout ({said}). Go into one, make one with 'git init', or"
            " name the folder to send. Nothing ran."
        )
    return done.stdout


def _run(
    folder: Path, asked: tuple[str, ...], given: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    set_here = {k: v for k, v in os.environ.items() if k not in _SET_BY_GIT}
    return subprocess.run(
        ["git", "-c", "core.fsmonitor=false", "-C", os.fspath(folder), *asked],
        input=given,
        capture_output=True,
        check=False,
        env={**set_here, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
    )
