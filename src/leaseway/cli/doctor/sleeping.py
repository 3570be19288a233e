"""Whether this machine falls asleep: a coordinator that sleeps decides nothing."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from leaseway.cli.doctor.check import Check
from leaseway.cli.services.machine import Run

_LID = "HandleLidSwitch"
_AWAKE = frozenset({"ignore", "lock"})


@dataclass(frozen=True)
class Sleep:
    """`lid`: what closing it does, empty: no lid. `inhibited`: somebody holds sleep off. `idle_m`:
    macOS sleeps after so many minutes, 0: never, None: not asked."""

    system: str
    lid: str = ""
    inhibited: bool = False
    idle_m: int | None = None


def sleep_here(run: Run) -> Sleep:
    """Gather."""
    if sys.platform == "darwin":
        return Sleep("darwin", idle_m=pmset_minutes(run(["pmset", "-g"]).text))
    if not any(Path("/proc/acpi/button/lid").glob("*")):
        return Sleep(sys.platform)
    main = Path("/etc/systemd/logind.conf")
    files = [main, *sorted(Path("/etc/systemd/logind.conf.d").glob("*.conf"))]
    texts = (path.read_text(encoding="utf-8") for path in files if path.is_file())
    said = run(["systemd-inhibit", "--list", "--no-legend"])
    held = said.code == 0 and ("sleep" in said.text or "handle-lid-switch" in said.text)
    return Sleep(sys.platform, lid_of(texts), held)


def lid_of(texts: Iterable[str]) -> str:
    """What closing the lid does, of logind's files in order: the last word counts."""
    found = "suspend"
    for text in texts:
        for value in re.findall(rf"^\s*{_LID}\s*=\s*(\S+)", text, re.MULTILINE):
            found = value
    return found


def pmset_minutes(text: str) -> int | None:
    """Minutes until a Mac sleeps, of `pmset -g`."""
    found = re.search(r"^\s*sleep\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) if found else None


def sleep_check(sleep: Sleep) -> Check:
    """Judge. Sleep breaks nothing: bounds count it, and nobody is called lost for it."""
    if sleep.system == "darwin":
        if sleep.idle_m is None:
            return Check("sleep", "note", "pmset does not say whether this Mac sleeps")
        if sleep.idle_m:
            said = f"this Mac sleeps after {sleep.idle_m} min; a coordinator then decides nothing"
            return Check("sleep", "note", said, "caffeinate -is leaseway up")
        return Check("sleep", "ok", "this Mac does not fall asleep by itself")
    if not sleep.lid:
        return Check("sleep", "ok", "no lid here")
    if sleep.lid in _AWAKE:
        return Check("sleep", "ok", f"closing the lid: {sleep.lid}")
    if sleep.inhibited:
        return Check("sleep", "ok", f"closing the lid: {sleep.lid}, held off just now")
    said = f"closing the lid: {sleep.lid}; a coordinator then decides nothing until it is opened"
    return Check(
        "sleep", "note", said, "systemd-inhibit --what=sleep:handle-lid-switch leaseway up"
    )
