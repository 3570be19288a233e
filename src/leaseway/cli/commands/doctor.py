"""`doctor`: check this machine and the way to the pool, line by line."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import Struct

from leaseway.cli.answer import Asked, answers
from leaseway.cli.exits import Exit
from leaseway.cli.paint import Paint, Tone
from leaseway.cli.setting import Places
from leaseway.cli.table import padded, wrapped
from leaseway.core.model.units import show_bytes

LEAST_FREE = 500 * 1024 * 1024
_MARKS = {"ok": Tone.GOOD, "note": Tone.UNSURE, "bad": Tone.BAD}


class Check(Struct, frozen=True):
    """One thing looked at. `verdict`: ok, note (works, but know it) or bad (mend it)."""

    name: str
    verdict: str
    said: str
    mend: str = ""


@click.command("doctor")
@answers
def doctor(asked: Asked) -> int:
    """Check Python, clocks, disk, the coordinator, the credential, confinement and workers."""
    checks = [*of_machine(asked.places), *of_pool(asked)]
    asked.tell(checks, lambda: [line for each in checks for line in lines_of(each, asked.paint)])
    return Exit.FAILED if any(each.verdict == "bad" for each in checks) else Exit.CLEAN


def lines_of(check: Check, paint: Paint) -> list[str]:
    """`ok    python        3.11.2, …`, and the mend below."""
    room = paint.width - 20
    head = paint(padded(check.verdict, 6), _MARKS[check.verdict]) + padded(check.name, 14)
    first, *rest = wrapped(check.said, room)
    lines = [head + first, *(" " * 20 + line for line in rest)]
    if check.mend:
        lines += [" " * 20 + line for line in wrapped("→ " + check.mend, room)]
    return lines


def of_machine(places: Places) -> Iterator[Check]:
    """What needs no coordinator."""
    version = platform.python_version()
    yield Check("python", "ok", f"{version}, {platform.system()} {platform.machine()}")
    yield clocks()
    yield state_folder(places.state)
    yield disk(places.state)
    yield confinement()


def clocks() -> Check:
    """Which clock counts sleep here, and whether a test shifts it."""
    shifted = os.environ.get("LEASEWAY_CLOCK")
    counting = "CLOCK_BOOTTIME" if sys.platform == "linux" else "CLOCK_MONOTONIC_RAW"
    said = f"stop times on {counting}, which counts sleep; run time on the monotonic clock"
    if shifted:
        return Check("clocks", "note", f"{said}; shifted by {shifted}", "Unset LEASEWAY_CLOCK.")
    if sys.platform != "linux":
        return Check("clocks", "note", f"{said}. Workers run on Linux; here only clients do.")
    return Check("clocks", "ok", said)


def state_folder(state: Path) -> Check:
    """Whether `up` could write there."""
    there = next(path for path in (state, *state.absolute().parents) if path.exists())
    if not os.access(there, os.W_OK | os.X_OK):
        return Check("state", "bad", f"{state} cannot be written.", "Name another with --state.")
    return Check("state", "ok", str(state) + ("" if state.exists() else ", made by leaseway up"))


def disk(state: Path) -> Check:
    """Room for the ledger and outputs."""
    there = next(path for path in (state, *state.absolute().parents) if path.exists())
    free = shutil.disk_usage(there).free
    said = f"{show_bytes(free)} free at {there}"
    if free < LEAST_FREE:
        return Check("disk", "bad", said, "Make room: with a full disk nothing can be accepted.")
    return Check("disk", "ok", said)


def confinement() -> Check:
    """What tasks are held to, told as it is."""
    return Check(
        "confinement",
        "note",
        "absent: time, slots and declared amounts are kept; memory, paths and network of a task"
        " are not enforced yet",
    )


def of_pool(asked: Asked) -> Iterator[Check]:
    """The coordinator, who we are there, and its workers."""
    from leaseway.cli.faults import Fault

    try:
        with asked.pool() as pool:
            about = pool.about()
            workers = pool.workers().workers
            url = pool.options.url
    except Fault as fault:
        yield Check("coordinator", "bad", fault.message, fault.mend)
        return
    yield Check("coordinator", "ok", f"{url}, leaseway {about.software}, ledger {about.ledger_id}")
    yield Check("credential", "ok", f"{about.principal}, role {about.role}")
    present = [each for each in workers if each.present and each.state == "active"]
    if not present:
        mend = "Offer this machine: leaseway worker join --for 1h"
        yield Check("workers", "note", f"none takes work, of {len(workers)} known", mend)
        return
    names = ", ".join(each.name for each in present[:8])
    yield Check("workers", "ok", f"{len(present)} of {len(workers)} take work: {names}")
