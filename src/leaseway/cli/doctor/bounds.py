"""What this machine has to hold tasks to their bounds."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from leaseway.cli.doctor.check import Check

_LANDLOCK_CREATE_RULESET, _ASK_VERSION = 444, 1
_ROOT = Path("/sys/fs/cgroup")
WANTED = ("cpu", "memory", "pids")


@dataclass(frozen=True)
class Groups:
    """Control groups. `version`: 2, 1, or 0 for none. `controllers`: that our own group has.
    `delegated`: we may divide it."""

    version: int
    path: str = ""
    controllers: tuple[str, ...] = ()
    delegated: bool = False


def groups_here(root: Path = _ROOT, own: Path = Path("/proc/self/cgroup")) -> Groups:
    """Gather."""
    try:
        lines = own.read_text(encoding="utf-8").splitlines()
    except OSError:
        return Groups(0)
    if not (root / "cgroup.controllers").exists():
        return Groups(1 if lines else 0)
    path = next((line[3:] for line in lines if line.startswith("0::")), "/")
    mine = root / path.lstrip("/")
    try:
        controllers = tuple((mine / "cgroup.controllers").read_text(encoding="ascii").split())
    except OSError:
        controllers = ()
    may = all(os.access(mine / name, os.W_OK) for name in ("", "cgroup.procs"))
    return Groups(2, path, controllers, may)


def groups_check(groups: Groups) -> Check:
    """Judge."""
    mend = "leaseway worker join … --service runs it in a group of its own (Delegate=yes)"
    if groups.version == 0:
        return Check("cgroups", "note", "none here: memory and cpus cannot be held to a number")
    if groups.version == 1:
        said = "version 1: memory and cpus cannot be held to a number"
        return Check("cgroups", "note", said, "Boot with systemd.unified_cgroup_hierarchy=1")
    missing = [name for name in WANTED if name not in groups.controllers]
    if not groups.delegated:
        return Check("cgroups", "note", f"version 2, {groups.path} is not ours to divide", mend)
    if missing:
        said = f"version 2, {groups.path} is ours, without {', '.join(missing)}"
        return Check("cgroups", "note", said, mend)
    return Check("cgroups", "ok", f"version 2, {groups.path} is ours to divide")


def landlock_abi() -> int:
    """Gather: the version of Landlock, 0 where there is none or it is switched off."""
    if sys.platform != "linux":
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    version = int(libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _ASK_VERSION))
    return version if version > 0 else -ctypes.get_errno()


def landlock_check(abi: int) -> Check:
    """Judge. Below 0: minus the error that asking gave."""
    if abi > 0:
        return Check("landlock", "ok", f"ABI {abi}")
    if abi == -errno.EOPNOTSUPP:
        mend = "Boot with lsm=landlock,… (cat /sys/kernel/security/lsm shows what is on)"
        return Check("landlock", "note", "built in and switched off: paths cannot be held", mend)
    return Check(
        "landlock", "note", "not in this kernel (5.13 or newer has it): paths cannot be held"
    )


def confinement() -> Check:
    """What tasks are held to, told as it is."""
    return Check(
        "confinement",
        "note",
        "absent: time, slots and declared amounts are kept; memory, paths and network of a task"
        " are not enforced yet",
    )
