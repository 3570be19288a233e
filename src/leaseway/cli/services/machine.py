"""The supervisor of this machine: where its files go, whether it runs, and how it is told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from leaseway.cli.services.plist import LABEL, plist_text
from leaseway.cli.services.unit import Service, unit_text

PATIENCE_S = 60


@dataclass(frozen=True)
class Said:
    """How a command ended, and what it said."""

    code: int
    text: str = ""


class Run(Protocol):
    """Runs a command to its end; `Said(127, …)` where there is no such program."""

    def __call__(self, words: Sequence[str]) -> Said:
        """Run it."""


def run_here(words: Sequence[str]) -> Said:
    """On this machine, without a terminal."""
    try:
        done = subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except OSError as wrong:
        return Said(127, f"{words[0]}: {wrong.strerror}")
    except subprocess.TimeoutExpired:
        return Said(124, f"{words[0]} did not end within {PATIENCE_S} s")
    return Said(done.returncode, (done.stdout + done.stderr).strip())


@dataclass(frozen=True)
class Supervisor:
    """Systemd for the machine or for one user, or launchd for one user. `runs`: it can be told
    something here. `version`: of systemd, 0 where it is not known."""

    kind: str  # systemd | launchd
    system: bool
    folder: Path
    runs: bool
    version: int = 0

    def path_of(self, name: str) -> Path:
        """The file of a service."""
        if self.kind == "launchd":
            return self.folder / f"{LABEL}{name}.plist"
        return self.folder / f"{name}.service"

    def text_of(self, service: Service) -> str:
        """What is to stand in it."""
        if self.kind == "launchd":
            log = Path.home() / "Library" / "Logs" / f"{service.name}.log"
            return plist_text(service, str(log))
        return unit_text(service, system=self.system, version=self.version)

    def names(self) -> list[str]:
        """Of the services that are installed."""
        suffix = ".plist" if self.kind == "launchd" else ".service"
        head = LABEL if self.kind == "launchd" else ""
        return sorted(
            path.name.removesuffix(suffix).removeprefix(head)
            for path in self.folder.glob(f"{head}leaseway-*{suffix}")
        )

    def systemctl(self, *words: str) -> list[str]:
        """A command for this manager."""
        return ["systemctl", *(() if self.system else ("--user",)), *words]

    def starting(self, name: str, *, changed: bool) -> list[list[str]]:
        """Commands that start it now and at every boot; one that runs with what stood there before
        is started anew."""
        if self.kind == "launchd":
            path, domain = str(self.path_of(name)), f"gui/{os.getuid()}"
            fresh = [["launchctl", "bootstrap", domain, path]]
            return [["launchctl", "bootout", f"{domain}/{LABEL}{name}"], *fresh] if changed else []
        unit = f"{name}.service"
        first = [self.systemctl("daemon-reload"), self.systemctl("enable", unit)]
        return [*first, self.systemctl("restart" if changed else "start", unit)]

    def stopping(self, name: str) -> list[list[str]]:
        """Commands that stop it and let it not start again."""
        if self.kind == "launchd":
            return [["launchctl", "bootout", f"gui/{os.getuid()}/{LABEL}{name}"]]
        return [self.systemctl("disable", "--now", f"{name}.service")]

    def state_of(self, name: str, run: Run) -> tuple[str, str]:
        """(enabled, active) in systemd's words; empty where nobody can be asked."""
        if not self.runs or self.kind == "launchd":
            return "", ""
        unit = f"{name}.service"
        answers = [run(self.systemctl(verb, unit)).text for verb in ("is-enabled", "is-active")]
        return tuple(each.splitlines()[0] if each else "" for each in answers)  # type: ignore[return-value]


def supervisor(scope: str | None, environment: Mapping[str, str], run: Run) -> Supervisor:
    """The one to use: the machine's for root, a user's for everybody else, unless `scope` says."""
    if sys.platform == "darwin":
        folder = Path.home() / "Library" / "LaunchAgents"
        return Supervisor("launchd", system=False, folder=folder, runs=True)
    system = scope == "system" or (scope is None and os.geteuid() == 0)
    if system:
        folder, there = Path("/etc/systemd/system"), Path("/run/systemd/system").is_dir()
    else:
        above = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
        folder = Path(above) / "systemd" / "user"
        runtime = environment.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
        there = (Path(runtime) / "systemd").is_dir()
    version = _version(run(["systemctl", "--version"])) if there else 0
    return Supervisor("systemd", system, folder, runs=version > 0, version=version)


def _version(said: Said) -> int:
    words = said.text.split()
    return int(words[1]) if said.code == 0 and len(words) > 1 and words[1].isdecimal() else 0
