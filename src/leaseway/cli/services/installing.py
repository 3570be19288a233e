"""Installing, showing and removing services. Doing the same twice changes nothing."""

from __future__ import annotations

import difflib
import getpass
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from leaseway.cli.faults import Fault
from leaseway.cli.services.machine import Run, Supervisor
from leaseway.cli.services.unit import Service
from leaseway.cli.services.words import shell_line


class Installed(Struct, frozen=True):
    """What came of it. `started`: the supervisor has taken it over. `lines`: the story."""

    name: str
    path: str
    changed: bool
    started: bool
    lines: tuple[str, ...]


class Standing(Struct, frozen=True):
    """A service that is installed. `enabled`, `active`: in the supervisor's words, empty where it
    does not run."""

    name: str
    path: str
    scope: str
    enabled: str = ""
    active: str = ""
    starts: str = ""


def install(service: Service, at: Supervisor, run: Run) -> Installed:
    """Write the file, and let the supervisor start it. Fault: the file cannot be written."""
    path = at.path_of(service.name)
    before, after = _text(path), at.text_of(service)
    lines = list(_difference(before, after, path))
    if before != after:
        _write(path, after)
    started = False
    if at.runs:
        wrong = _tell(at.starting(service.name, changed=before != after), run)
        started = not wrong
        lines += wrong or [f"{service.name} is started, and starts at every boot."]
        if started and not at.system and at.kind == "systemd":
            lines += linger(run)
        if at.kind == "launchd":
            lines.append("launchd is not tested yet: look whether it runs.")
    else:
        start = shell_line(service.words, service.environment)
        lines += ["No systemd answers here, so nothing was started. Start it with:", f"  {start}"]
    return Installed(service.name, str(path), before != after, started, tuple(lines))


def linger(run: Run) -> list[str]:
    """Let a user's services run while nobody is logged in."""
    user = getpass.getuser()
    said = run(["loginctl", "enable-linger", user])
    if said.code == 0:
        return [f"It runs on while {user} is logged out (loginctl enable-linger)."]
    mend = f"sudo loginctl enable-linger {user}"
    return [f"It ends when {user} logs out, and starts at log-in. To change that: {mend}"]


def standing(at: Supervisor, run: Run) -> list[Standing]:
    """Every service that is installed there."""
    scope = "system" if at.system else "user"
    found = []
    for name in at.names():
        path = at.path_of(name)
        starts = next(
            (
                line.removeprefix("ExecStart=")
                for line in _text(path).splitlines()
                if line.startswith("ExecStart=")
            ),
            "",
        )
        found.append(Standing(name, str(path), scope, *at.state_of(name, run), starts))
    return found


def remove(name: str, at: Supervisor, run: Run) -> list[str]:
    """Stop it and take its file away; what runs on a worker goes on. Fault: it stays."""
    lines = _tell(at.stopping(name), run) if at.runs else []
    path = at.path_of(name)
    try:
        path.unlink(missing_ok=True)
    except OSError as wrong:
        raise Fault(f"{path} cannot be removed: {wrong.strerror}.") from wrong
    if at.runs and at.kind == "systemd":
        lines += _tell([at.systemctl("daemon-reload")], run)
    return [*lines, f"{name} is removed ({path}). Its state and what runs on it stay."]


def _tell(commands: list[list[str]], run: Run) -> list[str]:
    """What went wrong; the rest is not tried then."""
    for words in commands:
        said = run(words)
        if said.code and "bootout" not in words:
            return [f"{' '.join(words)} failed: {said.text or said.code}"]
    return []


def _difference(before: str, after: str, path: Path) -> Iterator[str]:
    if not before:
        yield f"{path} is written."
    elif before == after:
        yield f"{path} stays as it is."
    else:
        yield f"{path} is replaced:"
        for line in list(difflib.unified_diff(before.splitlines(), after.splitlines(), n=0))[2:]:
            if not line.startswith("@@"):
                yield f"  {line}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_text(text, encoding="utf-8")
        fresh.chmod(0o644)
        fresh.replace(path)
    except OSError as wrong:
        raise Fault(
            f"{path} cannot be written: {wrong.strerror}. Nothing was installed.",
            "As root for --system; without it a service of your own user is installed.",
        ) from wrong
