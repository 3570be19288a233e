"""The coordinator, who we are there, its workers, and the port where it should be."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from leaseway import __version__
from leaseway.cli.doctor.check import Check
from leaseway.wire.streams import AboutInfo
from leaseway.wire.workers import WorkerInfo


def pool_checks(url: str, about: AboutInfo, workers: Sequence[WorkerInfo]) -> Iterator[Check]:
    """Judge what a coordinator said."""
    said = f"{url}, leaseway {about.software}, ledger {about.ledger_id}"
    if about.software == __version__:
        yield Check("coordinator", "ok", said)
    else:
        mend = f"pip install -U leaseway=={about.software}"
        yield Check("coordinator", "note", f"{said}; here is {__version__}", mend)
    yield Check("credential", "ok", f"{about.principal}, role {about.role}")
    present = [each for each in workers if each.present and each.state == "active"]
    if not present:
        mend = "leaseway worker join --for 1h offers this machine"
        yield Check("workers", "note", f"none takes work, of {len(workers)} known", mend)
        return
    names = ", ".join(each.name for each in present[:8])
    yield Check("workers", "ok", f"{len(present)} of {len(workers)} take work: {names}")


def port_of(state: Path) -> tuple[str, int] | None:
    """Gather: where the coordinator of this state folder answered last."""
    try:
        parts = urlsplit((state / "url").read_text(encoding="utf-8").strip())
        return (parts.hostname or "", parts.port or 0) if parts.port else None
    except (OSError, ValueError):
        return None


def is_taken(host: str, port: int) -> bool:
    """Gather: whether somebody listens there."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def port_check(host: str, port: int, *, taken: bool, answers: bool) -> Check:
    """Judge: of a coordinator that belongs on this machine."""
    place = f"{host} port {port}"
    if answers:
        return Check("port", "ok", f"{place}, the coordinator's")
    if taken:
        mend = f"ss -ltnp 'sport = :{port}' shows who; or leaseway up --port N"
        return Check("port", "bad", f"{place} is taken, and no coordinator answers there", mend)
    return Check("port", "ok", f"{place} is free for leaseway up")


def machine_id() -> str:
    """Gather: what the workers of this machine call it; empty: it has no name of its own."""
    try:
        return Path("/etc/machine-id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def tools_here(
    workers: Sequence[WorkerInfo], machine_id: str, find: Callable[[str], str | None] = shutil.which
) -> dict[str, tuple[str, ...]]:
    """Gather: by worker of this machine, which of the tools that its lease names are missing."""
    return {
        each.name: tuple(tool for tool in each.terms.tools if find(tool) is None)
        for each in workers
        if machine_id == each.machine_id != "" and each.state != "ended" and each.terms.tools
    }


def tool_checks(missing: dict[str, tuple[str, ...]]) -> Iterator[Check]:
    """Judge."""
    for worker, tools in missing.items():
        if tools:
            names = ", ".join(tools)
            said = f"{worker} promises {names}, which PATH does not have"
            mend = (
                f"Install {names}, or join {worker} again without --tool {' --tool '.join(tools)}"
            )
            yield Check("tools", "bad", said, mend)
        else:
            yield Check("tools", "ok", f"{worker} has all that its lease names")
