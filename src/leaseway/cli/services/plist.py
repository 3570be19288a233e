"""The property list of a launchd agent, for a coordinator on macOS. Not tested on a Mac."""

from __future__ import annotations

import plistlib

from leaseway.cli.services.unit import Service

LABEL = "dev.leaseway."


def plist_text(service: Service, log: str) -> str:
    """Started at log-in, and again when it fails. `log`: where launchd writes what it says."""
    document: dict[str, object] = {
        "Label": LABEL + service.name,
        "ProgramArguments": list(service.words),
        "RunAtLoad": True,
        "KeepAlive": {"SuccessfulExit": False},
        "ThrottleInterval": 10,
        "ExitTimeOut": service.stop_s,
        "AbandonProcessGroup": True,
        "StandardOutPath": log,
        "StandardErrorPath": log,
        "Umask": 0o077,
    }
    if service.environment:
        document["EnvironmentVariables"] = service.environment
    return plistlib.dumps(document, sort_keys=False).decode()
