"""From a grant to a process: its argv, environment, folder, signals and three descriptors."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass

from leaseway.core.model.worker import LocalGrant
from leaseway.worker.processes import MARK

TASK = "LEASEWAY_TASK"
ATTEMPT_NUMBER = "LEASEWAY_ATTEMPT_NUMBER"
VIEW = "LEASEWAY_VIEW"
SOCKET = "LEASEWAY_SOCKET"
_OURS = "LEASEWAY_"
_DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"
_RESET = sorted(signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP})


class CannotStart(Exception):
    """The command could not be executed; the message says what was missing."""


@dataclass(frozen=True)
class Launched:
    """A process that leads its own session, and the ends of its two pipes."""

    pid: int
    pidfd: int
    out: int
    err: int


def task_environment(of_worker: Mapping[str, str]) -> dict[str, str]:
    """What every task gets: the worker's environment without what is meant for Leaseway itself
    (the credential above all)."""
    return {name: value for name, value in of_worker.items() if not name.startswith(_OURS)}


def folder_for(grant: LocalGrant, shared: Mapping[str, str], view: str = "") -> str:
    """Where the command runs; without a word from the plan, at the top of its view, or at home."""
    if view:
        return os.path.join(view, grant.workdir or "")
    return grant.workdir or grant.env.get("HOME") or shared.get("HOME") or "/"


def launch(
    grant: LocalGrant, mark: str, shared: Mapping[str, str], null: int, view: str = ""
) -> Launched:
    """Execute the grant's command. `view`: the tree it runs in; empty: none, it runs in place.
    CannotStart: nothing was executed."""
    environment = {**shared, **grant.env}
    environment[MARK] = mark
    environment[TASK] = grant.ref.task
    environment[ATTEMPT_NUMBER] = str(grant.ref.number)
    argv = ["/bin/sh", "-c", grant.run] if isinstance(grant.run, str) else list(grant.run)
    if not argv:
        raise CannotStart("the command is empty")
    folder = folder_for(grant, shared, view)
    if view:
        environment[VIEW] = view
        _check_inside(folder, view, grant.workdir or "")
    try:
        os.chdir(folder)
    except (OSError, ValueError) as error:
        raise CannotStart(f"workdir {folder}: {_reason(error)}") from error
    out, out_end = os.pipe2(os.O_CLOEXEC)
    err, err_end = os.pipe2(os.O_CLOEXEC)
    try:
        pid = _spawn(argv, environment, (null, out_end, err_end))
    except CannotStart:
        os.close(out)
        os.close(err)
        raise
    finally:
        os.close(out_end)
        os.close(err_end)
    os.set_blocking(out, False)
    os.set_blocking(err, False)
    return Launched(pid, os.pidfd_open(pid), out, err)


def _check_inside(folder: str, view: str, workdir: str) -> None:
    """Links in the tree are followed, as the command would."""
    if not os.path.isdir(view):
        raise CannotStart(f"its view {view} is gone")
    top = os.path.realpath(view)
    if os.path.commonpath((top, os.path.realpath(folder))) != top:
        raise CannotStart(f"workdir {workdir}: it leads out of the tree that the plan brought")


def _spawn(argv: list[str], environment: dict[str, str], three: tuple[int, int, int]) -> int:
    try:
        return os.posix_spawn(
            _found(argv[0], environment.get("PATH", _DEFAULT_PATH)),
            argv,
            environment,
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate(three)],
            setsid=True,
            setsigmask=(),
            setsigdef=_RESET,
        )
    except (OSError, ValueError) as error:
        raise CannotStart(f"{argv[0]}: {_reason(error)}") from error


def _found(command: str, path: str) -> str:
    """The file that a command's name means, as execvp would look it up in the task's own PATH
    (the spawn function would look in ours)."""
    if "/" in command:
        return command
    blocked = False
    for folder in path.split(":"):
        candidate = os.path.join(folder or ".", command)
        if os.path.isfile(candidate):
            if os.access(candidate, os.X_OK):
                return candidate
            blocked = True
    if blocked:
        raise PermissionError(13, os.strerror(13))
    raise FileNotFoundError(2, "not found in PATH")


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return str(error)
