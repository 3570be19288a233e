"""What this machine is and how it fares: facts for an offer, and numbers for each sync."""

from __future__ import annotations

import os
from pathlib import Path

from leaseway.core.model.capacity import Capacity
from leaseway.runtime import fresh_id
from leaseway.worker.cgroup_limits import limits_here


def machine_id(state_dir: Path) -> str:
    """The same for every worker of this machine; made once where the machine has none."""
    for known in (Path("/etc/machine-id"), Path("/var/lib/dbus/machine-id")):
        try:
            text = known.read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text:
            return text
    kept = state_dir / "machine-id"
    try:
        return kept.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        kept.write_text(fresh_id("machine") + "\n", encoding="ascii")
        return kept.read_text(encoding="ascii").strip()


def capacity_here(state_dir: Path) -> Capacity:
    """Everything this machine has and lets this process use: what an owner offers who says
    nothing."""
    limits = limits_here()
    memory = [amount for amount in (_memory("MemTotal"), limits.memory_bytes) if amount is not None]
    milli = len(os.sched_getaffinity(0)) * 1000
    if limits.cpus_milli is not None:
        milli = min(milli, limits.cpus_milli)
    return Capacity(
        cpus_milli=milli,
        memory_bytes=min(memory, default=None),
        disk_bytes=_disk_free(state_dir),
        slots=max(1, milli // 1000),
    )


def readings(state_dir: Path) -> dict[str, int]:
    """What may change from sync to sync. Load is in thousandths, as cpus are."""
    found = {"load_milli": round(os.getloadavg()[0] * 1000)}
    memory = _memory("MemAvailable")
    if memory is not None:
        found["memory_free_bytes"] = memory
    found["disk_free_bytes"] = _disk_free(state_dir)
    return found


def _memory(name: str) -> int | None:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1]) * 1024
    return None


def _disk_free(folder: Path) -> int:
    stat = os.statvfs(folder)
    return stat.f_bavail * stat.f_frsize
